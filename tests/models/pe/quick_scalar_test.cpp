// Scalar instructions that are executed by what was made for their kind (quick_scalar.h), beside the unit that works out the
// same from the instruction: registers, flag, when they may be used, memory, DSRs and where the program goes on. All
// opcodes, kinds of operands, and addresses of all places.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <vector>

#include "models/pe/scalar_unit.h"
#include "tests/models/pe/builder.h"
#include "tests/models/pe/fake_queues.h"
#include "tests/models/pe/property_random.h"

namespace tessera::pe::test {
namespace {

constexpr std::uint32_t kData = 4096;
constexpr std::uint32_t kUntouched = 30000;  // no page was ever written there

struct Machine {
  explicit Machine(std::shared_ptr<const DecodedImage> program)
      : queues(wakes), pe({1, 2}, std::move(program), queues, {}) {}

  std::set<Cycle> wakes;
  FakeQueues queues;
  EngineState pe;
  ScalarUnit unit;
};

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random(seed) {}

  // An instruction of scalars that `op` may be, or of the DSRs that an image of records() has.
  Instruction instruction(Opcode op) {
    Instruction in;
    in.op = op;
    const OpcodeInfo& row = info(op);
    for (unsigned slot = 0; slot < row.operand_count; ++slot) {
      std::vector<OperandKind> kinds;
      for (const OperandKind kind : {kReg16, kReg32, kImm, kMem, kCode, kDsd})
        if ((row.operands[slot] & kind) != 0) kinds.push_back(kind);
      if (row.op_class == OpClass::kDsr)
        for (const OperandKind kind : {kDest, kSrc0, kSrc1})
          if ((row.operands[slot] & kind) != 0) kinds.push_back(kind);
      if (kinds.empty()) return in;
      in.operands[slot] = operand_of(kinds[random.below(static_cast<unsigned>(kinds.size()))]);
    }
    return in;
  }
  std::uint32_t address() {
    const std::array<std::uint32_t, 6> of = {kData, kData + 250, kUntouched, 100, 0xC000, 0xFE20};
    return of[random.below(6)] + random.below(12);
  }

  Random random;

