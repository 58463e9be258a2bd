#include "models/cluster/core/tile_operands.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/cluster/program/legality.h"

namespace tessera::cluster {

namespace {

/// Each array has 1 TB of addresses: its offsets have this number of bits.
constexpr unsigned kArrayBits = 40;

struct Run {
  std::int64_t size, stride;  // in elements
};

}  // namespace

std::uint64_t array_base(const std::string& name) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return (hash >> kArrayBits) << kArrayBits;
}

transfer::Place place_of(const ResolvedOperand& operand, std::uint64_t array_base) {
  std::array<Run, kMostDimensions> runs{};
  std::size_t count = 0;
  for (unsigned d = 0; d < operand.dimensions; ++d) {
    if (operand.sizes[d] <= 0 || operand.strides[d] <= 0 || operand.first < 0) return {};
    if (operand.sizes[d] > 1) runs[count++] = {operand.sizes[d], operand.strides[d]};
  }
  // At most five: by stride, the smallest first.
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t k = i; k > 0 && runs[k].stride < runs[k - 1].stride; --k)
      std::swap(runs[k], runs[k - 1]);
  std::int64_t elements = 1;  // one after the other
  std::size_t next = 0;
  for (; next < count && runs[next].stride == elements; ++next) elements *= runs[next].size;
  if (next + 1 < count) return {};
  transfer::Place place;
  const std::int64_t bits = bits_of(operand.element);
  place.first = array_base + static_cast<std::uint64_t>(operand.first);
  place.row_bytes = static_cast<std::uint32_t>((elements * bits + 7) / 8);
  place.rows = next < count ? static_cast<std::uint32_t>(runs[next].size) : 1;
  place.stride = next < count ? static_cast<std::uint64_t>(runs[next].stride * bits / 8) : 0;
  return place;
}

bool is_aligned(const transfer::Place& place) {
  constexpr std::uint64_t kBlockBytes = 32;
  return place.rows == 0 || ((place.first | place.stride) % kBlockBytes == 0);
}

void TileOperands::launch() {
  array_bases_.clear();
  vector_registers_.assign(context_.program->vector_registers, {});
  for (const GmArray& array : context_.program->arrays)
    array_bases_.push_back(array_base(array.name));
}

const ResolvedOperation* TileOperands::resolve(std::uint32_t pc, bool wanted, QueueEntry& entry) {
  const Instruction& i = context_.code(pc);
  if (i.operation == 0) return nullptr;
  const bool uses_gm =
      i.op == Opcode::kCopyIn || i.op == Opcode::kCopyOut || i.op == Opcode::kFixOut;
  const bool follows_l2 = uses_gm && context_.config.core.cost.l2_bytes > 0;
  const TileOperation& operation = context_.operation(i);
  const ResolvedOperation* resolved = &last_;
  if (context_.data != nullptr) {
    ResolvedOperation& target = context_.data->has_tiles() ? keep(entry) : last_;
    cluster::resolve(operation, context_.registers, target);
    target.pc = pc;
    check(operation, target);
    resolved = &target;
  } else if (wanted || follows_l2) {
    cluster::resolve(operation, context_.registers, last_);
  } else {
    return nullptr;
  }
  for (std::size_t k = 0; follows_l2 && k < resolved->count; ++k) {
    const ResolvedOperand& operand = resolved->operands[k];
    if (operand.location == Location::kGm)
      entry.place = place_of(operand, array_bases_[operand.array]);
  }
  return resolved;
}

ResolvedOperation& TileOperands::keep(QueueEntry& entry) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(resolved_.size()));
    resolved_.emplace_back();
  }
  entry.resolved = free_.back();
  free_.pop_back();
  return resolved_[entry.resolved];
}

void TileOperands::check(const TileOperation& operation, const ResolvedOperation& resolved) const {
  // A tile that is too large often does not fit its array either: the tile is the mistake.
  for (const bool in_gm : {false, true})
    for (std::size_t k = 0; k < operation.operands.size(); ++k) {
      const ResolvedOperand& operand = resolved.operands[k];
      if ((operand.location == Location::kGm) != in_gm) continue;
      const std::string fault =
          context_.data->find_fault(operation.operands[k], operand, context_.core);
      if (!fault.empty()) context_.illegal(resolved.pc, fault, kAccessId);
    }
  const std::string unaligned = ClusterData::find_unaligned(operation, resolved);
  if (!unaligned.empty()) context_.illegal(resolved.pc, unaligned, kAccessId);
  const std::string unmodelled = context_.data->find_unmodelled(operation);
  if (!unmodelled.empty()) context_.illegal(resolved.pc, unmodelled, kNoValuesId);
  const std::string misfit = context_.data->find_misfit(operation, resolved);
  if (!misfit.empty()) context_.illegal(resolved.pc, misfit, kAccessId);
}

