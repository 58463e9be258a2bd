#include "models/cluster/values/register_values.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "models/cluster/program/program.h"
#include "models/cluster/values/register_lanes.h"

namespace tessera::cluster {

namespace {

using F = RegisterFunction;
constexpr std::int64_t kBlock = 32;

/// The element that lane i of a load comes from, or that a store puts it to; -1: it is not stored.
std::int64_t element_of_lane(const RegisterOperation& op, std::size_t lane) {
  const auto i = static_cast<std::int64_t>(lane);
  const bool stores = op.function == F::kStore;
  if (op.every == 0) return stores && i > 0 ? -1 : 0;
  if (op.every > 0) return i / op.every;
  if (!stores) return i * -op.every;
  return i % -op.every == 0 ? i / -op.every : -1;
}

/// Where an element lies, in bytes from the address on: blocks may lie apart.
std::int64_t offset_of(const RegisterStep& step, std::int64_t element) {
  const auto width = static_cast<std::int64_t>(width_of(step.operation->element));
  if (const std::int64_t run = step.operation->run; run != 0)
    return (element / run * step.block_stride + element % run) * width;
  if (step.block_stride == 0) return element * width;
  const std::int64_t in_block = kBlock / width;
  return element / in_block * step.block_stride * kBlock + element % in_block * width;
}

/// The bytes of a register, and a register from its bytes.
std::vector<std::byte> bytes_of(const TileValues& from) {
  std::vector<std::byte> bytes(
      std::max<std::size_t>(from.columns * width_of(from.element), kRegisterBytes));
  encode(from, 0, from.columns, bytes.data());
  return bytes;
}
TileValues of_bytes(const RegisterOperation& op, const std::vector<std::byte>& bytes) {
  TileValues to = TileValues::zeros(op.element, 1, op.lanes);
  decode(bytes.data(), std::min<std::size_t>(op.lanes, bytes.size() / width_of(op.element)), to, 0);
  return to;
}

}  // namespace

std::int64_t reach_of(const RegisterStep& step, std::int64_t capacity) {
  const RegisterOperation& op = *step.operation;
  if (op.function == F::kGather || op.function == F::kScatter || op.function == F::kGatherBlocks ||
      op.function == F::kStoreSqueezed)
    return capacity - step.address;
  constexpr std::int64_t kRegister = kRegisterBytes, kMask = kRegisterBytes / 8;
  if (op.function == F::kLoadPair || op.function == F::kStorePair) return 2 * kRegister;
  if (op.function == F::kLoadMask)
    return op.every == 2 ? kMask / 2 : op.every == -2 ? 2 * kMask : kMask;
  if (op.function == F::kStoreCounter) return 4;
  if (op.function == F::kStoreMask) return op.every == -2 ? kMask / 2 : kMask;
  if (op.packing.memory != 0)
    return op.packing.stays ? op.packing.memory
                            : kRegister / op.packing.lane * std::int64_t{op.packing.memory};
  std::int64_t last = 0;
  for (std::size_t i = op.lanes; i-- > 0;) {
    const std::int64_t element = element_of_lane(op, i);
    if (element < 0) continue;
    last = std::max(last, offset_of(step, element));
    if (step.block_stride >= 0 && op.run == 0) break;
  }
  return last + static_cast<std::int64_t>(width_of(op.element));
}

std::size_t RegisterValues::place_of(const RegisterStep& step, std::int64_t element) const {
  const std::int64_t at = step.address + offset_of(step, element) - first_;
  const auto width = static_cast<std::int64_t>(width_of(step.operation->element));
  if (at < 0 || at + width > static_cast<std::int64_t>(bytes_.size()))
    throw std::out_of_range("element " + std::to_string(element) + " is not in UB");
  return static_cast<std::size_t>(at);
}

std::size_t RegisterValues::bytes_at(const RegisterStep& step, std::int64_t offset,
                                     std::size_t count) const {
  const std::int64_t at = step.address + offset - first_;
  if (at < 0 || at + static_cast<std::int64_t>(count) > static_cast<std::int64_t>(bytes_.size()))
    throw std::out_of_range("byte " + std::to_string(step.address + offset) + " is not in UB");
  return static_cast<std::size_t>(at);
}

void RegisterValues::write(const RegisterStep& step, std::int64_t offset, const std::byte* from,
                           std::size_t count) {
  const std::size_t at = bytes_at(step, offset, count);
  std::copy_n(from, count, bytes_.begin() + static_cast<std::ptrdiff_t>(at));
  std::fill_n(changed_.begin() + static_cast<std::ptrdiff_t>(at), count, true);
}

// A mask of a load is that of blocks: what it leaves out is 0, and nothing is read there.
TileValues RegisterValues::load(const RegisterStep& step, const TileValues* mask) const {
  const RegisterOperation& op = *step.operation;
  if (op.packing.memory != 0) return load_packed(step);
  TileValues to = TileValues::zeros(op.element, 1, op.lanes);
  const std::size_t in_block = static_cast<std::size_t>(kBlock) / width_of(op.element);
  for (std::size_t i = 0; i < op.lanes; ++i)
    if (is_on(mask, i / in_block))
      decode(bytes_.data() + place_of(step, element_of_lane(op, i)), 1, to, i);
  return to;
}

TileValues RegisterValues::load_packed(const RegisterStep& step) const {
  const RegisterOperation& op = *step.operation;
  const Packing& p = op.packing;
  std::vector<std::byte> bytes(kRegisterBytes);
  for (std::size_t g = 0; g * p.lane < bytes.size(); ++g) {
    const std::size_t at =
        bytes_at(step, p.stays ? 0 : static_cast<std::int64_t>(g) * p.memory, p.memory);
    for (std::size_t k = 0; k < p.lane && (p.repeats || k < p.memory); ++k)
      bytes[g * p.lane + k] = bytes_[at + k % p.memory];
  }
  return of_bytes(op, bytes);
}

void RegisterValues::load_pair(const RegisterStep& step, TileValues& low, TileValues& high) const {
  const RegisterOperation& op = *step.operation;
  const std::size_t width = op.packing.memory;
  std::vector<std::byte> halves[2];
  for (std::vector<std::byte>& half : halves) half.resize(kRegisterBytes);
  const std::size_t at = bytes_at(step, 0, 2 * kRegisterBytes);
  for (std::size_t k = 0; k < 2 * std::size_t{kRegisterBytes}; ++k)
    halves[k / width % 2][k / width / 2 * width + k % width] = bytes_[at + k];
  low = of_bytes(op, halves[0]);
  high = of_bytes(op, halves[1]);
}

TileValues RegisterValues::load_mask(const RegisterStep& step) const {
  const RegisterOperation& op = *step.operation;
  std::vector<bool> bits(kRegisterBytes);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::size_t from = op.every == 2 ? i / 2 : op.every == -2 ? 2 * i : i;
    const auto byte = bytes_[bytes_at(step, static_cast<std::int64_t>(from / 8), 1)];
    bits[i] = (std::to_integer<unsigned>(byte) >> (from % 8) & 1U) != 0;
  }
  return mask_of_bits(op.lanes, bits);
}

