// Random DSD operations on memory against a straight loop (reference wse.md 5.2, 5.8, 5.11, 6.7):
// all vector opcodes, lengths, strides, overlapping operands, scalar operands, register
// destinations, saved addresses, widths.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/models/pe_bench.h"

namespace tessera::pe::test {
namespace {

constexpr std::uint32_t kBase = 4096;    // operands lie in [kBase, kBase + kBytes)
constexpr std::uint32_t kBytes = 1024;   // so that they often overlap
constexpr std::uint32_t kResult = 8192;  // where the program stores a register destination
constexpr unsigned kMaxLength = 40;

/// One operand of the operation under test.
struct Slot {
  bool memory = false;
  unsigned extent = 0;
  unsigned address = 0;
  int stride = 1;
  bool save = false;
  bool in_register = false;  // scalar: a register, not an immediate
  unsigned reg = 0;
  std::uint32_t value = 0;
};

struct Case {
  Opcode op = Opcode::kMov16;
  unsigned sources = 1;
  unsigned bytes = 2;
  bool is_float = false;
  std::array<Slot, kMaxOperands> slots;  // [0] destination
  unsigned length = 1;
  unsigned rounds = 1;  // how often the operation is run
  unsigned width = 1;
  unsigned interval = 1;
};

struct OpRow {
  Opcode op;
  unsigned sources;
};
constexpr OpRow kOps[] = {
    {Opcode::kMov16, 1}, {Opcode::kMov32, 1}, {Opcode::kFmovs, 1}, {Opcode::kAdd16, 2},
    {Opcode::kSub16, 2}, {Opcode::kAnd16, 2}, {Opcode::kOr16, 2},  {Opcode::kXor16, 2},
    {Opcode::kSll16, 2}, {Opcode::kSlr16, 2}, {Opcode::kSar16, 2}, {Opcode::kFadds, 2},
    {Opcode::kFsubs, 2}, {Opcode::kFmuls, 2}, {Opcode::kFmaxs, 2}, {Opcode::kFmacs, 3},
    {Opcode::kFabss, 1}, {Opcode::kFnegs, 1},
};

/// The element functions once more, written from wse.md 6.7 and not from the model.
std::uint32_t element(Opcode op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const float x = float_of(a);
  const float y = float_of(b);
  const auto u = static_cast<std::uint16_t>(a);
  const auto v = static_cast<std::uint16_t>(b);
  const auto s = static_cast<std::int16_t>(a);
  switch (op) {
  case Opcode::kMov32:
  case Opcode::kFmovs:
    return a;
  case Opcode::kFadds:
    return bits_of(x + y);
  case Opcode::kFsubs:
    return bits_of(x - y);
  case Opcode::kFmuls:
    return bits_of(x * y);
  case Opcode::kFmaxs:
    return x > y ? a : b;
  case Opcode::kFmacs: {
    volatile float product = y * float_of(c);
    return bits_of(x + product);
  }
  case Opcode::kFabss:
    return a & 0x7FFFFFFFU;
  case Opcode::kFnegs:
    return a ^ 0x80000000U;
  case Opcode::kMov16:
    return u;
  case Opcode::kAdd16:
    return static_cast<std::uint16_t>(u + v);
  case Opcode::kSub16:
    return static_cast<std::uint16_t>(u - v);
  case Opcode::kAnd16:
    return u & v;
  case Opcode::kOr16:
    return u | v;
  case Opcode::kXor16:
    return u ^ v;
  case Opcode::kSll16:
    return v > 15 ? 0 : static_cast<std::uint16_t>(u << v);
  case Opcode::kSlr16:
    return v > 15 ? 0 : u >> v;
  case Opcode::kSar16:
    return static_cast<std::uint16_t>(s >> std::min<unsigned>(v, 15));
  default:
    ADD_FAILURE() << "no reference for this opcode";
    return 0;
  }
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }

  /// A finite float, or an integer that is small now and then so that shifts stay inside the word.
  std::uint32_t value(bool is_float) {
    if (is_float) return bits_of((static_cast<float>(below(2'000'001)) - 1e6F) / 1024.0F);
    return chance(30) ? below(20) : static_cast<std::uint32_t>(random_());
  }

