#include "models/cluster/memory/cluster_data.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "models/cluster/memory/padding.h"
#include "models/cluster/program/operand_rules.h"
#include "models/cluster/values/tile_functions.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {

namespace {

// Elements of a part of a tensor at most.
constexpr std::int64_t kMostElements = std::int64_t{1} << 24;
// Arrays that nobody binds, together: a wrong size would take the memory of the computer.
constexpr std::int64_t kMostHeldBytes = std::int64_t{1} << 32;

std::int64_t elements_of(const ResolvedOperand& o) {
  std::int64_t count = 1;
  for (unsigned d = 0; d < o.dimensions; ++d)
    count = std::min(kMostElements + 1,
                     count * std::clamp<std::int64_t>(o.sizes[d], 0, kMostElements + 1));
  return count;
}

/// Splits the values of FIX between both AIVs.
TileValues half_of(const TileValues& values, bool by_rows, bool second) {
  const std::size_t rows = by_rows ? values.rows / 2 : values.rows;
  const std::size_t columns = by_rows ? values.columns : values.columns / 2;
  const std::size_t top = by_rows && second ? rows : 0, left = !by_rows && second ? columns : 0;
  return part_of(values, top, left, rows, columns);
}

/// Whether its addresses are far from what 64 bits hold.
bool has_addresses(const ResolvedOperand& o) {
  const auto reaches = [](std::int64_t stride, std::int64_t steps) {
    const std::int64_t most = kMostArrayBytes / std::max<std::int64_t>(steps, 1);
    return steps <= 0 || (stride >= -most && stride <= most);
  };
  for (unsigned d = 0; d < o.dimensions; ++d)
    if (!reaches(o.strides[d], o.sizes[d] - 1)) return false;
  return reaches(o.address, 1);
}

/// "16 x 8".
std::string size_text(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

/// The bytes of a part of an array, if rows of one width have them all.
std::optional<Extent> exact_extent(ResolvedOperand o) {
  unsigned kept = 0;
  for (unsigned d = 0; d < o.dimensions; ++d) {
    if (o.sizes[d] == 1) continue;
    o.sizes[kept] = o.sizes[d];
    o.strides[kept++] = o.strides[d];
  }
  if (kept == 0) {
    o.sizes[0] = o.strides[0] = 1;
    kept = 1;
  }
  o.dimensions = static_cast<std::uint8_t>(kept);
  const Extent extent = extent_of(o);
  if (extent.dense || extent.pitch > 0) return extent;
  return std::nullopt;
}

/// Ranks writes of one cycle.
std::uint32_t order_of(CoreId core, Pipe pipe) {
  return static_cast<std::uint32_t>(core.index() * sync::kPipeCount + sync::index(pipe));
}

CoreId holder_of(Holder holder, CoreId core) {
  if (holder == Holder::kAic) return {core.cluster, 0};
  if (holder == Holder::kAiv0) return {core.cluster, 1};
  if (holder == Holder::kAiv1) return {core.cluster, 2};
  return core;
}

}  // namespace

ClusterData::ClusterData(Profile profile, const Launch& launch, std::vector<GmArray> arrays,
                         Contents contents)
    : contents_(contents), capacities_(capacities_of(profile)), launch_(launch),
      arrays_(std::move(arrays)), gm_(arrays_.size()),
      buffers_(std::size_t{launch.clusters} * 3 * kLocationCount) {}

void ClusterData::bind(std::size_t array, std::vector<std::byte> bytes) {
  Array& a = gm_[array];
  a.is_bound = true;
  a.size = static_cast<std::int64_t>(bytes.size());
  a.memory.set_bytes(std::move(bytes));
}

void ClusterData::resize(std::size_t array, std::size_t bytes) {
  gm_[array] = Array();
  gm_[array].is_bound = bytes > 0;
  gm_[array].size = static_cast<std::int64_t>(bytes);
}

void ClusterData::reset(Cycle now, bool keep_arrays) {
  for (Array& a : gm_) {
    Array fresh;
    if (keep_arrays) {
      a.memory.bytes_at(now, static_cast<std::size_t>(a.size));
      fresh.memory.set_bytes(a.memory.bytes());
      fresh.is_bound = a.is_bound;
      fresh.size = a.size;
      fresh.shape = a.shape;
    }
    a = std::move(fresh);
  }
  std::fill(buffers_.begin(), buffers_.end(), Memory());
  held_ = HeldLines();
  printed_.clear();
  has_guessed_ = false;
}

std::vector<std::byte> ClusterData::contents(std::size_t array) {
  Array& a = gm_[array];
  a.memory.settle();
  std::vector<std::byte> bytes = a.memory.bytes();
  bytes.resize(static_cast<std::size_t>(a.size));
  return bytes;
}

std::vector<std::size_t> ClusterData::shape(std::size_t array) const {
  const Array& a = gm_[array];
  const std::size_t elements =
      static_cast<std::size_t>(a.size) * 8 / bits_of(arrays_[array].element);
  std::size_t count = 1;
  for (const std::size_t size : a.shape) count *= size;
  if (a.shape.empty() || count != elements) return {elements};
  return a.shape;
}

void ClusterData::check_arrays(const Program& program) const {
  if (program.arrays.size() > arrays_.size())
    throw std::logic_error(program.name + " has arrays that its machine does not have");
}

Memory& ClusterData::memory(const ResolvedOperand& operand, CoreId core) {
  if (operand.location == Location::kGm) return gm_[operand.array].memory;
  const CoreId holder = holder_of(operand.holder, core);
  return buffers_[holder.index() * kLocationCount + static_cast<unsigned>(operand.location)];
}

std::vector<std::byte> ClusterData::buffer_at(CoreId core, Location location, std::uint32_t first,
                                              std::uint32_t count, Cycle now) {
  const auto number = static_cast<unsigned>(location);
  if (first >= capacities_[number]) return {};
  const std::uint32_t end = first + std::min(count, capacities_[number] - first);
  const std::byte* const bytes =
      buffers_[core.index() * kLocationCount + number].bytes_at(now, end);
  return {bytes + first, bytes + end};
}

bool ClusterData::set_buffer(CoreId core, Location location, std::uint32_t first,
                             const std::vector<std::byte>& bytes, Cycle now) {
  const auto number = static_cast<unsigned>(location);
  const std::uint32_t capacity = capacities_[number];
  if (first > capacity || bytes.size() > capacity - first) return false;
  std::byte* const there =
      buffers_[core.index() * kLocationCount + number].bytes_at(now, first + bytes.size());
  std::copy(bytes.begin(), bytes.end(), there + first);
  return true;
}

void ClusterData::note_view(Array& array, const ResolvedOperand& o) {
  if (o.view_size < array.size) return;
  std::array<std::size_t, kMostDimensions> sizes{};
  for (unsigned d = 0; d < o.dimensions; ++d)
    sizes[d] = static_cast<std::size_t>(std::max<std::int64_t>(o.view_sizes[d], 0));
  const auto end = sizes.begin() + o.dimensions;
  // If several tensors have this size, the lexicographically first shape counts, in whatever order
  // they come.
  if (o.view_size == array.size &&
      !std::lexicographical_compare(sizes.begin(), end, array.shape.begin(), array.shape.end()))
    return;
  array.size = o.view_size;
  array.shape.assign(sizes.begin(), end);
  std::int64_t held = 0;
  for (const Array& a : gm_) held += a.is_bound ? 0 : a.size;
  if (!has_tiles() || held <= kMostHeldBytes) return;
  throw IllegalBehaviour("with " + std::to_string(o.view_size) + " bytes of the array " +
                             arrays_[o.array].name + ", arrays that no input gives have " +
                             std::to_string(held) + " together; a run with values holds up to " +
                             std::to_string(kMostHeldBytes) +
                             " of them: give their contents with --input, or run with --no-data",
                         "/tessera/cluster/held_arrays");
}

std::string ClusterData::find_fault(const TileOperand& operand, const ResolvedOperand& o,
                                    CoreId core) {
  if (has_tiles() && !has_values(o.element))
    return operand.name + " has elements of " + to_string(o.element) +
           ", which have no values in this model; run without data";
  if (elements_of(o) == 0) return "";
  if (elements_of(o) > kMostElements)
    return operand.name + " has more than " + std::to_string(kMostElements) + " elements";
  if (!has_addresses(o))
    return operand.name + " reaches farther than " + std::to_string(kMostArrayBytes) + " bytes";
  const auto bytes = [&o] {
    return "bytes " + std::to_string(o.first) + " to " + std::to_string(o.first + o.bytes - 1);
  };
  if (o.location != Location::kGm) {
    const std::int64_t room = capacities_[static_cast<unsigned>(o.location)];
    const bool split = o.holder == Holder::kSplitRows || o.holder == Holder::kSplitColumns;
    const CoreId holder = split ? CoreId{core.cluster, 2} : holder_of(o.holder, core);
    if (has_tiles() && !launch_.has(holder))  // without values it makes no difference
      return operand.name + " lies in " + to_string(o.location) + " of " + to_string(holder) +
             ", which is not part of the launch";
    const bool knows_size = !split && operand.full_rows > 0 && operand.row_stride > 0;
    std::int64_t rows = operand.full_rows, columns = operand.row_stride;
    if (operand.by_columns) std::swap(rows, columns);
    if (knows_size && (o.sizes[0] > rows || o.sizes[1] > columns))
      return operand.name + " has " + size_text(rows, columns) + " elements, of them " +
             size_text(o.sizes[0], o.sizes[1]) + " valid";
    if (o.first >= 0 && o.first + o.bytes <= room) return "";
    return operand.name + " takes " + bytes() + ", " + to_string(o.location) + " has " +
           std::to_string(room);
  }
  Array& array = gm_[o.array];
  if (o.view_size < 0 || o.view_size > kMostArrayBytes)
    return "the array " + arrays_[o.array].name + " would have " + std::to_string(o.view_size) +
           " bytes";
  if (!array.is_bound) note_view(array, o);
  const std::int64_t size = array.is_bound ? array.size : o.view_size;
  if (o.first >= 0 && o.first + o.bytes <= size) {
    note_access(array, o, core);
    return "";
  }
  return "the array " + arrays_[o.array].name + " has " + std::to_string(size) +
         " bytes, the part takes " + bytes();
}

void ClusterData::note_access(Array& array, const ResolvedOperand& o, CoreId core) {
  array.is_read |= o.access == Access::kRead;
  if (!writes(o.access)) return;
  array.is_written = true;
  array.written.add(o, launch_.block_of(core), reads(o.access));
}

std::vector<std::string> ClusterData::describe_division() const {
  std::vector<std::string> sentences;
  const std::string writer = launch_.is_block_an_aiv() ? "block" : "cluster";
  for (std::size_t a = 0; a < gm_.size(); ++a) {
    const Array& array = gm_[a];
    const auto bytes = [](std::int64_t n) {
      return std::to_string(n) + (n == 1 ? " byte" : " bytes");
    };
    if (const auto shared = array.written.shared())
      sentences.push_back(writer + "s " + std::to_string(shared->cluster) + " and " +
                          std::to_string(shared->other) + " both write byte " +
                          std::to_string(shared->first) + " of %" + arrays_[a].name + "; " +
                          bytes(shared->bytes) + " of it are written by several " + writer + "s");
    // Tensors may leave bytes between their elements, which no kernel writes.
    const bool is_full = array.is_bound || shape(a) == array.shape;
    if (!array.is_written || array.is_read || !is_full) continue;
    if (const auto left = array.written.unwritten(array.size))
      sentences.push_back("no " + writer + " writes " + bytes(left->bytes) + " of the " +
                          std::to_string(array.size) + " of %" + arrays_[a].name + ", from byte " +
                          std::to_string(left->first) + " on");
  }
  return sentences;
}

std::string ClusterData::find_unaligned(const TileOperation& operation,
                                        const ResolvedOperation& resolved) {
  constexpr std::int64_t kBlock = alignment_of(Location::kUb);
  if (operation.function == TileFunction::kNone || operation.function > TileFunction::kNoValues)
    return "";
  // A copy of one element needs no vector instruction; one of a part, on A5, has instructions for bytes that begin anywhere.
  if (operation.function == TileFunction::kCopy &&
      (operation.is_anywhere || elements_of(resolved.operands[0]) == 1))
    return "";
  for (std::size_t k = 0; k < operation.operands.size(); ++k) {
    const ResolvedOperand& o = resolved.operands[k];
    const bool is_tile = o.location == Location::kUb && operation.operands[k].full_rows > 0;
    if (is_tile && o.bytes > 0 && o.first % kBlock != 0)
      return operation.operands[k].name + " begins at byte " + std::to_string(o.first) +
             " of UB, expected a multiple of " + std::to_string(kBlock);
  }
  return "";
}

std::string ClusterData::find_unmodelled(const TileOperation& operation) const {
  if (!has_tiles()) return "";
  if (operation.function == TileFunction::kNoValues)
    return "what it computes has no values in this model; run it with --no-data";
  if (operation.pad == Pad::kOther)
    return "pads that are none of zero, the largest and the least number have no values in this "
           "model; run it with --no-data";
  return "";
}

std::string ClusterData::find_misfit(const TileOperation& operation,
                                     const ResolvedOperation& resolved) const {
  if (operation.function == TileFunction::kNone ||
      operation.function == TileFunction::kVectorFunction)
    return "";
  if (operation.function == TileFunction::kNoValues) return "";
  if (has_tiles() && operation.read_pitch > 0) {
    constexpr std::int64_t kBox = 16;
    const ResolvedOperand& product = resolved.operands[resolved.count - 1U];
    const std::int64_t rows = product.sizes[0], columns = product.sizes[1];
    const std::int64_t pitch = (rows + kBox - 1) / kBox * kBox;
    if (rows > 0 && columns > kBox && pitch != operation.read_pitch)
      return "the product has " + std::to_string(rows) +
             " rows: M of A2/A3 writes columns of boxes " + std::to_string(pitch) +
             " rows apart, and what reads the tile takes them " +
             std::to_string(operation.read_pitch) + " rows apart; expected a tile with compact = 1";
  }
  const bool by_fix = operation.function == TileFunction::kFixScale;
  if (operation.function != TileFunction::kCopy && !by_fix) {
    OperandShapes shapes;
    for (unsigned i = 0; i < resolved.count; ++i)
      shapes[i] = {resolved.operands[i].sizes[0], resolved.operands[i].sizes[1]};
    const std::string fault = find_operand_fault(operation, shapes);
    return fault.empty() ? "" : "operands " + fault;
  }
  if (resolved.count < 2) return "";
  const unsigned last = resolved.count - 1U;
  const unsigned in_gm = resolved.operands[0].location == Location::kGm ? 0 : last;
  const ResolvedOperand& part = resolved.operands[in_gm];
  const TileOperand& tile = operation.operands[last - in_gm];
  if (by_fix && last == 2 && resolved.operands[1].sizes[1] < resolved.operands[0].sizes[1])
    return operation.operands[1].name + " has " + std::to_string(resolved.operands[1].sizes[1]) +
           " scales, expected one for each of the " +
           std::to_string(resolved.operands[0].sizes[1]) + " columns of " + tile.name;
  const std::int64_t room = tile.full_rows * tile.row_stride;
  if (part.location != Location::kGm || room == 0 || elements_of(part) <= room) return "";
  return "the part of the array " + arrays_[part.array].name + " has " +
         std::to_string(elements_of(part)) + " elements, the tile " + tile.name + " has room for " +
         std::to_string(room);
}

TileValues ClusterData::read(const ResolvedOperand& operand, CoreId core, Cycle now, bool behind) {
  // FIX loads its scales itself and in order, so that no flag stands between (ascend_2.md 1.1).
  const bool has_own_order = operand.location == Location::kFixBuffer;
  return memory(operand, core)
      .read(operand, now, has_own_order || (behind && operand.location == Location::kL0c));
}

void ClusterData::write(const ResolvedOperand& operand, CoreId core, TileValues values,
                        const Memory::When& when, bool adds) {
  if (operand.holder != Holder::kSplitRows && operand.holder != Holder::kSplitColumns)
    return memory(operand, core).write(operand, std::move(values), when, adds);
  const bool by_rows = operand.holder == Holder::kSplitRows;
  for (const bool second : {false, true}) {
    ResolvedOperand half = operand;
    half.holder = second ? Holder::kAiv1 : Holder::kAiv0;
    memory(half, core).write(half, half_of(values, by_rows, second), when, adds);
  }
}

TileValues ClusterData::start(const TileOperation& operation, const ResolvedOperation& resolved,
                              CoreId core, Cycle now, bool behind) {
  std::vector<TileValues> inputs;
  const unsigned count = input_count(operation);
  for (unsigned i = 0; i < count; ++i) {
    const ResolvedOperand& o = resolved.operands[i];
    if (o.location == Location::kGm)
      if (const auto extent = exact_extent(o)) held_.read(o.array, *extent, core, resolved.pc, now);
    inputs.push_back(read(o, core, now, behind));
  }
  return compute(operation, resolved, inputs);
}

void ClusterData::finish(const TileOperation& operation, const ResolvedOperation& resolved,
                         CoreId core, Pipe pipe, TileValues result, Cycle now, Cycle due) {
  const Memory::When when = {now, due, order_of(core, pipe)};
  const ResolvedOperand& target = resolved.operands[resolved.count - 1U];
  const bool by_column = operation.function == TileFunction::kColumnReduce ||
                         operation.function == TileFunction::kColumnArg;
  if (by_column && resolved.operands[0].sizes[0] == 0) return;  // as the library does without rows
  if (operation.function == TileFunction::kScatterTable) {
    const std::vector<std::int64_t> places = std::move(result.more[0].integers);
    result.more.clear();
    return memory(target, core).write_at(target, places, std::move(result), when, operation.adds);
  }
  for (std::size_t n = 0; n < result.more.size(); ++n)
    write(resolved.operands[resolved.count - 2U - n], core, std::move(result.more[n]), when, false);
  if (operation.function != TileFunction::kCopy || operation.pad == Pad::kNone)
    return write(target, core, std::move(result), when, operation.adds);
  ResolvedOperand padded = target;
  pad_blocks(operation.pad, padded, result);
  write(padded, core, std::move(result), when, operation.adds);
}

TileValues ClusterData::read_buffer(const ResolvedOperand& operand, CoreId core, Cycle now) {
  if (has_tiles()) return read(operand, core, now, false);
  has_guessed_ = true;
  return TileValues::zeros(operand.element, 1, 1);
}

void ClusterData::write_buffer(const ResolvedOperand& operand, CoreId core, TileValues value,
                               Cycle now, Cycle due) {
  if (has_tiles())
    write(operand, core, std::move(value), {now, due, order_of(core, Pipe::kS)}, false);
}

void ClusterData::write_word(const ResolvedOperand& operand, CoreId core, TileValues value,
                             bool adds, std::pair<Cycle, Cycle> from_to) {
  gm_[operand.array].is_written = true;
  gm_[operand.array].memory.write(operand, std::move(value),
                                  {from_to.first, from_to.second, order_of(core, Pipe::kS)}, adds);
}

void ClusterData::print(Printed printed, const ResolvedOperand* operand) {
  std::ostringstream text;
  if (operand != nullptr && !has_tiles()) {
    text << ": no values in a run without data";
  } else if (operand != nullptr) {
    const TileValues values = read(*operand, printed.core, printed.at, false);
    for (std::size_t i = 0; i < values.size(); ++i)
      text << (i % values.columns == 0 ? "\n  " : " ") << values.number(i);
  }
  printed.text += text.str();
  printed_.push_back(std::move(printed));
}

std::vector<ClusterData::Printed> ClusterData::printed() const {
  std::vector<Printed> list = printed_;
  std::stable_sort(list.begin(), list.end(), [](const Printed& a, const Printed& b) {
    return a.at != b.at ? a.at < b.at : a.core.index() < b.core.index();
  });
  return list;
}

void ClusterData::write_line(const ScalarCache::Line& line, CoreId core, std::uint32_t pc,
                             Cycle now, Cycle due) {
  Array& array = gm_[line.array];
  array.is_written = true;
  array.memory.write_line(line, {now, due, order_of(core, Pipe::kS)}, pc);
  held_.release(line, core, due);
}

std::vector<ClusterData::Lost> ClusterData::lost() {
  std::vector<Lost> list;
  for (std::size_t a = 0; a < gm_.size(); ++a) {
    gm_[a].memory.settle();
    for (const Memory::Lost& lost : gm_[a].memory.lost()) {
      const std::size_t core = lost.order / sync::kPipeCount;
      list.push_back({CoreId::at(core), static_cast<std::uint16_t>(a), lost});
    }
  }
  return list;
}

}  // namespace tessera::cluster