TileValues RegisterValues::gather(const RegisterStep& step, const TileValues& index,
                                  const TileValues* mask) const {
  const RegisterOperation& op = *step.operation;
  TileValues to = TileValues::zeros(op.element, 1, op.lanes);
  const std::size_t width = op.packing.memory != 0 ? op.packing.memory : width_of(op.element);
  for (std::size_t i = 0; i < op.lanes && i < index.columns; ++i) {
    if (!is_on(mask, i)) continue;
    const std::int64_t element = as_unsigned(index.integers[i], index.element);
    if (width == width_of(op.element)) {
      decode(bytes_.data() + place_of(step, element), 1, to, i);
    } else {  // a byte becomes a lane of 16 bits
      const std::size_t at = bytes_at(step, element * static_cast<std::int64_t>(width), width);
      to.integers[i] = std::to_integer<std::int64_t>(bytes_[at]);
    }
  }
  return to;
}

TileValues RegisterValues::gather_blocks(const RegisterStep& step, const TileValues& index,
                                         const TileValues* mask) const {
  std::vector<std::byte> bytes(kRegisterBytes);
  for (std::size_t block = 0; block * kBlock < bytes.size() && block < index.columns; ++block) {
    if (!is_on(mask, block)) continue;
    const std::size_t at =
        bytes_at(step, as_unsigned(index.integers[block], index.element), kBlock);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), kBlock,
                bytes.begin() + static_cast<std::ptrdiff_t>(block * kBlock));
  }
  return of_bytes(*step.operation, bytes);
}

void RegisterValues::put(const TileValues& from, std::size_t lane, std::size_t at) {
  encode(from, lane, 1, bytes_.data() + at);
  std::fill_n(changed_.begin() + static_cast<std::ptrdiff_t>(at), width_of(from.element), true);
}

void RegisterValues::store(const RegisterStep& step, const TileValues& from,
                           const TileValues* mask) {
  const RegisterOperation& op = *step.operation;
  if (op.packing.memory != 0) return store_packed(step, from, mask);
  const TileValues values =
      from.element == op.element || bits_of(from.element) == bits_of(op.element)
          ? from
          : converted(from, op.element, Rounding::kDefault, false);
  for (std::size_t i = 0; i < op.lanes && i < values.columns; ++i) {
    const std::int64_t element = element_of_lane(op, i);
    if (element >= 0 && is_on(mask, i)) put(values, i, place_of(step, element));
  }
}

