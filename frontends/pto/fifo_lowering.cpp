// TPUSH and TPOP: rings of slots between the AIC and the AIVs of a cluster, on cross-core signals
// (reference ascend.md 3.3, 3.5). Producer and consumer count their tiles; slot = count mod slots.
//
//   * Ready is signalled with every push. Free slots are signalled in batches of `period` pops, and the
//     producer asks for a batch before every period-th push: on A2/A3 from the first reuse of a slot on,
//     on A5 always, the consumer having signalled all slots free at first. At the end of the kernel the
//     producer takes the signals that are left, so that all counters are 0.
//   * Through GM: FIX or MTE3 writes the slot, MTE2 of the consumer copies it into a ring of its own.
//   * On A5 without a buffer in GM: FIX writes into UB, MTE3 into L1, and a pop moves nothing.
//   * split 1 and 2 divide the rows or the columns among both AIVs. With split 0 AIV0 carries the data:
//     AIV1 takes no part on A5, and on A2/A3 it signals, waits, and reads the same tile.
#include "frontends/pto/fifo.h"

#include <algorithm>

namespace tessera::pto {

namespace {

using cluster::CoreKind;
using cluster::Instruction;
using cluster::Location;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::Predicate;
using cluster::Profile;
using cluster::TileOperand;

constexpr std::int64_t kMostSlots = 1024;
constexpr std::int64_t kAiv1 = 16;  // offset of the ids of AIV1 on the AIC (2.7)

/// The first push, pop or free of the pipe that `opens` opens.
const Operation* first_user(const Region& region, const Operation& opens) {
  const auto id_of = [](const Operation& op) {
    const std::string id = text_of(op, "id");
    return id.empty() ? "0" : id.substr(0, id.find(':'));
  };
  for (const Operation& op : region.operations) {
    const Meaning meaning = operation_info(op.name).meaning;
    if (meaning == Meaning::kPush || meaning == Meaning::kPop || meaning == Meaning::kFree) {
      const auto names = [&](const Argument& a) { return a.text == opens.results[0].name; };
      const bool same = opens.results.empty()
                            ? op.name.find('_') != std::string::npos && id_of(op) == id_of(opens)
                            : std::any_of(op.arguments.begin(), op.arguments.end(), names);
      if (same) return &op;
    }
    for (const Region& inner : op.regions)
      if (const Operation* found = first_user(inner, opens)) return found;
  }
  return nullptr;
}

/// Free slots are signalled together; they divide the ring evenly.
std::int64_t period_of(std::int64_t slots) {
  if (slots <= 2) return slots;
  std::int64_t period = slots / 2;
  while (slots % period != 0) --period;
  return period;
}

}  // namespace

FunctionLowering::~FunctionLowering() = default;

void FunctionLowering::lower_pipe_operation(const Operation& op, Meaning meaning) {
  switch (meaning) {
  case Meaning::kReserveBuffer:
  case Meaning::kImportBuffer:
    return lower_reserved(op, meaning == Meaning::kImportBuffer);
  case Meaning::kOpenPipe:
    return open_pipe(op);
  case Meaning::kPipeHandle:
    return open_handle(op);
  case Meaning::kAllocEntry:
    return alloc_entry(op);
  case Meaning::kPush:
    return push(op);
  case Meaning::kPop:
    return pop(op);
  case Meaning::kFree:
    return free_slot(op);
  case Meaning::kFifoTile: {
    const Value& slot = value(op.arguments[1], Value::Kind::kSlot, "what pto.tpop gives");
    Fifo& fifo = fifos_[slot.pipe];
    if (op.result_types.empty())
      diagnostics_.fail(op.place, "expected -> and the type of the tile");
    return define(op, pop_tile(op, fifo, op.result_types[0], slot.scalar));
  }
  default:  // a tile that a pop gives its place
    if (op.result_types.empty())
      diagnostics_.fail(op.place, "expected -> and the type of the tile");
    return define(op, declared_tile(op, op.result_types[0]));
  }
}

void FunctionLowering::lower_reserved(const Operation& op, bool imports) {
  const std::string name = text_of(op, "name");
  const std::string function = imports ? text_of(op, "peer_func") : calls_.back()->name;
  const ReservedBuffers::Buffer* buffer = reserved_.find(function, name);
  if (buffer == nullptr)
    diagnostics_.fail(op.place, "@" + function + " reserves no buffer " + text::quoted(name));
  Value v;
  v.scalar = buffer->address;
  v.reserved = buffer;
  define(op, std::move(v));
}

// --- opening ---

unsigned FunctionLowering::open_fifo(const Operation& op, std::int64_t id, bool through_gm) {
  Fifo fifo;
  fifo.id = id;
  fifo.directions = number_of(op, "dir_mask", 1, diagnostics_);
  if (fifo.directions < 1 || fifo.directions > 3)
    diagnostics_.fail(op.place, "expected dir_mask 1 (cube to vector), 2 (vector to cube) or 3, "
                                "found " +
                                    std::to_string(fifo.directions));
  const bool both = fifo.directions == 3;
  const auto positive = [&](const char* key, std::int64_t otherwise, std::int64_t most) {
    const std::int64_t n = number_of(op, key, otherwise, diagnostics_);
    if (n < 1 || n > most)
      diagnostics_.fail(op.place, std::string(key) + " is " + std::to_string(n) + ", expected 1.." +
                                      std::to_string(most));
    return n;
  };
  fifo.slots = positive("slot_num", both ? 4 : 8, kMostSlots);
  fifo.slot_bytes = positive("slot_size", 0, std::int64_t{1} << 30);
  fifo.local_slots = positive("local_slot_num", std::min<std::int64_t>(2, fifo.slots), fifo.slots);
  fifo.period = period_of(fifo.slots);
  fifo.through_gm = through_gm;
  if (!through_gm && options_.profile != Profile::kA5)
    diagnostics_.fail(op.place, op.name + ": A2/A3 have no direct path, expected a buffer in GM");
  const std::int64_t flags = both ? 4 : 2;
  fifo.flag = number_of(op, "flag_base", next_flag_, diagnostics_);
  if (fifo.flag < 0 || fifo.flag + flags > kAiv1)
    diagnostics_.fail(op.place, op.name + " takes the flags " + std::to_string(fifo.flag) + ".." +
                                    std::to_string(fifo.flag + flags - 1) + ", expected 0..15");
  next_flag_ = std::max(next_flag_, fifo.flag + flags);
  // Whether both AIVs carry data is a property of the pipe: nosplit, or what its operations say.
  const Attribute* nosplit = find(op.attributes, "nosplit");
  const Operation* user = first_user(calls_.back()->body, op);
  fifo.nosplit = nosplit != nullptr
                     ? nosplit->value != "false"
                     : user != nullptr && number_of(*user, "split", 0, diagnostics_) == 0;
  fifo.split_is_known = nosplit != nullptr || user != nullptr;
  fifos_.push_back(std::move(fifo));
  return static_cast<unsigned>(fifos_.size() - 1);
}

void FunctionLowering::open_ends(Fifo& fifo, const Operation& op, const Value* gm, const Value& c2v,
                                 const Value& v2c) {
  note_end(fifo, op, c2v, v2c);
  if (gm != nullptr) fifo.gm = gm->place;
  for (const bool to_aiv : {true, false}) {
    if ((fifo.directions & (to_aiv ? 1 : 2)) == 0) continue;
    FifoEnd& end = to_aiv ? fifo.to_aiv : fifo.to_aic;
    end.open = true;
    end.produces = to_aiv == (kind_ == CoreKind::kAic);
    end.flag = fifo.flag + (to_aiv || fifo.directions == 2 ? 0 : 2);
    end.buffer = (to_aiv ? c2v : v2c).scalar;
    end.first_byte = !to_aiv && fifo.directions == 3 ? fifo.slots * fifo.slot_bytes : 0;
    end.writer = to_aiv ? Pipe::kFix : Pipe::kMte3;
    end.reader = fifo.through_gm ? Pipe::kMte2 : to_aiv ? Pipe::kV : Pipe::kMte1;
    end.count = new_register(op.place);
    set(end.count, 0, op.place);
    end.freed = new_register(op.place);
    set(end.freed, 0, op.place);
  }
  // All slots are free: A5 says so beforehand, with as many signals as the ring has batches.
  if (options_.profile != Profile::kA5) return;
  for (FifoEnd* end : {&fifo.to_aiv, &fifo.to_aic}) {
    if (!end->open || end->produces) continue;
    take_part(fifo, op.place, [&] {
      for (std::int64_t i = 0; i < fifo.slots / fifo.period; ++i)
        fifo_signal(fifo, true, end->reader, end->flag + 1, op.place);
    });
  }
}

void FunctionLowering::open_pipe(const Operation& op) {
  const std::int64_t id = number_of(op, "id", 0, diagnostics_);
  for (const Fifo& fifo : fifos_)
    if (fifo.id == id && !fifo.is_handle)
      diagnostics_.fail(op.place, op.name + ": pipe " + std::to_string(id) + " is open already");
  const Value* gm = nullptr;
  Value c2v, v2c;
  for (const Argument& a : op.arguments) {
    if (a.key == "gm_slot_buffer") gm = &value(a, Value::Kind::kPointer, "a pointer");
    if (a.key == "gm_slot_tensor") gm = &value(a, Value::Kind::kView, "a tensor view");
    if (gm != nullptr && gm == &any_value(a)) continue;
    if (a.key == "c2v_consumer_buf")
      c2v = value(a, Value::Kind::kScalar, "the address of a buffer");
    else if (a.key == "v2c_consumer_buf")
      v2c = value(a, Value::Kind::kScalar, "the address of a buffer");
    else
      diagnostics_.fail(a.place, "expected gm_slot_buffer, gm_slot_tensor, c2v_consumer_buf or "
                                 "v2c_consumer_buf");
  }
  const unsigned n = open_fifo(op, id, gm != nullptr);
  fifos_[n].has_entries = gm != nullptr && gm->kind == Value::Kind::kView;
  fifos_[n].has_buffer = !fifos_[n].has_entries;
  open_ends(fifos_[n], op, gm, c2v, v2c);
}

void FunctionLowering::open_handle(const Operation& op) {
  const bool through_gm = op.name == "pto.initialize_l2g2l_pipe";
  const std::size_t first = through_gm ? 1 : 0;  // of the local buffers
  if (op.arguments.size() < 1)
    diagnostics_.fail(op.place, op.name + ": expected the address of its buffer");
  const Value* gm = through_gm ? &any_value(op.arguments[0]) : nullptr;
  const auto buffer = [&](std::size_t i) {
    return i < op.arguments.size()
               ? value(op.arguments[i], Value::Kind::kScalar, "the address of a buffer")
               : Value();
  };
  const unsigned n = open_fifo(op, 0, through_gm);
  Fifo& fifo = fifos_[n];
  fifo.is_handle = true;
  fifo.has_buffer = op.arguments.size() > first;
  const bool both = fifo.directions == 3;
  open_ends(fifo, op, gm, buffer(first), buffer(both ? first + 1 : first));
  Value v;
  v.kind = Value::Kind::kPipe;
  v.pipe = n;
  define(op, std::move(v));
}

FunctionLowering::Fifo& FunctionLowering::fifo_of(const Operation& op) {
  for (const Argument& a : op.arguments) {
    const Value* v = find_value(a.text);
    if (v != nullptr && v->kind == Value::Kind::kPipe) return fifos_[v->pipe];
  }
  const std::int64_t id = number_of(op, "id", 0, diagnostics_);
  for (Fifo& fifo : fifos_)
    if (fifo.id == id && !fifo.is_handle) return fifo;
  diagnostics_.fail(op.place, op.name + ": pipe " + std::to_string(id) +
                                  " has not been initialized on this core");
}

FunctionLowering::FifoEnd& FunctionLowering::end_of(Fifo& fifo, const Operation& op,
                                                    bool produces) {
  const bool to_aiv = produces == (kind_ == CoreKind::kAic);
  FifoEnd& end = to_aiv ? fifo.to_aiv : fifo.to_aic;
  if (!end.open)
    diagnostics_.fail(op.place,
                      op.name + ": the dir_mask of the pipe is " + std::to_string(fifo.directions) +
                          ", which has no way " +
                          (to_aiv ? "from the cube to vector" : "from vector to the cube"));
  fifo.split = number_of(op, "split", 0, diagnostics_);
  const bool fits = fifo.nosplit ? fifo.split == 0 : fifo.split == 1 || fifo.split == 2;
  if (!fits)
    diagnostics_.fail(
        op.place, op.name + ": split " + std::to_string(fifo.split) + ", expected " +
                      (fifo.nosplit ? "0: the pipe is nosplit" : "1 or 2: the pipe is divided"));
  return end;
}

// --- signals ---

Operand FunctionLowering::subblock(Place place) {
  const unsigned rd = new_register(place);
  Instruction& get = emit(Opcode::kGet, place, Pipe::kS);
  get.rd = static_cast<std::uint16_t>(rd);
  get.special = cluster::SpecialValue::kSubblockIndex;
  return cluster::reg(rd);
}

void FunctionLowering::fifo_signal(const Fifo& fifo, bool sets, Pipe pipe, std::int64_t id,
                                   Place place) {
  if (options_.profile != Profile::kA5) {
    Instruction& i = emit(sets ? Opcode::kSetCrossCore : Opcode::kWaitFlagDev, place, pipe);
    i.mode = 2;
    i.id = id;
    return;
  }
  const unsigned count = kind_ == CoreKind::kAic && !fifo.nosplit ? 2 : 1;
  for (unsigned k = 0; k < count; ++k)
    emit(sets ? Opcode::kSetIntraBlock : Opcode::kWaitIntraCore, place, pipe).id = id + k * kAiv1;
}

/// 0 if `count` is a multiple of `period`.
Operand FunctionLowering::within(Operand count, std::int64_t period, Place place) {
  return compute(Opcode::kRem, count, period, place);
}

// --- push and pop ---

void FunctionLowering::push(const Operation& op) {
  Fifo& fifo = fifo_of(op);
  FifoEnd& end = end_of(fifo, op, true);
  if (const Value* v = find_value(op.arguments[0].text); v && v->kind == Value::Kind::kView)
    return push_entry(op, fifo, end);
  const Value source = tile(op.arguments[0]);
  const char* expected = kind_ == CoreKind::kAic ? "acc" : "vec";
  if (source.type.location != expected)
    diagnostics_.fail(op.arguments[0].place, op.name + ": expected a tile in " + expected +
                                                 ", found one in " + source.type.location);
  note_tile(fifo, op, source.type, true);
  const Operand count = cluster::reg(end.count);
  take_part(fifo, op.place, [&] {
    ask_for_slot(fifo, end, op);
    copy_to_slot(fifo, end, op, source, within(count, fifo.slots, op.place));
    fifo_signal(fifo, true, end.writer, end.flag, op.place);
    add_one(end.count, op.place);
  });
}

void FunctionLowering::ask_for_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op) {
  const Operand count = cluster::reg(end.count);
  Operand no_question = within(count, fifo.period, op.place);
  if (options_.profile != Profile::kA5) {
    const Operand early = compute(Opcode::kCompare, count, fifo.slots, op.place);
    program_.code.back().predicate = Predicate::kLess;
    no_question = compute(Opcode::kOr, no_question, early, op.place);
  }
  unless(no_question, op.place,
         [&] { fifo_signal(fifo, false, end.writer, end.flag + 1, op.place); });
}

