#include "models/cluster/core/cost_model.h"

#include <algorithm>

#include "tlm_ifaces/transfer/transfer.h"

namespace tessera::cluster {

namespace {

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}
constexpr std::uint64_t round_up(std::uint64_t a, std::uint64_t b) {
  return divide_up(a, b) * b;
}
std::uint64_t size_of(std::int64_t size) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0));
}

Cost on_chip(std::uint64_t bytes, const PathRate& path) {
  const std::uint64_t stream = divide_up(bytes, path.bytes_per_cycle);
  return {stream + path.gap, stream + path.latency, bytes};
}

}  // namespace

std::uint64_t CostModel::l0c_blocks(const Sizes& sizes) {
  return divide_up(round_up(size_of(sizes[0]), 16) * round_up(size_of(sizes[1]), 16) * 4, 512);
}

Cost CostModel::mad(const Instruction& i, const Sizes& sizes) const {
  const std::uint64_t k0 = 256 / bits_of(i.type);  // elements of K in 32 bytes
  const std::uint64_t macs = round_up(size_of(sizes[0]), 16) * round_up(size_of(sizes[1]), 16) *
                             round_up(size_of(sizes[2]), k0);
  const std::uint64_t ideal = divide_up(macs, config_.mac_per_cycle[static_cast<unsigned>(i.type)]);
  Cost cost;
  cost.occupied = ideal + config_.mad_gap;
  cost.ready = ideal + config_.mad_depth;
  cost.multiply_adds = size_of(sizes[0]) * size_of(sizes[1]) * size_of(sizes[2]);
  return cost;
}

// The algorithms of the instruction set (4.1): a reduction of rows combines the repeats of a row one by
// one and reduces the last; a reduction of columns and an expansion of rows take the rows in turn.
std::uint64_t CostModel::vector_work(const Instruction& i, const VectorRate& rate,
                                     std::uint64_t elements, std::uint64_t rows,
                                     bool strided) const {
  const auto repeats_of = [&i](std::uint64_t count) {
    return divide_up(count * bits_of(i.type), 256 * 8);
  };
  // The rate of exp, ln, sqrt and div is in elements: a repeat of 16-bit elements has twice as many.
  const bool per_element = i.vector_class == VectorClass::kTranscendental && bits_of(i.type) == 16;
  const std::uint64_t percent = std::uint64_t{rate.percent} * (per_element ? 2 : 1) *
                                config_.bank_conflict[static_cast<unsigned>(i.bank_conflict)] / 100;
  if (rows == 0 || elements == 0) return repeats_of(elements) * percent;
  const std::uint64_t in_row = repeats_of(divide_up(elements, rows));
  if (i.vector_class == VectorClass::kReduce) {
    const std::uint64_t simple =
        config_.vector[static_cast<unsigned>(VectorClass::kSimple)].percent;
    return rows * percent +
           (in_row - 1) * (rows * simple + std::uint64_t{config_.reduce_chunk} * 100);
  }
  if (rate.row > 0) return rows * (rate.row + in_row * percent);
  if (strided)
    return rows * (config_.strided.row + in_row * percent * config_.strided.percent / 100);
  return repeats_of(elements) * percent;
}

Cost CostModel::vector(const Instruction& i, const Sizes& sizes) const {
  const VectorRate& rate = config_.vector[static_cast<unsigned>(i.vector_class)];
  const std::uint64_t elements = size_of(sizes[0]), rows = size_of(sizes[1]);
  const bool strided = config_.strided.row > 0 && rows > 1 && elements / rows < size_of(sizes[2]) &&
                       i.vector_class != VectorClass::kReduce;
  const std::uint64_t cycles = divide_up(vector_work(i, rate, elements, rows, strided), 100) +
                               rate.overhead -
                               (strided ? std::min(rate.overhead, config_.strided.saved) : 0);
  return {cycles, cycles};
}

Cost CostModel::fix(const Instruction& i, const Sizes& sizes) const {
  const bool wide = bits_of(i.type) > 16;
  const unsigned ways = wide && i.both ? 2 : 1;  // a UB each; not of what is converted (1.4)
  const unsigned rate = ways * (wide ? config_.fix_wide : config_.fix_narrow);
  const std::uint64_t elements = size_of(sizes[0]) * size_of(sizes[1]);
  const std::uint64_t stream = divide_up(elements, rate);
  return {stream, stream + config_.fix_latency, elements * bits_of(i.type) / 8};
}

Cost CostModel::gm_copy(const Rows& rows, PathRate path, unsigned l2_hit, const GmPath& gm) const {
  Cost cost;
  cost.is_transfer = true;
  cost.bytes = rows.count * rows.bytes;
  cost.occupied = gm.interval;
  cost.ready = path.latency;
  cost.gap = path.gap;
  const std::uint64_t overhead =
      rows.count * (gm.row_overhead + (rows.aligned ? 0 : gm.unaligned_overhead));
  const std::uint64_t all_from_gm = cost.bytes * gm.weight / 1000 + overhead;
  cost.hit_bytes = cost.bytes * l2_hit / 1000;
  cost.gm_bytes_cold = all_from_gm;
  cost.gm_bytes = all_from_gm * (1000 - l2_hit) / 1000;
  const std::uint64_t row_time = std::max<std::uint64_t>(rows.count * gm.row_percent, 1);
  cost.rate_limit =
      std::max<std::uint64_t>(1, std::min(path.bytes_per_cycle * transfer::kRateUnit,
                                          cost.bytes * 100 * transfer::kRateUnit / row_time));
  return cost;
}

Cost CostModel::cost(const Instruction& i, const Sizes& sizes, CoreKind kind, bool aligned) const {
  const std::uint64_t first = size_of(sizes[0]);
  const std::uint64_t second = size_of(sizes[1]);
  const GmPath& gm = kind == CoreKind::kAic ? config_.aic : config_.aiv;
  const unsigned read_hit = i.l2_hit > 0 ? i.l2_hit : gm.read_l2_hit;
  const unsigned write_hit = i.l2_hit > 0 ? i.l2_hit : gm.write_l2_hit;
  if (i.op >= Opcode::kLoadA && i.op <= Opcode::kUbToL1) {
    const std::array<const PathRate*, 5> paths = {&config_.load_a, &config_.load_b,
                                                  &config_.load_table, &config_.l1_to_ub,
                                                  &config_.ub_to_l1};
    const auto path = static_cast<unsigned>(i.op) - static_cast<unsigned>(Opcode::kLoadA);
    return on_chip(first * second, *paths[path]);
  }
  if (i.op == Opcode::kMad) return mad(i, sizes);
  if (i.op == Opcode::kFixLocal) return fix(i, sizes);
  if (i.op == Opcode::kVector) return vector(i, sizes);
  if (i.op == Opcode::kCopyIn) return gm_copy({first, second, aligned}, gm.read, read_hit, gm);
  if (i.op == Opcode::kCopyOut) return gm_copy({first, second, aligned}, gm.write, write_hit, gm);
  if (i.op == Opcode::kFixOut)
    return gm_copy({first, second * bits_of(i.type) / 8, aligned}, config_.fix_out, write_hit, gm);
  return {first, first};
}

}  // namespace tessera::cluster