TileValues TileOperands::compute(const QueueEntry& entry, Cycle now) const {
  const Instruction& i = context_.code(entry.pc);
  const TileOperation& operation = context_.operation(i);
  if (operation.function == TileFunction::kNone ||
      operation.function == TileFunction::kVectorFunction)
    return {};
  // Under the unit flag FIX reads each block after M, and M adds to what its MADs before are about to
  // write if a MAD is large enough for the cube to resolve that.
  const bool behind =
      i.unit_flag != 0 || (i.op == Opcode::kMad && CostModel::resolves_sums(entry.sizes));
  try {
    return context_.data->start(operation, resolved_[entry.resolved], context_.core, now, behind);
  } catch (const std::out_of_range& e) {  // an index among the values
    context_.illegal(entry.pc, e.what(), kAccessId);
  } catch (const std::length_error& e) {  // a length in a register
    context_.illegal(entry.pc, e.what(), kSizeId);
  }
}

// The body works on a copy of the bytes between the first and the last that it accesses, and what it has changed
// is written when the function is complete.
void TileOperands::run_function(const QueueEntry& entry, Cycle now, Cycle due) {
  const RegisterTrace trace = std::move(traces_[entry.resolved]);
  std::int64_t first = 0, end = 0;
  for (const RegisterTrace::Range& range : trace.ranges) {
    if (range.first == range.end) continue;
    first = first == end ? range.first : std::min(first, range.first);
    end = std::max(end, range.end);
  }
  ResolvedOperand bytes;
  bytes.element = Element::kU8;
  bytes.dimensions = 2;
  bytes.strides = {1, 1};
  const auto read = [&](std::int64_t from, std::int64_t count) {
    bytes.sizes = {1, count};
    bytes.address = bytes.first = from;
    bytes.bytes = count;
  };
  read(first, end - first);
  std::vector<std::byte> before(static_cast<std::size_t>(end - first));
  encode(context_.data->read_buffer(bytes, context_.core, now), 0, before.size(), before.data());
  RegisterValues values(first, std::move(before));
  // Programs of native code grow.
  if (vector_registers_.size() < context_.program->vector_registers)
    vector_registers_.resize(context_.program->vector_registers);
  for (const RegisterStep& step : trace.steps) {
    try {
      values.execute(step, vector_registers_);
    } catch (const std::out_of_range& e) {
      context_.illegal(step.pc, e.what(), kAccessId);
    } catch (const std::domain_error& e) {
      context_.illegal(step.pc, e.what(), kNoValuesId);
    } catch (const std::length_error& e) {
      context_.illegal(step.pc, e.what(), kAccessId);
    }
  }
  for (std::size_t i = 0, n = values.bytes().size(); i < n; ++i) {
    if (!values.is_changed(i)) continue;
    std::size_t last = i;
    while (last < n && values.is_changed(last)) ++last;
    read(first + static_cast<std::int64_t>(i), static_cast<std::int64_t>(last - i));
    TileValues changed = TileValues::zeros(Element::kU8, 1, last - i);
    decode(values.bytes().data() + i, last - i, changed, 0);
    context_.data->write_buffer(bytes, context_.core, std::move(changed), now, due);
    i = last;
  }
}

void TileOperands::write(Pipe pipe, const QueueEntry& entry, TileValues result, Cycle now,
                         Cycle due) {
  const TileOperation& operation = context_.operation(context_.code(entry.pc));
  if (operation.function == TileFunction::kVectorFunction)
    run_function(entry, now, due);
  else if (operation.function != TileFunction::kNone)
    context_.data->finish(operation, resolved_[entry.resolved], context_.core, pipe,
                          std::move(result), now, due);
  free_.push_back(entry.resolved);
}

}  // namespace tessera::cluster