void FunctionLowering::add_one(unsigned target, Place place) {
  Instruction& add = emit(Opcode::kAdd, place, Pipe::kS);
  add.rd = static_cast<std::uint16_t>(target);
  add.a = cluster::reg(target);
  add.b = 1;
}

void FunctionLowering::pop(const Operation& op) {
  Fifo& fifo = fifo_of(op);
  FifoEnd& end = end_of(fifo, op, false);
  if (!op.result_types.empty() && op.result_types[0].kind == Type::Kind::kTensorView)
    return pop_entry(op, fifo, end);
  Value slot;
  slot.kind = Value::Kind::kSlot;
  slot.pipe = static_cast<unsigned>(&fifo - fifos_.data());
  const std::int64_t ring = fifo.through_gm ? fifo.local_slots : fifo.slots;
  slot.scalar = within(cluster::reg(end.count), ring, op.place);
  const bool by_handle = op.name == "pto.tpop";
  if (by_handle && !op.results.empty()) return define(op, std::move(slot));
  const Type& type = by_handle                 ? tile(op.arguments[0]).type
                     : op.result_types.empty() ? op.types.at(0)
                                               : op.result_types[0];
  Value popped = pop_tile(op, fifo, type, slot.scalar);
  if (!by_handle) return define(op, std::move(popped));
  // The tile that was declared gets its place.
  redefine(op.arguments[0].text, std::move(popped));
}

