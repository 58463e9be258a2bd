#include "models/cluster/memory/scalar_cache.h"

#include <algorithm>
#include <utility>

namespace tessera::cluster {

namespace {

void sort_by_place(std::vector<ScalarCache::Line>& lines) {
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return a.array != b.array ? a.array < b.array : a.first < b.first;
  });
}

}  // namespace

std::uint64_t ScalarCache::bits_of(std::int64_t address, std::int64_t count) {
  const std::uint64_t ones =
      count >= kLineBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  return ones << (address % kLineBytes);
}

ScalarCache::Line* ScalarCache::find(std::uint16_t array, std::int64_t first) {
  const auto entry = lines_.find(key_of(array, first));
  if (entry == lines_.end()) return nullptr;
  entry->second.used = ++uses_;
  return &entry->second;
}

ScalarCache::Line& ScalarCache::add(std::uint16_t array, std::int64_t first,
                                    std::optional<Line>& victim) {
  victim.reset();
  if (lines_.size() >= most_) {
    const auto oldest =
        std::min_element(lines_.begin(), lines_.end(), [](const auto& a, const auto& b) {
          return a.second.used < b.second.used;
        });
    victim = oldest->second;
    lines_.erase(oldest);
  }
  Line& line = lines_[key_of(array, first)];
  line.array = array;
  line.first = first;
  line.used = ++uses_;
  return line;
}

std::optional<ScalarCache::Line> ScalarCache::take(std::uint16_t array, std::int64_t first) {
  const auto entry = lines_.find(key_of(array, first));
  if (entry == lines_.end()) return std::nullopt;
  const Line line = entry->second;
  lines_.erase(entry);
  return line;
}

std::vector<ScalarCache::Line> ScalarCache::take_all() {
  std::vector<Line> list;
  for (const auto& [key, line] : lines_) list.push_back(line);
  lines_.clear();
  sort_by_place(list);
  return list;
}

std::vector<ScalarCache::Line> ScalarCache::changed_lines() const {
  std::vector<Line> list;
  for (const auto& [key, line] : lines_)
    if (line.changed != 0) list.push_back(line);
  sort_by_place(list);
  return list;
}

}  // namespace tessera::cluster
