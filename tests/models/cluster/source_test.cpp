// A core that takes its instructions from a source, and operands whose elements lie in boxes.
#include <gtest/gtest.h>

#include <vector>

#include "models/cluster/memory/memory.h"
#include "tests/models/cluster/bench.h"

namespace tessera::cluster::bench::source_test {

/// Gives a list of instructions to each core, one at a time, each after `native` cycles.
class ListSource final : public InstructionSource {
 public:
  ListSource(std::vector<Instruction> list, Cycle native)
      : list_(std::move(list)), native_(native) {}
  std::shared_ptr<const Program> begin(CoreId) override {
    program_ = std::make_shared<Program>();
    program_->name = program_->file = "native";
    program_->registers = 1;
    program_->code.emplace_back();
    next_ = 0;
    return program_;
  }
  Range next(CoreId, std::vector<std::int64_t>& registers, Cycle now) override {
    asked_at.push_back(now);
    if (next_ == list_.size()) return {0, 1, 0};
    registers[0] = static_cast<std::int64_t>(10 * (next_ + 1));
    program_->code.push_back(list_[next_++]);
    const auto end = static_cast<std::uint32_t>(program_->code.size());
    return {end - 1, end, native_, true};
  }
  std::vector<Cycle> asked_at;

 private:
  std::vector<Instruction> list_;
  const Cycle native_;
  std::shared_ptr<Program> program_;
  std::size_t next_ = 0;
};

Instruction busy(Operand cycles) {
  Instruction i;
  i.op = Opcode::kBusy;
  i.pipe = Pipe::kV;
  i.size[0] = cycles;
  return i;
}

Launch one_aiv() {
  Launch launch;
  launch.ratio = LaunchRatio::k0To1;
  launch.mix = false;
  return launch;
}

TEST(InstructionSource, IsAskedWhenTheScalarUnitIsReadyAndSetsRegisters) {
  ListSource source({busy(reg(0)), busy(reg(0))}, 0);
  Attachments attached;
  attached.source = &source;
  const ClusterConfig config = a2a3_config();
  ClusterCore machine(config, one_aiv(), attached);
  machine.launch(nullptr, nullptr, 0);
  ASSERT_TRUE(machine.run());
  const AiCore& core = machine.core({0, 1});
  EXPECT_TRUE(core.finished());
  EXPECT_EQ(core.stats(Pipe::kV).instructions, 2U);
  EXPECT_EQ(core.stats(Pipe::kV).busy, 30U);  // 10 and 20 cycles: the registers of the moment
  EXPECT_EQ(source.asked_at.size(), 3U);
}

TEST(InstructionSource, NativeCodeTakesItsTimeInFrontOfTheInstruction) {
  std::vector<Cycle> ends;
  for (const Cycle native : {0U, 40U}) {
    ListSource source({busy(5), busy(5)}, native);
    Attachments attached;
    attached.source = &source;
    const ClusterConfig config = a2a3_config();
    ClusterCore machine(config, one_aiv(), attached);
    machine.launch(nullptr, nullptr, 0);
    ASSERT_TRUE(machine.run());
    ends.push_back(source.asked_at.back());
  }
  EXPECT_EQ(ends[1] - ends[0], 80U);
}

TEST(InstructionSource, AnInstructionThatTheCoreDoesNotHaveIsRefused) {
  Instruction wrong = busy(1);
  wrong.pipe = Pipe::kM;
  ListSource source({wrong}, 0);
  Attachments attached;
  attached.source = &source;
  const ClusterConfig config = a2a3_config();
  ClusterCore machine(config, one_aiv(), attached);
  machine.launch(nullptr, nullptr, 0);
  EXPECT_THROW(machine.run(), IllegalBehaviour);
}

/// An operand of 20 x 24 elements of 16 bits whose boxes have 16 x 16 elements, from (first_row, 0) on.
ResolvedOperand boxed(const Boxes& boxes) {
  ResolvedOperand o;
  o.location = Location::kL1;
  o.element = Element::kI16;
  o.dimensions = 2;
  o.sizes = {20, 24};
  o.boxes = &boxes;
  return o;
}

TEST(Boxes, AreReadAndWrittenElementByElementWhereTheyLie) {
  for (const bool inner_columns : {false, true}) {
    Boxes boxes{16, 16, 256, 1024, 16, 1, 4, 0};
    if (inner_columns) std::swap(boxes.row, boxes.column);
    const ResolvedOperand o = boxed(boxes);
    Memory memory;
    TileValues values = TileValues::zeros(Element::kI16, 20, 24);
    for (std::size_t i = 0; i < values.size(); ++i)
      values.integers[i] = static_cast<std::int64_t>(i + 1);
    memory.write(o, values, {0, 1, 0}, false);
    EXPECT_EQ(memory.read(o, 0, false).integers[0], 0);  // not there yet
    EXPECT_EQ(memory.read(o, 1, false).integers, values.integers);
    // Row 13 of the operand is row 17 of the tile, the second one of the second box; column 20 lies in the second one.
    const std::size_t at = 256 + 1024 + (inner_columns ? 1 + 4 * 16 : 16 + 4);
    TileValues one = TileValues::zeros(Element::kI16, 1, 1);
    decode(memory.bytes().data() + 2 * at, 1, one, 0);
    EXPECT_EQ(one.integers[0], 13 * 24 + 20 + 1);
  }
}

}  // namespace tessera::cluster::bench::source_test
