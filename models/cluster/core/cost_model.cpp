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
  Cost cost;
  cost.occupied = stream + path.gap;
  cost.ready = stream + path.latency;
  cost.bytes = bytes;
  return cost;
}

}  // namespace

std::uint64_t CostModel::l0c_blocks(const std::array<std::int64_t, 3>& sizes) {
  return divide_up(round_up(size_of(sizes[0]), 16) * round_up(size_of(sizes[1]), 16) * 4, 512);
}

Cost CostModel::mad(const Instruction& i, const std::array<std::int64_t, 3>& sizes) const {
  const std::uint64_t k0 = 256 / bits_of(i.type);  // elements of K in 32 bytes
  const std::uint64_t macs = round_up(size_of(sizes[0]), 16) * round_up(size_of(sizes[1]), 16) *
                             round_up(size_of(sizes[2]), k0);
  const std::uint64_t ideal = divide_up(macs, config_.mac_per_cycle[static_cast<unsigned>(i.type)]);
  Cost cost;
  cost.occupied = ideal + config_.mad_gap;
  cost.ready = ideal + config_.mad_depth;
  return cost;
}

Cost CostModel::vector(const Instruction& i, std::uint64_t elements) const {
  const VectorRate& rate = config_.vector[static_cast<unsigned>(i.vector_class)];
  const std::uint64_t repeats = divide_up(elements * bits_of(i.type), 256 * 8);
  // The rate of exp, ln, sqrt and div is in elements: a repeat of 16-bit elements has twice as many.
  const bool per_element = i.vector_class == VectorClass::kTranscendental && bits_of(i.type) == 16;
  const std::uint64_t percent = std::uint64_t{rate.percent} * (per_element ? 2 : 1) *
                                config_.bank_conflict[static_cast<unsigned>(i.bank_conflict)];
  Cost cost;
  cost.occupied = cost.ready = divide_up(repeats * percent, 10'000) + rate.overhead;
  return cost;
}

Cost CostModel::fix(const Instruction& i, const std::array<std::int64_t, 3>& sizes) const {
  const bool wide = bits_of(i.type) > 16;
  const unsigned ways = wide && i.both ? 2 : 1;  // a UB each; not of what is converted (1.4)
  const unsigned rate = ways * (wide ? config_.fix_wide : config_.fix_narrow);
  const std::uint64_t stream = divide_up(size_of(sizes[0]) * size_of(sizes[1]), rate);
  Cost cost;
  cost.occupied = stream;
  cost.ready = stream + config_.fix_latency;
  cost.bytes = size_of(sizes[0]) * size_of(sizes[1]) * bits_of(i.type) / 8;
  return cost;
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

Cost CostModel::cost(const Instruction& i, const std::array<std::int64_t, 3>& sizes, CoreKind kind,
                     bool aligned) const {
  const std::uint64_t first = size_of(sizes[0]);
  const std::uint64_t second = size_of(sizes[1]);
  const GmPath& gm = kind == CoreKind::kAic ? config_.aic : config_.aiv;
  const unsigned read_hit = i.l2_hit > 0 ? i.l2_hit : gm.read_l2_hit;
  const unsigned write_hit = i.l2_hit > 0 ? i.l2_hit : gm.write_l2_hit;
  switch (i.op) {
  case Opcode::kMad:
    return mad(i, sizes);
  case Opcode::kLoadA:
    return on_chip(first * second, config_.load_a);
  case Opcode::kLoadB:
    return on_chip(first * second, config_.load_b);
  case Opcode::kLoadTable:
    return on_chip(first * second, config_.load_table);
  case Opcode::kL1ToUb:
    return on_chip(first * second, config_.l1_to_ub);
  case Opcode::kUbToL1:
    return on_chip(first * second, config_.ub_to_l1);
  case Opcode::kCopyIn:
    return gm_copy({first, second, aligned}, gm.read, read_hit, gm);
  case Opcode::kCopyOut:
    return gm_copy({first, second, aligned}, gm.write, write_hit, gm);
  case Opcode::kFixOut:
    return gm_copy({first, second * bits_of(i.type) / 8, aligned}, config_.fix_out, write_hit, gm);
  case Opcode::kFixLocal:
    return fix(i, sizes);
  case Opcode::kVector:
    return vector(i, first);
  default: {
    Cost cost;
    cost.occupied = cost.ready = first;
    return cost;
  }
  }
}

}  // namespace tessera::cluster