  Case draw() {
    Case c;
    const OpRow& row = kOps[below(std::size(kOps))];
    c.op = row.op;
    c.sources = row.sources;
    c.bytes = info(c.op).element_bytes;
    c.is_float = info(c.op).is_float;
    c.rounds = 1 + below(2);
    c.width = 1 + below(8);
    c.interval = 1 + below(4);
    draw_kinds(c);
    c.length = length_of(c);
    for (Slot& slot : c.slots) {
      if (slot.memory) place(slot, c);
    }
    return c;
  }

 private:
  void draw_kinds(Case& c) {
    c.slots[0].memory = chance(80);
    bool vector = c.slots[0].memory;
    // The third source of fmacs is always a scalar (wse.md 6.7).
    for (unsigned i = 1; i <= std::min(c.sources, 2U); ++i) {
      c.slots[i].memory = chance(70) || (!vector && i == std::min(c.sources, 2U));
      vector |= c.slots[i].memory;
    }
    for (unsigned i = 0; i <= c.sources; ++i) {
      Slot& slot = c.slots[i];
      slot.extent = chance(20) ? 0 : 1 + below(kMaxLength);
      slot.save = chance(40);
      slot.in_register = i == 0 || chance(60);
      slot.reg = 2 * below(6);  // register destinations and sources often meet
      slot.value = c.bytes == 2 ? value(false) & 0xFFFFU : value(c.is_float);
    }
    // Equal registers hold equal values: the last one written counts.
    for (unsigned i = 0; i <= c.sources; ++i) {
      for (unsigned j = i + 1; j <= c.sources; ++j) {
        if (c.slots[j].reg == c.slots[i].reg) c.slots[i].value = c.slots[j].value;
      }
    }
  }

  /// wse.md 5.8: source 0, source 1, destination, 1.
  static unsigned length_of(const Case& c) {
    for (const unsigned i : {1U, 2U, 3U, 0U}) {
      if (c.slots[i].memory && c.slots[i].extent != 0) return c.slots[i].extent;
    }
    return 1;
  }

  /// An address and a stride with which the operand stays inside its region in every round.
  void place(Slot& slot, const Case& c) {
    const int elements = static_cast<int>(c.length * (slot.save ? c.rounds : 1));
    slot.stride = static_cast<int>(below(7)) - 3;
    const int step = slot.stride * static_cast<int>(c.bytes);
    const int reach = (elements - 1) * step;
    const int lowest = reach < 0 ? -reach : 0;
    const int highest = static_cast<int>(kBytes - c.bytes) - (reach > 0 ? reach : 0);
    // 32-bit integers may begin on any 16-bit word; floats would see halves of two numbers.
    const unsigned unit = c.is_float ? 4 : 2;
    const unsigned first = (static_cast<unsigned>(lowest) + unit - 1) / unit;
    const unsigned last = static_cast<unsigned>(highest) / unit;
    slot.address = kBase + unit * (first + below(last - first + 1));
  }