 private:
  Operand operand_of(OperandKind kind) {
    switch (kind) {
    case kReg16:
      return reg16(random.below(16));
    case kReg32:
      return reg32(2 * random.below(8));
    case kImm:
      return imm(static_cast<std::int32_t>(random.chance(50) ? random.below(20) : random.bits()));
    case kMem:
      return random.chance(60) ? at_address(static_cast<std::int32_t>(address()))
                               : at(random.below(16), random.between(-4, 4));
    case kCode:
      return target(random.below(3));
    case kDsd:
      return operand(kDsd, 0, static_cast<std::int32_t>(random.below(3)));
    default:
      return operand(kind, 1, 0);
    }
  }
};

// Descriptors 0 to 3, a load of the DSR that the instruction may change, and records in memory.
std::shared_ptr<const DecodedImage> image_of(Draw& draw, const Instruction& in,
                                             const PeTiming& timing) {
  Builder builder;
  builder.mem1d(kData, 8, 1, 2);
  builder.fabin(1, 8);
  builder.fabout(2, 3, 8);
  builder.mem4d(kData, {2, 2}, {1, 3}, 2);
  std::vector<std::uint32_t> words;
  for (unsigned i = 0; i < 200; ++i)
    words.push_back(draw.random.chance(70) ? draw.random.below(5) : draw.random.bits() & 0xFFFFU);
  builder.symbol(ElementType::kU16, kData, words);
  Image image = builder.image();
  image.code.resize(3);
  image.code[0].op = Opcode::kLddsr;
  image.code[0].operands[0] = operand(in.operands[0].is_dsr() ? in.operands[0].kind : kDest, 1, 0);
  image.code[0].operands[1] = operand(kDsd, 0, static_cast<std::int32_t>(draw.random.below(3)));
  image.code[1] = in;
  return std::make_shared<const DecodedImage>(std::make_shared<const Image>(std::move(image)),
                                              timing);
}

void set_up(Machine& machine, Draw& draw) {
  EngineState& pe = machine.pe;
  pe.main.start(1, 0, 10);
  for (unsigned r = 0; r < 16; ++r) {
    const std::uint32_t value = draw.random.chance(40)   ? draw.address()
                                : draw.random.chance(20) ? draw.random.below(4)
                                                         : draw.random.bits();
    pe.main.write(reg16(r), value, 10);
  }
  pe.main.write_flag(draw.random.chance(50), 10);
  for (unsigned i = 0; i < 300; i += 2) {  // so that the pages are of this memory
    if (draw.random.chance(90)) pe.sram.write(kData + i, 2, pe.sram.read(kData + i, 2));
  }
  pe.main.issue(10);
  machine.unit.execute(pe, pe.program->decoded(0), 10);
  pe.main.wait_until(20);
  pe.main.issue(20);
}

/// Two machines in one state.
struct Twins {
  Twins(const std::shared_ptr<const DecodedImage>& program, Draw draw)
      : quick(program), other(program) {
    Draw again = draw;
    set_up(quick, draw);
    set_up(other, again);
  }
  Machine quick, other;
};

void expect_equal(Machine& a, Machine& b, const Instruction& in) {
  MainThread& one = a.pe.main;
  MainThread& other = b.pe.main;
  EXPECT_EQ(one.pc(), other.pc());
  EXPECT_EQ(one.flag(), other.flag());
  EXPECT_EQ(one.ready_at(), other.ready_at());
  for (unsigned r = 0; r < 16; ++r) EXPECT_EQ(one.read(reg16(r)), other.read(reg16(r))) << r;
  for (unsigned item = 0; item <= Scoreboard::kDrain; ++item) {
    MainThread left = one, right = other;
    left.wait_for(Scoreboard::bit(item));
    right.wait_for(Scoreboard::bit(item));
    EXPECT_EQ(left.ready_at(), right.ready_at()) << "item " << item;
  }
  std::array<std::byte, kSramBytes> left, right;
  a.pe.sram.read_bytes(0, kSramBytes, left.data());
  b.pe.sram.read_bytes(0, kSramBytes, right.data());
  EXPECT_TRUE(left == right);
  if (!in.operands[0].is_dsr()) return;
  const Dsr& first = a.pe.dsrs[in.operands[0]];
  const Dsr& second = b.pe.dsrs[in.operands[0]];
  EXPECT_EQ(first.dsd, second.dsd);
  EXPECT_EQ(first.config, second.config);
  EXPECT_EQ(first.ready_at, second.ready_at);
  EXPECT_EQ(first.extent, second.extent);
  EXPECT_EQ(first.base, second.base);
  EXPECT_EQ(first.stride, second.stride);
  EXPECT_EQ(first.load, second.load);
}

TEST(PeQuickScalar, DoesWhatTheScalarUnitDoes) {
  PeTiming timing;
  timing.load_latency = 3;
  timing.branch_back = 2;
  std::set<Opcode> executed;
  for (unsigned i = 0; i < 30000; ++i) {
    Draw draw(i);
    const Instruction in = draw.instruction(static_cast<Opcode>(draw.random.below(kOpcodeCount)));
    if (in.operands[0].kind == kNoOperand && in.op != Opcode::kRet) continue;
    const std::shared_ptr<const DecodedImage> program = image_of(draw, in, timing);
    const DecodedInstruction& decoded = program->decoded(1);
    if (decoded.quick == nullptr) continue;
    Twins twins(program, draw);
    Machine& slow = twins.other;
    if (!decoded.quick(twins.quick.pe, decoded, 20)) continue;
    executed.insert(in.op);
    EXPECT_FALSE(slow.unit.execute(slow.pe, slow.pe.program->decoded(1), 20));
    expect_equal(twins.quick, slow, in);
    ASSERT_FALSE(HasFailure()) << info(in.op).mnemonic << ", draw " << i;
  }
  EXPECT_EQ(executed.size(), 43U);
}

// What it does not do itself it leaves as it is.
TEST(PeQuickScalar, LeavesWhatItDoesNotDo) {
  const PeTiming timing;
  unsigned left = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    Draw draw(i);
    const std::array<Opcode, 6> some = {Opcode::kLd16,  Opcode::kSt32,   Opcode::kRet,
                                        Opcode::kLddsr, Opcode::kIncdsa, Opcode::kSetdsa};
    const Instruction in = draw.instruction(some[draw.random.below(6)]);
    const std::shared_ptr<const DecodedImage> program = image_of(draw, in, timing);
    const DecodedInstruction& decoded = program->decoded(1);
    if (decoded.quick == nullptr) continue;
    Twins twins(program, draw);
    if (decoded.quick(twins.quick.pe, decoded, 20)) continue;
    ++left;
    expect_equal(twins.quick, twins.other, in);
    ASSERT_FALSE(HasFailure()) << info(in.op).mnemonic << ", draw " << i;
  }
  EXPECT_GT(left, 500U);
}

}  // namespace
}  // namespace tessera::pe::test