// Only the low bytes of each group are stored, one after the other.
void RegisterValues::store_packed(const RegisterStep& step, const TileValues& from,
                                  const TileValues* mask) {
  const Packing& p = step.operation->packing;
  const std::vector<std::byte> bytes = bytes_of(from);
  const std::vector<bool> on =
      mask != nullptr ? bits_of_mask(*mask) : std::vector<bool>(kRegisterBytes, true);
  for (std::size_t g = 0; g * p.lane < kRegisterBytes; ++g)
    if (on[g * p.lane])
      write(step, static_cast<std::int64_t>(g) * p.memory, bytes.data() + g * p.lane, p.memory);
}

void RegisterValues::store_pair(const RegisterStep& step, const TileValues& low,
                                const TileValues& high) {
  const std::size_t width = step.operation->packing.memory;
  const std::vector<std::byte> halves[2] = {bytes_of(low), bytes_of(high)};
  for (std::size_t k = 0; k < 2 * std::size_t{kRegisterBytes}; k += width)
    write(step, static_cast<std::int64_t>(k), halves[k / width % 2].data() + k / width / 2 * width,
          width);
}

void RegisterValues::store_mask(const RegisterStep& step, const TileValues& from) {
  const std::vector<bool> bits = bits_of_mask(from);
  const std::size_t every = step.operation->every == -2 ? 2 : 1;
  for (std::size_t byte = 0; byte * 8 * every < bits.size(); ++byte) {
    unsigned value = 0;
    for (unsigned k = 0; k < 8; ++k) value |= (bits[(byte * 8 + k) * every] ? 1U : 0U) << k;
    const auto out = static_cast<std::byte>(value);
    write(step, static_cast<std::int64_t>(byte), &out, 1);
  }
}

void RegisterValues::store_squeezed(const RegisterStep& step, const TileValues& from) {
  if (squeezed_ < 0 || counter_ < 0)
    throw std::length_error(
        "a squeezed store needs pto.sprclr and pto.vsqz before it in its function");
  const std::vector<std::byte> bytes = bytes_of(from);
  const std::size_t count = static_cast<std::size_t>(squeezed_) * width_of(from.element);
  write(step, counter_, bytes.data(), count);
  if (step.operation->merges) counter_ += static_cast<std::int64_t>(count);
}

void RegisterValues::store_counter(const RegisterStep& step) {
  if (counter_ < 0) throw std::length_error("AR needs pto.sprclr before it in its function");
  std::array<std::byte, 4> bytes{};
  for (std::size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = static_cast<std::byte>(counter_ >> (8 * k) & 0xFF);
  write(step, 0, bytes.data(), bytes.size());
}

void RegisterValues::scatter(const RegisterStep& step, const TileValues& from,
                             const TileValues& index, const TileValues* mask) {
  const std::size_t every = std::max<std::size_t>(from.columns / index.columns, 1);
  for (std::size_t i = 0; i * every < from.columns && i < index.columns; ++i)
    if (is_on(mask, i))
      put(from, i * every, place_of(step, as_unsigned(index.integers[i], index.element)));
}

void RegisterValues::execute(const RegisterStep& step, std::vector<TileValues>& registers) {
  const RegisterOperation& op = *step.operation;
  const auto source = [&](unsigned n) -> const TileValues& {
    if (op.sources[n] == kNoRegister || registers[op.sources[n]].columns == 0)
      throw std::length_error("a register that nothing has written");
    return registers[op.sources[n]];
  };
  const TileValues* mask = op.mask == kNoRegister ? nullptr : &registers[op.mask];
  if (op.function == F::kBarrier) return;
  if (op.function == F::kClearCounter) {
    counter_ = 0;
    return;
  }
  if (op.function == F::kStoreCounter) return store_counter(step);
  if (op.function == F::kStoreSqueezed) return store_squeezed(step, source(0));
  if (op.function == F::kSqueeze || op.function == F::kCountBefore) {
    squeezed_ = 0;
    for (std::size_t i = 0; i < op.lanes; ++i) squeezed_ += is_on(mask, i) ? 1 : 0;
  }
  if (op.function == F::kStore) return store(step, source(0), mask);
  if (op.function == F::kScatter) return scatter(step, source(0), source(1), mask);
  if (op.function == F::kStorePair) return store_pair(step, source(0), source(1));
  if (op.function == F::kStoreMask) return store_mask(step, source(0));
  TileValues result, second;
  if (op.function == F::kLoadPair)
    load_pair(step, result, second);
  else
    result = op.function == F::kLoad           ? load(step, mask)
             : op.function == F::kGather       ? gather(step, source(1), mask)
             : op.function == F::kGatherBlocks ? gather_blocks(step, source(1), mask)
             : op.function == F::kLoadMask     ? load_mask(step)
                                               : RegisterLanes(step, registers).run();
  if (op.results[1] != kNoRegister && op.function != F::kLoadPair)
    second = RegisterLanes(step, registers).second();
  if (op.results[0] != kNoRegister) registers[op.results[0]] = std::move(result);
  if (op.results[1] != kNoRegister) registers[op.results[1]] = std::move(second);
}

}  // namespace tessera::cluster