  std::mt19937_64 random_;
};

Operand operand_of(const Case& c, unsigned i) {
  const Slot& slot = c.slots[i];
  if (slot.memory) return i == 0 ? dest(1) : i == 1 ? src0(2) : src1(3);
  if (slot.in_register) return c.bytes == 2 ? reg16(slot.reg) : reg32(slot.reg);
  return imm(static_cast<std::int32_t>(slot.value));
}

Builder program_of(const Case& c) {
  Builder program;
  program.task("main", 8);
  for (unsigned i = 0; i <= c.sources; ++i) {
    const Slot& slot = c.slots[i];
    if (slot.memory) {
      program.load(operand_of(c, i), program.mem1d(slot.address, slot.extent, slot.stride, c.bytes),
                   slot.save ? save_address() : OpConfig{});
    } else if (slot.in_register) {
      program.emit(Opcode::kMovri, {operand_of(c, i), imm(static_cast<std::int32_t>(slot.value))});
    }
  }
  const auto slot = [&](unsigned i) { return i <= c.sources ? operand_of(c, i) : Operand{}; };
  for (unsigned round = 0; round < c.rounds; ++round) {
    program.emit(c.op, {slot(0), slot(1), slot(2), slot(3)});
  }
  if (!c.slots[0].memory) {
    program.emit(c.bytes == 2 ? Opcode::kSt16 : Opcode::kSt32,
                 {at_address(static_cast<std::int32_t>(kResult)), operand_of(c, 0)});
  }
  program.emit(Opcode::kEnd);
  return program;
}

/// What the operation means: a loop over an array of bytes and sixteen registers.
class Reference {
 public:
  Reference(const Case& c, std::vector<std::uint8_t> memory) : c_(c), memory_(std::move(memory)) {
    for (unsigned i = 0; i <= c.sources; ++i) {
      const Slot& slot = c.slots[i];
      if (!slot.memory && slot.in_register) registers_[slot.reg] = slot.value;
      address_[i] = slot.address;
    }
  }
  void run() {
    for (unsigned round = 0; round < c_.rounds; ++round) {
      std::array<unsigned, kMaxOperands> at = address_;
      const std::array<std::uint32_t, kRegisterCount> before = registers_;
      for (unsigned n = 0; n < c_.length; ++n) one_element(at, before);
      for (unsigned i = 0; i <= c_.sources; ++i) {
        if (c_.slots[i].save) address_[i] = at[i];
      }
    }
  }
  const std::vector<std::uint8_t>& memory() const { return memory_; }
  std::uint32_t result() const { return registers_[c_.slots[0].reg]; }

 private:
  void one_element(std::array<unsigned, kMaxOperands>& at,
                   const std::array<std::uint32_t, kRegisterCount>& before) {
    std::array<std::uint32_t, kMaxOperands> v{};
    for (unsigned i = 1; i <= c_.sources; ++i) {
      const Slot& slot = c_.slots[i];
      if (slot.memory) {
        v[i] = read(at[i]);
      } else if (slot.in_register) {
        // A source that is the destination register is its running value: the only register that
        // changes.
        v[i] = accumulates(slot) ? registers_[slot.reg] : before[slot.reg];
      } else {
        v[i] = slot.value;
      }
    }
    const std::uint32_t result = element(c_.op, v[1], v[2], v[3]);
    if (c_.slots[0].memory) {
      write(at[0], result);
    } else {
      registers_[c_.slots[0].reg] = result;
    }
    for (unsigned i = 0; i <= c_.sources; ++i) {
      at[i] += static_cast<unsigned>(c_.slots[i].stride * static_cast<int>(c_.bytes));
    }
  }
  bool accumulates(const Slot& source) const {
    return !c_.slots[0].memory && source.reg == c_.slots[0].reg;
  }
  std::uint32_t read(unsigned address) const {
    std::uint32_t value = 0;
    for (unsigned b = 0; b < c_.bytes; ++b) {
      value |= static_cast<std::uint32_t>(memory_[address - kBase + b]) << (8 * b);
    }
    return value;
  }
  void write(unsigned address, std::uint32_t value) {
    for (unsigned b = 0; b < c_.bytes; ++b) {
      memory_[address - kBase + b] = static_cast<std::uint8_t>(value >> (8 * b));
    }
  }

