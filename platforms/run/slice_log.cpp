#include "platforms/run/slice_log.h"

#include <charconv>

namespace tessera::run {

std::uint32_t SliceLog::number_of(std::string_view word) {
  const auto [known, is_new] =
      numbers_.try_emplace(std::string(word), static_cast<std::uint32_t>(words_.size()));
  if (is_new) words_.emplace_back(word);
  return known->second;
}

void SliceLog::on_slice(unsigned process, unsigned thread, const Slice& slice) {
  Track& track = tracks_[{process, thread}];
  if (track.rows.size() == kMostSlices) {
    const auto middle = track.rows.begin() + kMostSlices / 2;
    track.from = (middle - 1)->end;
    track.rows.erase(track.rows.begin(), middle);
  }
  Row row{slice.begin,           slice.end, number_of(slice.name), number_of(slice.line),
          number_of(slice.what), 0};
  std::from_chars(slice.count.data(), slice.count.data() + slice.count.size(), row.count);
  track.rows.push_back(row);
}

}  // namespace tessera::run
