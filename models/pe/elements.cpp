#include "models/pe/elements.h"

#include <algorithm>

#include "models/pe/arithmetic.h"

namespace tessera::pe {

namespace {

using Kind = Cursor::Kind;

// wse.md 5.9: the two uppermost bits of the index mark a control wavelet; the entry point is in the
// low six. Which value marks is a choice of this model.
constexpr std::uint32_t kControlMark = 0xC0000000U;
constexpr unsigned kIndexShift = 16;

// What an operation gets of wavelet `w`.
std::uint32_t payload_of(const EngineState& pe, const Operation& op, const Cursor& cursor,
                         const link::Wavelet& w, std::uint32_t control_mask) {
  if (w.half != cursor.half) {
    pe.fail(Illegal::kHalfWavelet, op.pc(), "input queue ", cursor.queue,
            w.half ? " got a half wavelet where a full one is read"
                   : " is dense and got a full wavelet where 16-bit elements are read");
  }
  if (!w.control || !cursor.dsd->control_transform) return w.payload;
  return (w.payload ^ control_mask << kIndexShift) | kControlMark;
}

std::uint32_t pop_fifo(EngineState& pe, const Cursor& cursor) {
  FifoState& fifo = pe.dsrs.fifo(cursor.number);
  std::uint32_t value = pe.sram.read(fifo.pop_word(), 2);
  if (cursor.bytes == 4) value |= pe.sram.read(fifo.pop_word(), 2) << 16;
  if (fifo.room_came() && fifo.fifo().activate_pop) pe.tasks.activate(*fifo.fifo().activate_pop);
  return value;
}

void push_fifo(EngineState& pe, const Cursor& cursor, std::uint32_t value) {
  FifoState& fifo = pe.dsrs.fifo(cursor.number);
  pe.sram.write(fifo.push_word(), 2, value & 0xFFFFU);
  if (cursor.bytes == 4) pe.sram.write(fifo.push_word(), 2, value >> 16);
  if (fifo.data_came() && fifo.fifo().activate_push) pe.tasks.activate(*fifo.fifo().activate_push);
}

std::uint32_t read_wavelet(EngineState& pe, const Operation& op, Cursor& cursor,
                           std::uint32_t control_mask, Cycle now) {
  if (cursor.held == 0) {
    cursor.value = payload_of(pe, op, cursor, pe.queues.take(cursor.queue, now), control_mask);
    cursor.held = cursor.packed;
  }
  const std::uint32_t value = cursor.bytes == 2 ? cursor.value & 0xFFFFU : cursor.value;
  cursor.value >>= 16;
  --cursor.held;
  return value;
}

std::uint32_t read_element(EngineState& pe, Operation& op, unsigned slot,
                           std::uint32_t control_mask, Cycle now) {
  Cursor& cursor = op.cursors[slot];
  switch (cursor.kind) {
  case Kind::kScalar: {
    const bool running =
        op.accumulates && cursor.is_register && cursor.number == op.cursors[0].number;
    return running ? op.cursors[0].value : cursor.value;
  }
  case Kind::kFabric:
    return read_wavelet(pe, op, cursor, control_mask, now);
  case Kind::kFifo:
    return pop_fifo(pe, cursor);
  case Kind::kMemory: {
    const std::uint32_t value = pe.load(op.pc(), cursor.walk.address(), cursor.bytes, now);
    cursor.walk.next(*cursor.dsd, cursor.bytes);
    return value;
  }
  default:
    return 0;
  }
}

std::uint32_t combine(const EngineState& pe, Operation& op, std::uint32_t a, std::uint32_t b,
                      std::uint32_t c) {
  if (op.op != Opcode::kAddc16) return evaluate(op.op, a, b, c, pe.image().half);
  const CarrySum sum = add_with_carry(a, b, op.carry);
  op.carry = sum.carry;
  return sum.sum;
}

void write_element(EngineState& pe, Operation& op, std::uint32_t value, std::uint32_t& sent,
                   Cycle now) {
  Cursor& cursor = op.cursors[0];
  switch (cursor.kind) {
  case Kind::kFabric:
    cursor.value |= value << (16U * cursor.held);  // wse.md 5.10: the first is the low half
    if (++cursor.held < cursor.packed) return;
    send(pe, op, !op.endless && op.done + 1 >= op.length && is_last(pe, op), sent, now);
    break;
  case Kind::kFifo:
    push_fifo(pe, cursor, value);
    break;
  case Kind::kMemory:
    pe.store(op.pc(), cursor.walk.address(), cursor.bytes, value, now);
    cursor.walk.next(*cursor.dsd, cursor.bytes);
    break;
  default:
    cursor.value = value;  // the last one counts (wse.md 5.2)
  }
}

// --- kernels

/// Bytes of the elements of all operands in memory and of the fabric, as far as a kernel knows: 2, 4, or
/// kOwnBytes, where each operand says it. With kOwnBytes it may have several loops or be a ring, too.
constexpr unsigned kOwnBytes = 0;

template <unsigned known_bytes>
[[gnu::always_inline]] inline void go_on(Cursor& cursor, unsigned bytes) {
  if constexpr (known_bytes == kOwnBytes)
    cursor.walk.next(*cursor.dsd, bytes);
  else
    cursor.walk.next_in_line(bytes);
}

template <Kind kind, unsigned known_bytes>
[[gnu::always_inline]] inline std::uint32_t
read(EngineState& pe, const Operation& op, Cursor& cursor, std::uint32_t control_mask, Cycle now) {
  const unsigned bytes = known_bytes == kOwnBytes ? cursor.bytes : known_bytes;
  if constexpr (kind == Kind::kMemory) {
    const std::uint32_t address = cursor.walk.address();
    std::uint32_t value = 0;
    if (!pe.sram.read_near(address, bytes, value))
      value = pe.load_far(op.pc(), address, bytes, now);
    go_on<known_bytes>(cursor, bytes);
    return value;
  } else if constexpr (kind == Kind::kFabric) {
    const link::Wavelet w = pe.queues.take(cursor.queue, now);
    const bool plain = !w.control && w.half == cursor.half;
    const std::uint32_t payload = plain ? w.payload : payload_of(pe, op, cursor, w, control_mask);
    return bytes == 2 ? payload & 0xFFFFU : payload;
  } else {
    return cursor.value;
  }
}

template <unsigned known_bytes>
[[gnu::always_inline]] inline void store(EngineState& pe, const Operation& op, Cursor& cursor,
                                         std::uint32_t value, Cycle now) {
  const unsigned bytes = known_bytes == kOwnBytes ? cursor.bytes : known_bytes;
  const std::uint32_t address = cursor.walk.address();
  if (address < pe.program->data_begin() || !pe.sram.write_near(address, bytes, value))
    pe.store_far(op.pc(), address, bytes, value, now);
  go_on<known_bytes>(cursor, bytes);
}

bool are_in_line(const Operation& op) {
  return std::all_of(op.cursors.begin(), op.cursors.begin() + 3, [](const Cursor& cursor) {
    return cursor.kind != Kind::kMemory || is_in_line(*cursor.dsd);
  });
}

/// Elements of an operand in memory, if they lie in one page.
struct Row {
  std::uint8_t* to = nullptr;
  const std::uint8_t* from = nullptr;
  std::int32_t step = 0;
};

template <unsigned known_bytes>
[[gnu::always_inline]] inline bool find_row(const EngineState& pe, const Cursor& cursor,
                                            std::uint32_t elements, Row& row) {
  const unsigned bytes = known_bytes == kOwnBytes ? cursor.bytes : known_bytes;
  const std::uint32_t address = cursor.walk.address();
  row.step = cursor.walk.step(bytes);
  const std::uint32_t last = address + static_cast<std::uint32_t>(row.step) * (elements - 1);
  row.from = pe.sram.find_row(address, last, bytes);
  return row.from != nullptr;
}

template <unsigned known_bytes>
[[gnu::always_inline]] inline bool take_row(EngineState& pe, const Cursor& cursor,
                                            std::uint32_t elements, Row& row) {
  const unsigned bytes = known_bytes == kOwnBytes ? cursor.bytes : known_bytes;
  const std::uint32_t address = cursor.walk.address();
  row.step = cursor.walk.step(bytes);
  const std::uint32_t last = address + static_cast<std::uint32_t>(row.step) * (elements - 1);
  if (std::min(address, last) < pe.program->data_begin()) return false;
  row.to = pe.sram.take_row(address, last, bytes);
  return row.to != nullptr;
}

template <Kind kind, unsigned known_bytes>
[[gnu::always_inline]] inline std::uint32_t read_row(const Cursor& cursor, Row& row) {
  if constexpr (kind != Kind::kMemory) return cursor.value;
  const std::uint8_t* const at = row.from;
  row.from += row.step;
  return Sram::value_at(at, known_bytes == kOwnBytes ? cursor.bytes : known_bytes);
}

template <Kind a, Kind b, unsigned bytes, class Evaluate>
[[gnu::always_inline]] inline void fill_row(const Operation& op, std::uint32_t elements, Row to,
                                            Row first, Row second, Evaluate&& evaluate) {
  for (std::uint32_t i = 0; i < elements; ++i) {
    const std::uint32_t x = read_row<a, bytes>(op.cursors[1], first);
    const std::uint32_t y = read_row<b, bytes>(op.cursors[2], second);
    Sram::set_value(to.to, bytes == kOwnBytes ? op.cursors[0].bytes : bytes, evaluate(x, y));
    to.to += to.step;
  }
}

/// Moves a group between vectors in memory each of which lies in one page in this group. False: they do not, and
/// nothing was done.
template <Kind a, Kind b, unsigned bytes>
[[gnu::always_inline]] inline bool move_rows(EngineState& pe, Operation& op,
                                             std::uint32_t elements) {
  Row to, first, second;
  // The destination first: a page that is taken may move the others.
  if (!take_row<bytes>(pe, op.cursors[0], elements, to)) return false;
  if (a == Kind::kMemory && !find_row<bytes>(pe, op.cursors[1], elements, first)) return false;
  if (b == Kind::kMemory && !find_row<bytes>(pe, op.cursors[2], elements, second)) return false;
  const std::uint32_t c = op.sources > 2 ? op.cursors[3].value : 0;
  const HalfFormat half = pe.image().half;
  if (bytes == 2 && op.op == Opcode::kFmach && half == HalfFormat::kF16) {
    const double factor = ieee_half_value(c);
    fill_row<a, b, bytes>(op, elements, to, first, second, [=](std::uint32_t x, std::uint32_t y) {
      return ieee_half_multiply_add(x, y, c, factor);
    });
  } else {
    fill_row<a, b, bytes>(op, elements, to, first, second, [=](std::uint32_t x, std::uint32_t y) {
      return evaluate_with(
          op.op, x, y, [c] { return c; }, half);
    });
  }
  for (unsigned slot = 0; slot < 3; ++slot) {
    Cursor& cursor = op.cursors[slot];
    if (cursor.kind == Kind::kMemory) cursor.walk.skip_in_line(cursor.bytes, elements);
  }
  op.done += elements;
  return true;
}

template <Kind to, Kind a, Kind b, unsigned bytes>
void move_by_kernel(EngineState& pe, Operation& op, std::uint32_t elements,
                    std::uint32_t control_mask, std::uint32_t& sent, Cycle now) {
  if constexpr (to == Kind::kMemory && a != Kind::kFabric && b != Kind::kFabric) {
    const bool may_be_rows = elements > 1 && (bytes != kOwnBytes || are_in_line(op));
    if (may_be_rows && move_rows<a, b, bytes>(pe, op, elements)) return;
  }
  do {
    const std::uint32_t first = read<a, bytes>(pe, op, op.cursors[1], control_mask, now);
    const std::uint32_t second = read<b, bytes>(pe, op, op.cursors[2], control_mask, now);
    const auto third = [&op] { return op.sources > 2 ? op.cursors[3].value : 0; };
    const std::uint32_t value = evaluate_with(op.op, first, second, third, pe.image().half);
    if constexpr (to == Kind::kMemory) {
      store<bytes>(pe, op, op.cursors[0], value, now);
    } else {
      op.cursors[0].value = value;
      send(pe, op, !op.endless && op.done + 1 >= op.length, sent, now);
    }
    ++op.done;
  } while (--elements > 0);
}

template <Kind to, Kind a, Kind b>
Kernel kernel_of_bytes(unsigned bytes) {
  if (bytes == 2) return move_by_kernel<to, a, b, 2>;
  return bytes == 4 ? move_by_kernel<to, a, b, 4> : move_by_kernel<to, a, b, kOwnBytes>;
}

template <Kind to, Kind a>
Kernel kernel_of_second(Kind b, unsigned bytes) {
  if (b == Kind::kNone) return kernel_of_bytes<to, a, Kind::kNone>(bytes);
  if (b == Kind::kMemory) return kernel_of_bytes<to, a, Kind::kMemory>(bytes);
  if (b == Kind::kFabric) return kernel_of_bytes<to, a, Kind::kFabric>(bytes);
  return kernel_of_bytes<to, a, Kind::kScalar>(bytes);
}

template <Kind to>
Kernel kernel_of_sources(Kind a, Kind b, unsigned bytes) {
  if (a == Kind::kMemory) return kernel_of_second<to, Kind::kMemory>(b, bytes);
  if (a == Kind::kFabric) return kernel_of_second<to, Kind::kFabric>(b, bytes);
  return kernel_of_second<to, Kind::kScalar>(b, bytes);
}

// Bytes of the elements of all vectors among the first operands, if those in memory have one loop, or kOwnBytes.
unsigned bytes_of(const Operation& op) {
  if (!are_in_line(op)) return kOwnBytes;
  const auto all_have = [&op](unsigned bytes) {
    return std::all_of(op.cursors.begin(), op.cursors.begin() + 3, [bytes](const Cursor& cursor) {
      const bool is_vector = cursor.kind == Kind::kMemory || cursor.kind == Kind::kFabric;
      return !is_vector || cursor.bytes == bytes;
    });
  };
  return all_have(4) ? 4 : all_have(2) ? 2 : kOwnBytes;
}

// Whether each element of the operand is an element in memory, a wavelet, or the same value.
bool is_plain(const Cursor& cursor) {
  return cursor.kind == Kind::kFabric ? cursor.packed == 1 : cursor.kind != Kind::kFifo;
}

}  // namespace

// The last wavelet of the descriptor, not only of a single step.
bool is_last(const EngineState& pe, const Operation& op) {
  if (op.terminated) return false;
  return !op.single_step || pe.dsrs[op.instruction().operands[0]].extension->remaining == 0;
}

// wse.md 5.5, 5.9.
void send(EngineState& pe, Operation& op, bool last, std::uint32_t& sent, Cycle now) {
  Cursor& cursor = op.cursors[0];
  const Dsd& dsd = *cursor.dsd;
  link::Wavelet w;
  w.payload = cursor.value;
  if (dsd.wavelet_index_offset) w.payload |= std::uint32_t{op.index} << kIndexShift;
  const bool marked = dsd.control_transform && (w.payload & kControlMark) == kControlMark;
  if (marked) w.payload &= ~kControlMark;
  w.control = dsd.control || marked;
  w.color = Color(cursor.number);
  w.half = cursor.half;
  w.local_flip = dsd.advance_switch && last;
  w.ident = (std::uint64_t{pe.probe.place()} + 1) << 32 | sent++;
  pe.queues.push(cursor.queue, w, now);
  cursor.value = 0;
  cursor.held = 0;
}

void move_element(EngineState& pe, Operation& op, std::uint32_t control_mask, std::uint32_t& sent,
                  Cycle now) {
  std::array<std::uint32_t, kMaxOperands> in{};
  for (unsigned slot = 1; slot <= op.sources; ++slot)
    in[slot] = read_element(pe, op, slot, control_mask, now);
  write_element(pe, op, combine(pe, op, in[1], in[2], in[3]), sent, now);
  ++op.done;
}

Kernel kernel_of(const Operation& op) {
  const Cursor& to = op.cursors[0];
  const bool fits = !op.is_filter() && !op.single_step && op.op != Opcode::kAddc16 &&
                    (to.kind == Kind::kMemory || to.kind == Kind::kFabric) &&
                    (op.sources <= 2 || op.cursors[3].kind == Kind::kScalar) && is_plain(to) &&
                    is_plain(op.cursors[1]) && is_plain(op.cursors[2]);
  if (!fits) return nullptr;
  const auto of_sources = to.kind == Kind::kMemory ? kernel_of_sources<Kind::kMemory>
                                                   : kernel_of_sources<Kind::kFabric>;
  return of_sources(op.cursors[1].kind, op.cursors[2].kind, bytes_of(op));
}

}  // namespace tessera::pe