  const Case& c_;
  std::vector<std::uint8_t> memory_;
  std::array<unsigned, kMaxOperands> address_{};
  std::array<std::uint32_t, kRegisterCount> registers_{};
};

std::string to_string(const Case& c) {
  std::ostringstream text;
  text << info(c.op).mnemonic << " length " << c.length << " rounds " << c.rounds << " width "
       << c.width << '/' << c.interval;
  for (unsigned i = 0; i <= c.sources; ++i) {
    const Slot& s = c.slots[i];
    text << "; " << (i == 0 ? "dest " : "src ");
    if (s.memory) {
      text << '[' << s.address << "] stride " << s.stride << " extent " << s.extent
           << (s.save ? " save" : "");
    } else {
      text << (s.in_register ? "register " + std::to_string(s.reg) : std::string("immediate"))
           << " = " << s.value;
    }
  }
  return text.str();
}

void load_memory(Bench& bench, const std::vector<std::uint8_t>& memory) {
  for (std::uint32_t i = 0; i < kBytes; i += 2) {
    bench.core.sram().write(kBase + i, 2,
                            memory[i] | static_cast<std::uint32_t>(memory[i + 1]) << 8);
  }
}

std::vector<std::uint8_t> memory_of(const Bench& bench) {
  std::vector<std::uint8_t> memory(kBytes);
  for (std::uint32_t i = 0; i < kBytes; i += 2) {
    const std::uint32_t word = bench.core.sram().read(kBase + i, 2);
    memory[i] = static_cast<std::uint8_t>(word);
    memory[i + 1] = static_cast<std::uint8_t>(word >> 8);
  }
  return memory;
}

/// Every element in exactly one group, no group wider than the rate, groups at least `interval`
/// apart. A register takes its elements one by one, at the same rate of elements (wse.md 6.4).
void check_groups(const Case& c, const Bench& bench) {
  const bool to_register = !c.slots[0].memory;
  const unsigned width = to_register ? 1 : c.width;
  const unsigned interval = to_register ? (c.interval + c.width - 1) / c.width : c.interval;
  unsigned elements = 0;
  Cycle last = 0;
  for (const observe::Event& e : bench.all(EventKind::kCompute)) {
    ASSERT_LE(e.b, width);
    const bool first_of_round = elements % c.length == 0;
    ASSERT_TRUE(first_of_round || e.cycle >= last + interval);
    last = e.cycle;
    elements += e.b;
  }
  ASSERT_EQ(elements, c.length * c.rounds);
}

void check(const Case& c, Generator& generator) {
  std::vector<std::uint8_t> memory(kBytes);
  for (std::uint32_t i = 0; i < kBytes; i += 4) {
    const std::uint32_t value = generator.value(c.is_float);
    for (unsigned b = 0; b < 4; ++b) memory[i + b] = static_cast<std::uint8_t>(value >> (8 * b));
  }
  PeTiming timing;
  timing.rate[static_cast<unsigned>(c.op)] = {c.width, c.interval};
  Bench bench(program_of(c).image(), timing);
  load_memory(bench, memory);
  Reference reference(c, memory);
  bench.run();
  reference.run();
  ASSERT_EQ(bench.cycles(EventKind::kTaskEnd).size(), 1u) << to_string(c);
  ASSERT_EQ(memory_of(bench), reference.memory()) << to_string(c);
  if (!c.slots[0].memory) {
    ASSERT_EQ(bench.core.sram().read(kResult, c.bytes), reference.result()) << to_string(c);
  }
  ASSERT_NO_FATAL_FAILURE(check_groups(c, bench)) << to_string(c);
}

TEST(PeVectorProperty, TenThousandRandomOperationsAgreeWithALoop) {
  Generator generator(20240602);
  std::array<unsigned, kOpcodeCount> seen{};
  for (int i = 0; i < 10'000; ++i) {
    const Case c = generator.draw();
    ++seen[static_cast<unsigned>(c.op)];
    check(c, generator);
    if (HasFatalFailure()) FAIL() << "case " << i << ": " << to_string(c);
  }
  for (const OpRow& row : kOps) EXPECT_GT(seen[static_cast<unsigned>(row.op)], 300u);
}

TEST(PeVectorProperty, EveryVectorOpcodeIsDrawn) {
  // An opcode that learns to take DSRs must be added to the table above.
  for (unsigned i = 0; i < kOpcodeCount; ++i) {
    const auto op = static_cast<Opcode>(i);
    const bool drawn = std::any_of(std::begin(kOps), std::end(kOps),
                                   [op](const OpRow& row) { return row.op == op; });
    EXPECT_EQ(drawn, info(op).vector) << info(op).mnemonic;
  }
}

}  // namespace
}  // namespace tessera::pe::test