FunctionLowering::Value FunctionLowering::declared_tile(const Operation& op, const Type& type) {
  if (type.kind != Type::Kind::kTile)
    diagnostics_.fail(op.place, "expected a type !pto.tile_buf of the tile");
  if (type.location != "vec" && type.location != "mat")
    diagnostics_.fail(op.place,
                      op.name + ": expected a tile in vec or mat, found one in " + type.location);
  Value v;
  v.kind = Value::Kind::kTile;
  v.type = type;
  v.sizes = {type.valid_rows == kDynamic ? type.shape[0] : type.valid_rows,
             type.valid_columns == kDynamic ? type.shape[1] : type.valid_columns};
  v.place.name = op.results.empty() ? op.arguments[0].text : op.results[0].name;
  v.place.location = type.location == "vec" ? Location::kUb : Location::kL1;
  v.place.element = element_of(type);
  v.place.full_rows = type.shape[0];
  v.place.row_stride = type.shape[1];
  return v;
}

void FunctionLowering::redefine(const std::string& name, Value value) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto entry = scope->find(name);
    if (entry == scope->end()) continue;
    entry->second = std::move(value);
    return;
  }
}

FunctionLowering::Value FunctionLowering::pop_tile(const Operation& op, Fifo& fifo,
                                                   const Type& type, Operand slot) {
  FifoEnd& end = end_of(fifo, op, false);
  Value v = declared_tile(op, type);
  const char* expected = kind_ == CoreKind::kAic ? "mat" : "vec";
  if (type.location != expected)
    diagnostics_.fail(op.place, op.name + ": expected a tile in " + expected + ", found one in " +
                                    type.location);
  // %t = pto.tpop_from_aic(%rows, %columns) gives the valid sizes that the type leaves open.
  if (op.name.rfind("pto.tpop_from_", 0) == 0 && op.arguments.size() == 2) {
    v.sizes = {scalar(op.arguments[0]), scalar(op.arguments[1])};
    check_valid(op, v);
  }
  note_tile(fifo, op, type, false);
  if (fifo.is_handle && !fifo.has_buffer) {
    v.place.address.add(allot(op, v.place), 1);
  } else {
    v.place.address.add(end.buffer, 1);
    v.place.address.add(slot, fifo.slot_bytes);
  }
  take_part(fifo, op.place, [&] {
    fifo_signal(fifo, false, end.reader, end.flag, op.place);
    if (fifo.through_gm)
      copy_from_slot(fifo, end, op, v);
    else
      touch_slot(end.reader, op, v);
    add_one(end.count, op.place);
  });
  end.popped = std::make_shared<Value>(v);
  return v;
}

