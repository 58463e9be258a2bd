#include "models/cluster/core/thread_memory.h"

#include <algorithm>
#include <utility>

namespace tessera::cluster {

std::vector<std::byte> DataOfThreads::read(Location location, unsigned array, std::int64_t first,
                                           std::size_t count) {
  const auto offset = static_cast<std::size_t>(first);
  if (location != Location::kGm)
    return data_.buffer_at(core_, location, static_cast<std::uint32_t>(first),
                           static_cast<std::uint32_t>(count), now_);
  const std::size_t size = data_.size(array);
  if (offset >= size) return {};
  const std::byte* const from = data_.bytes_at(array, now_) + offset;
  return {from, from + std::min(count, size - offset)};
}

void DataOfThreads::write(Location location, unsigned array, std::int64_t first,
                          const std::byte* bytes, std::size_t count) {
  ResolvedOperand run;
  run.element = Element::kU8;
  run.location = location;
  run.array = static_cast<std::uint16_t>(array);
  run.dimensions = 2;
  run.strides = {1, 1};
  run.sizes = {1, static_cast<std::int64_t>(count)};
  run.address = run.first = first;
  run.bytes = static_cast<std::int64_t>(count);
  TileValues values = TileValues::zeros(Element::kU8, 1, count);
  decode(bytes, count, values, 0);
  if (location == Location::kGm)
    data_.write_word(run, core_, std::move(values), false, {now_, now_});
  else
    data_.write_buffer(run, core_, std::move(values), now_, now_);
}

}  // namespace tessera::cluster
