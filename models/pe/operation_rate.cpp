#include "models/pe/operation_rate.h"

#include <algorithm>

#include "models/pe/banks.h"

namespace tessera::pe {

namespace {

// wse_timing_2.md B4: a source is the destination, and all elements lie in one bank, which each of
// them needs twice.
bool rewrites_one_bank(const Operation& op) {
  const Cursor& to = op.cursors[0];
  if (to.kind != Cursor::Kind::kMemory) return false;
  const std::int32_t step = to.walk.step(to.bytes);
  if (step == 0 || step % kBankRow != 0) return false;
  return std::any_of(&op.cursors[1], &op.cursors[op.sources] + 1, [&](const Cursor& from) {
    return from.kind == Cursor::Kind::kMemory && from.walk.address() == to.walk.address() &&
           from.walk.step(from.bytes) == step;
  });
}

// Cycles that the operands in memory need for a group of `elements` (wse_timing.md A3).
unsigned cycles_of_strides(const Operation& op, unsigned elements) {
  unsigned cycles = 0;
  for (unsigned i = 0; i <= op.sources; ++i) {
    const Cursor& cursor = op.cursors[i];
    if (cursor.kind != Cursor::Kind::kMemory) continue;
    cycles = std::max(cycles, stride_cycles(cursor.walk.step(cursor.bytes) / 2, elements));
  }
  return cycles;
}

// Bytes of an element in all the operands that are vectors in memory.
unsigned memory_bytes_of(const Operation& op) {
  unsigned bytes = 0;
  for (unsigned i = 0; i <= op.sources; ++i) {
    const Cursor& cursor = op.cursors[i];
    if (cursor.kind == Cursor::Kind::kMemory && cursor.walk.step(cursor.bytes) != 0)
      bytes += cursor.bytes;
  }
  return bytes;
}

// So much of a source is read in a cycle if it is read alone: a port has 64 bits (wse.md 6.2, HC34), and both serve a
// source of 32-bit elements (wse_timing_3.md C9). Nothing is published about those of 16 bits, for which the rule of
// the programming guide stays.
constexpr unsigned read_bytes(unsigned element_bytes) {
  return element_bytes == 4 ? 16 : 8;
}

// The unit of the operation is so slow that a group can read its sources one after the other meanwhile
// (wse_timing_3.md C9: additions of f32).
bool unit_hides_conflicts(const Operation& op, const VectorRate& rate, const PeTiming& timing) {
  const unsigned element = std::max(op.cursors[1].bytes, op.cursors[2].bytes);
  const unsigned at_once = read_bytes(element);
  const unsigned reads = (rate.width * element + at_once - 1) / at_once;
  return rate.interval >= timing.read_conflict_factor * reads;
}

struct Group {
  unsigned width, interval;
};

// The most elements in one or two cycles that memory moves (PeTiming::memory_bytes), in whole wavelets of `least` and
// at most `limit` a group.
Group limited_by_memory(const Operation& op, unsigned bytes_per_cycle, unsigned least,
                        unsigned limit, Group group) {
  const unsigned bytes = memory_bytes_of(op);
  if (bytes_per_cycle == 0 || group.width * bytes <= bytes_per_cycle * group.interval) return group;
  const unsigned in_two = std::max(2 * bytes_per_cycle / bytes, 1U);
  unsigned width = in_two % 2 == 0 ? in_two / 2 : in_two;
  width = std::min(width, std::max(limit, least));
  width = std::max(width - width % least, least);
  return {width, (2 * width + in_two - 1) / in_two};
}

// Elements of the shortest row of its mem4d operands, if groups that end with it differ from others.
std::uint16_t row_of(const Operation& op, const PeTiming& timing) {
  if (timing.groups_cross_rows || op.width == 1 || !op.in_memory()) return 0;
  std::uint16_t row = 0;
  for (unsigned i = 0; i <= op.sources; ++i) {
    const Cursor& cursor = op.cursors[i];
    if (cursor.kind != Cursor::Kind::kMemory || cursor.dsd->dimensions <= 1) continue;
    const std::uint16_t extent = cursor.dsd->extents[0];
    if (extent % op.width != 0 && (row == 0 || extent < row)) row = extent;
  }
  return row;
}

}  // namespace

bool set_rate(Operation& op, const PeTiming& timing) {
  const VectorRate& rate = timing.rate[static_cast<unsigned>(op.op)];
  unsigned least = 1;
  unsigned limit = Cursor::kNoLimit;
  for (unsigned i = 0; i <= op.sources; ++i) {
    least = std::max<unsigned>(least, op.cursors[i].packed);
    limit = std::min<unsigned>(limit, op.cursors[i].most);
  }
  unsigned width = std::max(std::min(rate.width, limit), least);
  width -= width % least;  // whole wavelets
  unsigned interval = (rate.interval * width + rate.width - 1) / rate.width;
  if (limit < width) {  // packed wavelets bring more elements than an operand takes in a cycle
    interval = std::max(interval, (width + limit - 1) / limit);
  }
  if (timing.stride_rule == StrideRule::kSpan)
    interval = std::max(interval, cycles_of_strides(op, width));
  const Group group = limited_by_memory(op, timing.memory_bytes, least, limit, {width, interval});
  width = group.width;
  interval = group.interval;
  const bool rewrites = timing.bank_conflicts && rewrites_one_bank(op);
  if (rewrites) interval = std::max(interval, timing.read_conflict_factor * width);
  op.least = static_cast<std::uint8_t>(least);
  op.width = static_cast<std::uint16_t>(width);
  op.row = row_of(op, timing);
  op.interval = op.duration = interval;
  const bool covered = rewrites || unit_hides_conflicts(op, rate, timing);
  if (!op.accumulates) return covered;
  // Each element waits for the result of the one before (wse.md 6.4).
  const bool is_float = op.decoded->op_class == OpClass::kFloat;
  const unsigned latency = is_float ? timing.float_latency : timing.integer_latency;
  op.interval = std::max(interval, latency * width);
  op.duration = std::max(interval, latency * (width - 1) + 1);
  return covered;
}

}  // namespace tessera::pe