void FunctionLowering::free_slot(const Operation& op) {
  Fifo& fifo = fifo_of(op);
  FifoEnd& end = end_of(fifo, op, false);
  take_part(fifo, op.place, [&] {
    if (!fifo.through_gm && end.popped) touch_slot(end.reader, op, *end.popped);
    add_one(end.freed, op.place);
    unless(within(cluster::reg(end.freed), fifo.period, op.place), op.place,
           [&] { fifo_signal(fifo, true, end.reader, end.flag + 1, op.place); });
  });
}

// The producer takes what is left: pushes / period signals come in all, and on A5 those at first.
void FunctionLowering::close_fifos(Place place) {
  for (Fifo& fifo : fifos_) {
    for (FifoEnd* end : {&fifo.to_aiv, &fifo.to_aic}) {
      if (!end->open || !end->produces) continue;
      const Operand count = cluster::reg(end->count);
      const std::int64_t batches = fifo.slots / fifo.period;
      const Operand asked = compute(Opcode::kCeilDiv, count, fifo.period, place);
      const Operand given = compute(Opcode::kDiv, count, fifo.period, place);
      const bool a5 = options_.profile == Profile::kA5;
      Operand left = compute(Opcode::kSub, given, asked, place);
      left = compute(Opcode::kAdd, left, batches, place);
      if (!a5) left = compute(Opcode::kMin, left, given, place);  // none asked before a reuse
      take_part(fifo, place, [&] {
        const unsigned rest = new_register(place);
        set(rest, left, place);
        const std::uint32_t loop = next();
        const Operand done = compute(Opcode::kCompare, cluster::reg(rest), 1, place);
        program_.code.back().predicate = Predicate::kLess;
        unless(done, place, [&] {
          fifo_signal(fifo, false, end->writer, end->flag + 1, place);
          Instruction& less = emit(Opcode::kSub, place, Pipe::kS);
          less.rd = static_cast<std::uint16_t>(rest);
          less.a = cluster::reg(rest);
          less.b = 1;
          emit(Opcode::kJump, place, Pipe::kS).target = loop;
        });
      });
    }
  }
}

}  // namespace tessera::pto
