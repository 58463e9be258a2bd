// What changes in an AI core, for checkpoints. Pointers into the program are saved as numbers: the same program has been
// launched.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "models/cluster/core/ai_core.h"
#include "models/cluster/messages_state.h"

namespace tessera::cluster {

namespace {

/// Operands of an instruction that waits or is under way.
void visit_operands(state::Archive& archive, ResolvedOperation& resolved, const Program& program) {
  archive(resolved.numbers, resolved.integers, resolved.count, resolved.pc);
  if (resolved.count > resolved.operands.size() || resolved.pc >= program.code.size())
    state::Archive::fail("it is of another program");
  for (std::size_t k = 0; k < resolved.count; ++k) {
    ResolvedOperand& o = resolved.operands[k];
    archive(o.access, o.location, o.holder, o.element, o.array, o.dimensions, o.sizes, o.strides,
            o.address, o.first, o.bytes, o.view_size, o.view_sizes);
    if (o.dimensions > o.sizes.size()) state::Archive::fail("an operand has too many dimensions");
    const bool has_boxes = archive.value(o.boxes != nullptr);
    if (archive.saving()) continue;
    o.boxes = nullptr;
    const std::uint32_t number = program.code[resolved.pc].operation;
    if (!has_boxes) continue;
    if (number == 0 || k >= program.operations[number - 1].operands.size())
      state::Archive::fail("it is of another program");
    o.boxes = &program.operations[number - 1].operands[k].boxes;
  }
}

void visit_step(state::Archive& archive, RegisterStep& step, const Program& program) {
  const auto& operations = program.register_operations;
  const auto number =
      archive.value(step.operation == nullptr
                        ? std::uint32_t{0}
                        : 1 + static_cast<std::uint32_t>(step.operation - operations.data()));
  archive(step.address, step.block_stride, step.number, step.integer, step.pc, step.operand);
  if (number > operations.size()) state::Archive::fail("it is of another program");
  if (archive.loading()) step.operation = number == 0 ? nullptr : &operations[number - 1];
}

}  // namespace

void TileOperands::visit(state::Archive& archive) {
  const Program& program = *context_.program;
  resolved_.resize(archive.count(resolved_.size()));
  for (ResolvedOperation& resolved : resolved_) visit_operands(archive, resolved, program);
  archive(free_, vector_registers_);
  const std::size_t traces = archive.count(traces_.size());
  auto next = traces_.begin();
  for (std::size_t i = 0; i < traces; ++i) {
    const auto place = archive.value(archive.saving() ? next->first : std::uint32_t{0});
    RegisterTrace& trace = archive.saving() ? (next++)->second : traces_[place];
    trace.steps.resize(archive.count(trace.steps.size()));
    for (RegisterStep& step : trace.steps) visit_step(archive, step, program);
    archive(trace.ranges);
  }
}

void CoreSync::visit(state::Archive& archive) {
  archive(flags_, flag_fired_, queued_waits_, locks_, lock_fired_, latencies_, effects_, waits_,
          ffts_set_);
}

void OperationOrder::visit(state::Archive& archive) {
  archive.same(inserter_ != nullptr ? 1 : 0, "the number of orders");
  if (inserter_ != nullptr) archive(*inserter_);
  archive(scalar_number_, scalar_since_);
}

void TilePipes::visit(state::Archive& archive) {
  archive(unit_flags_, paths_, function_end_, l1_reads_);
}

void ScalarMemory::visit(state::Archive& archive) {
  archive(cache_, stale_loads_);
}

void ScalarUnit::visit(state::Archive& archive) {
  archive(memory_, pc_, ended_, takes_, word_under_way_, word_asked_, word_);
  if (pc_ > context_.program->code.size()) state::Archive::fail("it is of another program");
}

void AiCore::visit(state::Archive& archive) {
  if (context_.source != nullptr || context_.program == nullptr)
    state::Archive::fail("native code runs on a stack that cannot be saved");
  archive.same(context_.program->code.size(), "the number of instructions");
  const std::size_t registers = context_.registers.size();
  const std::size_t lines = context_.pipes.lines.size();
  // The sync unit and GM may have answered in one cycle.
  received_.sort([](const auto& a, const auto& b) { return a.index() < b.index(); });
  archive(context_.registers, context_.pipes, operands_, order_, sync_, tile_pipes_, scalar_,
          received_, finished_, finished_at_);
  if (context_.registers.size() != registers || context_.pipes.lines.size() != lines)
    state::Archive::fail("it is of another program");
}

}  // namespace tessera::cluster
