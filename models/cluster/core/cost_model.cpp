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

/// Whether elements of 16 bits have a rate of their own.
constexpr bool has_half_rate(VectorClass kind) {
  return kind >= VectorClass::kTranscendental && kind <= VectorClass::kRsqrt;
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

CostModel::Shape CostModel::shape_of(const Instruction& i, const Sizes& sizes) {
  Shape shape;
  shape.elements = size_of(sizes[0]);
  shape.bits = bits_of(i.type);
  shape.in_repeat = 256 * 8 / shape.bits;
  // Without rows the elements lie one after the other.
  shape.has_count = sizes[1] > 0;
  shape.rows = shape.has_count && shape.elements > 0 ? size_of(sizes[1]) : 1;
  shape.columns = divide_up(shape.elements, shape.rows);
  shape.in_row = divide_up(shape.columns, shape.in_repeat);
  shape.width = std::max(shape.columns, size_of(sizes[2]));
  shape.is_apart = shape.rows > 1 && shape.columns < shape.width;
  shape.has_tail = shape.columns % shape.in_repeat != 0;
  return shape;
}

// Chunks of a row are combined elementwise; what is left of each row is reduced once.
std::uint64_t CostModel::reduction(const Shape& shape, std::uint64_t percent) const {
  const VectorConfig& v = config_.vectors;
  const std::uint64_t further = shape.in_row - 1;
  std::uint64_t work = shape.rows * percent + further * (shape.rows + v.reduce_chunk) * 100;
  if (shape.has_tail && v.reduce_tail > 0)
    work += (v.reduce_tail + (further > 0 ? shape.rows : 0)) * 100;
  return work;
}

std::uint64_t CostModel::by_rows(VectorClass kind, const Shape& shape,
                                 const VectorRate& rate) const {
  constexpr std::uint64_t kBlockBits = 32 * 8, kBlocksInRepeat = 8, kStrip = 16;
  if (kind == VectorClass::kTranspose)
    return divide_up(shape.columns, kStrip) * rate.row +
           divide_up(shape.elements, shape.in_repeat) * rate.percent;
  if (kind == VectorClass::kMove || kind == VectorClass::kColumnExpand) {
    const bool is_one_burst = kind == VectorClass::kMove && !shape.is_apart;
    const std::uint64_t bursts = is_one_burst ? 1 : shape.rows;
    const std::uint64_t elements = is_one_burst ? shape.elements : shape.columns;
    return bursts * (rate.row +
                     divide_up(elements * shape.bits, kBlockBits) * rate.percent / kBlocksInRepeat);
  }
  // Maximum, minimum and product: what is left of each row behind whole repeats has an instruction of its own.
  const bool is_twice = kind == VectorClass::kColumnExtreme && shape.has_tail && shape.in_row > 1;
  return shape.rows * ((is_twice ? 2 : 1) * rate.row + shape.in_row * rate.percent);
}

// A5: a loop over all repeats, or one for each row that lies apart. The first of those costs as much as one
// row alone; each further one starts anew, or waits for the ports of UB.
std::uint64_t CostModel::by_loops(const Instruction& i, Shape shape, std::uint64_t percent,
                                  std::uint64_t apart) const {
  constexpr std::uint64_t kUnrolled = 2, kInRound = 64;
  if (i.vector_class == VectorClass::kToBytes && shape.is_apart) {
    // The stores of a loop wait for each other; one of two rounds is unrolled. Of one round, and between two and six,
    // nothing is published: assumed.
    const std::uint64_t rounds = divide_up(shape.columns, kInRound);
    return shape.rows * (rounds > kUnrolled ? (rounds + 1) * apart : percent);
  }
  if (i.vector_class == VectorClass::kFromBytes) return shape.rows * shape.in_row * percent;
  if (i.form == VectorForm::kNarrowed && shape.is_apart) {
    // Two loads that divide even and odd elements, two conversions, one store.
    shape.in_row = divide_up(shape.columns, 2 * kInRound);
    percent = apart = percent * 7 / 4;
  }
  if (!shape.is_apart) return divide_up(shape.elements, shape.in_repeat) * percent;
  if (shape.in_row == 1) return shape.rows * percent;
  const std::uint64_t start = (shape.in_row + config_.vectors.apart_row) * 100;
  return shape.in_row * percent + (shape.rows - 1) * std::max(start, shape.in_row * apart);
}

// A2/A3: instructions over repeats. Those of two tiles take a repeat for each row that is narrower than one,
// which does only the elements that are there.
std::uint64_t CostModel::by_repeats(const Instruction& i, const Shape& shape,
                                    std::uint64_t percent) const {
  constexpr std::uint64_t kMostRepeats = 255;
  // Lists that are merged, four at a time: from 78 cycles for 128 pairs (ascend.md 4.1).
  constexpr std::uint64_t kMerge = 1400;
  const VectorClass kind = i.vector_class;
  const bool by_rows = i.form == VectorForm::kByRows || i.form == VectorForm::kColumnMapStrips ||
                       i.form == VectorForm::kRowMapBlocks;
  const bool has_pairs = !by_rows && (kind == VectorClass::kSimple || kind == VectorClass::kDivide);
  std::uint64_t repeats = divide_up(shape.elements, shape.in_repeat);
  // Instructions on two tiles and with a number count the elements of rows that do not end with a repeat. Those on one
  // tile do the last elements of all with a mask.
  const bool is_single = kind == VectorClass::kSingle || i.form == VectorForm::kUnary;
  bool has_mask = repeats > kMostRepeats ||
                  (shape.has_tail && shape.in_row > 1 && i.form != VectorForm::kUnary) ||
                  (is_single && shape.elements % shape.in_repeat != 0);
  if (kind == VectorClass::kSort && shape.has_count) return repeats * percent + shape.rows * kMerge;
  if (has_pairs && shape.width < shape.in_repeat && shape.rows <= kMostRepeats) {
    repeats = shape.rows;
    percent = std::max<std::uint64_t>(100, percent * shape.columns / shape.in_repeat);
    has_mask = true;
  } else if (shape.is_apart || by_rows) {
    repeats = shape.rows * shape.in_row;
    const bool compares = i.form == VectorForm::kByRows && kind == VectorClass::kSimple;
    has_mask = shape.has_tail && !compares;
  }
  const std::uint64_t slower = config_.bank_conflict[static_cast<unsigned>(i.bank_conflict)];
  return repeats * (percent * slower / 100) +
         (has_mask ? std::uint64_t{config_.vectors.mask} * 100 : 0);
}

StepRate CostModel::rate_of(VectorUnit unit, unsigned bits) const {
  using U = VectorUnit;
  const auto n = static_cast<unsigned>(unit);
  if (n < kVectorUnitCount) return config_.steps[n];
  const VectorClass kind = unit == U::kFunction         ? VectorClass::kTranscendental
                           : unit == U::kExponential    ? VectorClass::kExp
                           : unit == U::kDivision       ? VectorClass::kDivide
                           : unit == U::kGatherElements ? VectorClass::kGather
                                                        : VectorClass::kConvert;
  const VectorRate& rate = rate_of(kind);
  const bool is_half = bits == 16 && has_half_rate(kind) && rate.other > 0;
  return {is_half ? rate.other : rate.percent, rate.overhead};
}

std::uint64_t CostModel::by_steps(const Instruction& i, const Shape& shape) const {
  if (!config_.vectors.sequences || i.form == VectorForm::kOne) return 0;
  const bool is_extreme = i.vector_class == VectorClass::kReduceExtreme;
  const VectorShape operand{shape.rows,
                            shape.columns,
                            static_cast<unsigned>(shape.bits),
                            is_extreme,
                            i.vector_class == VectorClass::kDivide,
                            i.vector_class == VectorClass::kExp};
  if (is_function(i.form)) return functions_.cycles(i.form, i.vector_class, operand);
  const VectorSequence sequence = sequence_of(i.form, operand);
  constexpr std::uint64_t kGathered = 64;  // elements to which the rate of a gather applies
  std::uint64_t work = 0;                  // 1/100 cycles
  for (unsigned n = 0; n < sequence.count; ++n) {
    const VectorStep& step = sequence.steps[n];
    const StepRate rate = rate_of(step.unit, operand.bits);
    const std::uint64_t in_turn = step.repeats * rate.percent;
    work += step.waits * rate.overhead * 100 +
            (step.unit == VectorUnit::kGatherElements ? divide_up(in_turn, kGathered) : in_turn);
  }
  return divide_up(work, 100);
}

Cost CostModel::vector(const Instruction& i, const Sizes& sizes) const {
  const Shape shape = shape_of(i, sizes);
  const bool continues = i.fused && config_.vectors.fusion;
  if (shape.elements > 0 && !continues)
    if (const std::uint64_t cycles = by_steps(i, shape); cycles > 0) return {cycles, cycles};
  VectorClass kind = i.vector_class;
  const bool is_column = kind == VectorClass::kColumn || kind == VectorClass::kColumnExtreme;
  if (is_column && shape.rows == 1) kind = VectorClass::kMove;  // a copy of the row
  if (i.form == VectorForm::kRowMapBlocks && kind == VectorClass::kRowMap)
    kind = VectorClass::kSimple;  // nothing is spread first
  const VectorRate& rate = rate_of(kind);
  const bool has_half = has_half_rate(kind);
  const std::uint64_t other = rate.other > 0 ? rate.other : rate.percent;
  const std::uint64_t percent = has_half && shape.bits == 16 ? other : rate.percent;
  std::uint64_t work = 0;  // 1/100 cycles beyond the fixed part
  if (shape.elements == 0)
    work = 0;
  else if (continues)
    work = shape.rows * shape.in_row * (has_half ? percent : config_.vectors.fused_percent);
  else if (kind == VectorClass::kReduce || kind == VectorClass::kReduceExtreme)
    work = reduction(shape, percent);
  else if (rate.row > 0)
    work = by_rows(kind, shape, rate);
  else if (config_.vectors.mask == 0)
    work = by_loops(i, shape, percent, kind <= VectorClass::kToBytes ? other : percent);
  else
    work = by_repeats(i, shape, percent);
  const std::uint64_t cycles = divide_up(work, 100) + (continues ? 0 : rate.overhead);
  return {cycles, cycles};
}

Cost CostModel::fix(const Instruction& i, const Sizes& sizes) const {
  const bool wide = bits_of(i.type) > 16;
  const unsigned ways = wide && i.both ? 2 : 1;  // one for each UB, if nothing is converted (1.4)
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
