#include "models/cluster/hazards/accesses.h"

#include <string>

namespace tessera::cluster {

namespace {

constexpr unsigned kUnits = 3;

void add(Accesses& accesses, unsigned unit, const ResolvedOperand& operand) {
  if (operand.bytes <= 0 || accesses.count == Accesses::kMost) return;
  MemoryAccess& access = accesses.list[accesses.count++];
  access.memory = operand.location == Location::kGm ? gm_memory(operand.array)
                                                    : local_memory(unit, operand.location);
  access.reads = reads(operand.access);
  access.writes = writes(operand.access);
  access.adds = operand.access == Access::kAdd;
  access.extent = extent_of(operand);
}

/// What one AIV gets of a tile that is divided.
ResolvedOperand half_of(ResolvedOperand operand) {
  const unsigned d = operand.holder == Holder::kSplitRows ? 0 : 1;
  const std::int64_t gone = operand.sizes[d] / 2;
  operand.sizes[d] -= gone;
  operand.bytes -= gone * operand.strides[d] * bits_of(operand.element) / 8;
  return operand;
}

}  // namespace

Extent extent_of(const ResolvedOperand& o) {
  Extent e;
  e.first = o.first;
  e.bytes = o.bytes;
  std::int64_t elements = 1;
  for (unsigned d = 0; d < o.dimensions; ++d) elements *= o.sizes[d];
  e.dense = (elements * bits_of(o.element) + 7) / 8 == o.bytes;
  if (o.boxes != nullptr) {
    // Boxes below each other, whose rows follow each other: a line for each column of boxes, if all of its columns are touched.
    const Boxes& b = *o.boxes;
    const bool in_lines = b.column_group == 0 && b.row_group == 0 && b.column == 1 &&
                          b.row == b.columns && b.row_step == b.rows * b.columns;
    if (!in_lines || b.first_column % b.columns != 0 || o.sizes[1] % b.columns != 0) return e;
    e.pitch = b.column_step * bits_of(o.element) / 8;
    e.width = o.sizes[0] * b.columns * bits_of(o.element) / 8;
    return e;
  }
  if (o.dimensions != 2) return e;
  // Lines one element wide and `pitch` apart: rows, or columns.
  const unsigned across = o.strides[1] == 1 ? 0 : 1;
  if (o.strides[1 - across] != 1 || o.strides[across] <= 0) return e;
  e.pitch = o.strides[across] * bits_of(o.element) / 8;
  e.width = (o.sizes[1 - across] * bits_of(o.element) + 7) / 8;
  return e;
}

bool overlap(const Extent& a, const Extent& b) {
  if (a.bytes == 0 || b.bytes == 0) return false;
  if (a.first >= b.first + b.bytes || b.first >= a.first + a.bytes) return false;
  if (a.pitch <= 0 || a.pitch != b.pitch) return true;
  // Both lie in rows of one width: their columns may be apart. The columns of one may wrap around.
  const std::int64_t apart = ((b.first - a.first) % a.pitch + a.pitch) % a.pitch;
  return apart < a.width || a.pitch - apart < b.width;
}

bool covers(const Extent& a, const Extent& b) {
  if (a == b) return true;
  return a.dense && a.first <= b.first && b.first + b.bytes <= a.first + a.bytes;
}

MemoryId local_memory(unsigned unit, Location location) {
  return static_cast<MemoryId>(unit * kLocationCount + static_cast<unsigned>(location));
}
MemoryId gm_memory(std::uint16_t array) {
  return static_cast<MemoryId>(kUnits * kLocationCount + array);
}

bool is_gm(MemoryId memory) {
  return memory >= kUnits * kLocationCount;
}

std::string memory_name(MemoryId memory, const Program& program) {
  constexpr unsigned kFirstArray = kUnits * kLocationCount;
  if (is_gm(memory)) {
    const unsigned array = memory - kFirstArray;
    return array < program.arrays.size() ? "%" + program.arrays[array].name : "GM";
  }
  const unsigned unit = memory / kLocationCount;
  return std::string(to_string(static_cast<Location>(memory % kLocationCount))) + " of " +
         (unit == 0 ? "the AIC" : "AIV" + std::to_string(unit - 1));
}

void accesses_of(const ResolvedOperation& operation, CoreId core, Accesses& accesses) {
  accesses.count = 0;
  for (unsigned i = 0; i < operation.count; ++i) {
    const ResolvedOperand& o = operation.operands[i];
    if (o.holder == Holder::kSplitRows || o.holder == Holder::kSplitColumns)
      for (const unsigned aiv : {1U, 2U}) add(accesses, aiv, half_of(o));
    else if (o.holder == Holder::kSelf)
      add(accesses, core.unit, o);
    else
      add(accesses, static_cast<unsigned>(o.holder) - static_cast<unsigned>(Holder::kAic), o);
  }
}

}  // namespace tessera::cluster
