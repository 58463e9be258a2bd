#include "platforms/run/recording.h"

#include <boost/json.hpp>

#include <algorithm>

#include "platforms/run/driver.h"
#include "platforms/run/live_data.h"

namespace tessera::run {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostCommands = 10'000;
constexpr const char* kUnitOfCycles = "cycles";
constexpr std::size_t kMostSentences = 12;  // of a cell
/// A picture of so many cells takes about as long as one of their cycles.
constexpr std::size_t kQuicklyRead = 8192;

Recording::Shape shape_of(const LiveGrid& grid) {
  Recording::Shape shape;
  const auto squares_on = [&shape](unsigned cells) {
    return (cells + shape.block - 1) / shape.block;
  };
  while (std::size_t{squares_on(grid.columns)} * squares_on(grid.rows) > Recording::kMostSquares)
    ++shape.block;
  shape.columns = squares_on(grid.columns);
  shape.rows = squares_on(grid.rows);
  return shape;
}

void append_u16(std::string& out, unsigned value) {
  out += static_cast<char>(value & 0xFF);
  out += static_cast<char>(value >> 8 & 0xFF);
}

void append_u32(std::string& out, std::size_t value) {
  append_u16(out, static_cast<unsigned>(value & 0xFFFF));
  append_u16(out, static_cast<unsigned>(value >> 16 & 0xFFFF));
}

}  // namespace

Recording::Recording(View& view)
    : view_(view), grid_(view.live_grid()), shape_(shape_of(grid_)),
      before_(grid_.layers.size(), Counts(shape_.squares())) {
  length_ += grid_.cells() / kQuicklyRead;
}

std::uint32_t Recording::cells_in(std::size_t square) const {
  const auto column = static_cast<unsigned>(square % shape_.columns);
  const auto row = static_cast<unsigned>(square / shape_.columns);
  return std::min(shape_.block, grid_.columns - column * shape_.block) *
         std::min(shape_.block, grid_.rows - row * shape_.block);
}

std::uint32_t Recording::programs_in(std::size_t square) const {
  if (grid_.has_program.empty()) return cells_in(square);
  const auto left = static_cast<unsigned>(square % shape_.columns) * shape_.block;
  const auto top = static_cast<unsigned>(square / shape_.columns) * shape_.block;
  std::uint32_t count = 0;
  for (unsigned y = top; y < std::min(top + shape_.block, grid_.rows); ++y) {
    for (unsigned x = left; x < std::min(left + shape_.block, grid_.columns); ++x)
      count += grid_.has_program[std::size_t{y} * grid_.columns + x] ? 1U : 0U;
  }
  return count;
}

/// What sums of the squares are divided by, so that they are means.
std::vector<double> Recording::divisors(bool of_programs) const {
  std::vector<double> divisors(shape_.squares());
  for (std::size_t square = 0; square < divisors.size(); ++square)
    divisors[square] = std::max(1U, of_programs ? programs_in(square) : cells_in(square));
  return divisors;
}

/// The values of a layer in some intervals, and what they are multiplied by; 0: all are 0, and nothing is appended.
double Recording::append_layer(std::size_t layer, const std::vector<const Interval*>& shown,
                               const std::vector<double>& divisors, std::string& values) const {
  double most = 0;
  for (const Interval* interval : shown)
    for (std::size_t i = 0; i < interval->layers[layer].size(); ++i)
      most = std::max(most, interval->layers[layer][i] / divisors[i]);
  if (most == 0) return 0;
  constexpr double kMost = 65535;
  const double scale = shape_.block == 1 && most <= kMost ? 1 : kMost / most;
  std::vector<double> factors(divisors.size());
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = scale / divisors[i];
  for (const Interval* interval : shown) {
    const Counts& counts = interval->layers[layer];
    if (counts.empty()) values.append(2 * factors.size(), '\0');
    for (std::size_t i = 0; i < counts.size(); ++i)
      append_u16(values, static_cast<unsigned>(counts[i] * factors[i] + 0.5));
  }
  return scale;
}

/// Sums of the squares, by layer.
std::vector<Recording::Counts> Recording::read(Cycle now) const {
  std::vector<Counts> sums(grid_.layers.size(), Counts(shape_.squares()));
  Counts counts(grid_.layers.size());
  view_.catch_up(now + 1);
  std::size_t cell = 0;
  for (unsigned row = 0; row < grid_.rows; ++row) {
    const std::size_t first = std::size_t{row / shape_.block} * shape_.columns;
    for (unsigned column = 0; column < grid_.columns; ++column, ++cell) {
      std::fill(counts.begin(), counts.end(), 0);
      view_.live_read(cell, now, counts.data());
      const std::size_t square = first + column / shape_.block;
      for (std::size_t layer = 0; layer < counts.size(); ++layer)
        sums[layer][square] += counts[layer];
    }
  }
  return sums;
}

Recording::Interval Recording::interval_until(Cycle end, const std::vector<Counts>& counts) const {
  Interval interval;
  interval.end = end;
  interval.layers.resize(counts.size());
  for (std::size_t layer = 0; layer < counts.size(); ++layer) {
    if (counts[layer] == before_[layer]) continue;
    Counts& change = interval.layers[layer];
    change = counts[layer];
    for (std::size_t square = 0; square < change.size(); ++square)
      change[square] -= before_[layer][square];
  }
  return interval;
}

void Recording::close(Cycle end) {
  if (end <= recorded()) return;
  std::vector<Counts> counts = read(end - 1);
  intervals_.push_back(interval_until(end, counts));
  note_watched(intervals_.back(), end - 1);
  before_ = std::move(counts);
  if (intervals_.size() == kMostIntervals) halve();
}

std::uint32_t Recording::number_of(const std::string& word) {
  const auto number = static_cast<std::uint32_t>(words_.size());
  const auto [known, is_new] = word_numbers_.try_emplace(word, number);
  if (is_new) words_.push_back(word);
  return known->second;
}

void Recording::note_watched(Interval& interval, Cycle now) {
  for (const std::size_t cell : grid_.watched) {
    std::vector<Sentence>& sentences = interval.said.emplace_back();
    for (const Said& said : said_about(view_, cell, now)) {
      if (sentences.size() == kMostSentences) break;
      sentences.emplace_back(number_of(said.text),
                             said.to ? static_cast<std::int64_t>(*said.to) : -1);
    }
    auto& queues = interval.queues.emplace_back();
    for (const LiveQueue& queue : view_.live_queues(cell, now))
      queues.emplace_back(queue.filled, number_of(queue.first));
  }
}

bool Recording::is_boundary(Cycle cycle) const {
  return std::any_of(commands_.begin(), commands_.end(), [cycle](const Command& command) {
    return command.begin == cycle || command.end == cycle;
  });
}

// A long run has intervals twice, four times, .. as long.
void Recording::halve() {
  length_ *= 2;
  ++generation_;
  join(false);
  if (intervals_.size() > kMostIntervals * 3 / 4) join(true);
}

/// Joins neighbours that are together no longer than an interval should be.
bool Recording::join(bool across_commands) {
  std::vector<Interval> joined;
  Cycle begin = 0;
  for (Interval& next : intervals_) {
    const bool fits = !joined.empty() && next.end - begin <= length_ + length_ / 2;
    if (!fits || (!across_commands && is_boundary(joined.back().end))) {
      begin = joined.empty() ? 0 : joined.back().end;
      joined.push_back(std::move(next));
      continue;
    }
    Interval& into = joined.back();
    into.end = next.end;
    into.said = std::move(next.said);
    into.queues = std::move(next.queues);
    for (std::size_t layer = 0; layer < next.layers.size(); ++layer) {
      if (next.layers[layer].empty()) continue;
      if (into.layers[layer].empty()) {
        into.layers[layer] = std::move(next.layers[layer]);
        continue;
      }
      for (std::size_t square = 0; square < next.layers[layer].size(); ++square)
        into.layers[layer][square] += next.layers[layer][square];
    }
  }
  const bool any = joined.size() < intervals_.size();
  intervals_ = std::move(joined);
  return any;
}

void Recording::after_cycle(Cycle now) {
  if (now + 1 >= recorded() + length_) close(now + 1);
}

void Recording::on_command(const std::string& name, Cycle at) {
  if (commands_.size() == kMostCommands) return;
  if (name.empty() ? commands_.empty() || commands_.back().end != kNever : false) return;
  close(at);
  if (!commands_.empty() && commands_.back().end == kNever) commands_.back().end = at;
  if (!name.empty()) commands_.push_back({name.substr(0, name.find(", ")), at, kNever});
}

// Some machines end in a cycle that is no longer counted. What has been recorded of it goes.
void Recording::finish(Cycle cycles) {
  if (recorded() > cycles) ++generation_;
  for (; recorded() > cycles; intervals_.pop_back()) {
    const Interval& last = intervals_.back();
    for (std::size_t layer = 0; layer < last.layers.size(); ++layer) {
      for (std::size_t square = 0; square < last.layers[layer].size(); ++square)
        before_[layer][square] -= last.layers[layer][square];
    }
  }
  close(cycles);
  is_finished_ = true;
  if (!commands_.empty() && commands_.back().end == kNever) commands_.back().end = cycles;
}

std::string Recording::frames(Cycle from, Cycle now) {
  std::vector<const Interval*> shown;
  for (const Interval& interval : intervals_)
    if (interval.end > from) shown.push_back(&interval);
  Interval open;
  if (now + 1 > recorded() && !is_finished_) {
    open = interval_until(now + 1, read(now));
    shown.push_back(&open);
  }
  json::array cycles, layers, scales;
  for (const Interval* interval : shown) cycles.emplace_back(interval->end);
  std::string values;
  const std::vector<double> of_programs = divisors(true), of_cells = divisors(false);
  for (std::size_t layer = 0; layer < grid_.layers.size(); ++layer) {
    const LiveLayer& counted = grid_.layers[layer];
    const double scale =
        append_layer(layer, shown, counted.unit == kUnitOfCycles ? of_programs : of_cells, values);
    if (scale == 0) continue;
    layers.emplace_back(counted.key);
    scales.emplace_back(scale);
  }
  std::string head = json::serialize(json::object{
      {"begin", shown.empty()
                    ? from
                    : begin_of(intervals_.size() - (shown.size() - (open.end > 0 ? 1 : 0)))},
      {"cycles", std::move(cycles)},
      {"closed", recorded()},
      {"generation", generation_},
      {"layers", std::move(layers)},
      {"scale", std::move(scales)},
      {"block", shape_.block},
      {"columns", shape_.columns},
      {"rows", shape_.rows}});
  head.resize((head.size() + 1) / 2 * 2, ' ');  // so that the page reads the values where they lie
  std::string out = "TSR1";
  append_u32(out, head.size());
  return out + head + values;
}

std::string Recording::sentences() const {
  json::array cells(grid_.watched.begin(), grid_.watched.end()), said, queues;
  for (const std::size_t cell : grid_.watched)
    queues.emplace_back(json::parse(queues_json(view_, cell, recorded())));
  for (const Interval& interval : intervals_) {
    json::array of_interval;
    for (const auto& sentences : interval.said) {
      json::array of_cell;
      for (const auto& [number, to] : sentences) of_cell.emplace_back(json::array{number, to});
      of_interval.emplace_back(std::move(of_cell));
    }
    json::array in_queues;
    for (const auto& of_queues : interval.queues) {
      json::array of_cell;
      for (const auto& [filled, first] : of_queues)
        of_cell.emplace_back(json::array{filled, first});
      in_queues.emplace_back(std::move(of_cell));
    }
    said.emplace_back(json::array{interval.end, std::move(of_interval), std::move(in_queues)});
  }
  return json::serialize(json::object{{"cells", std::move(cells)},
                                      {"words", json::array(words_.begin(), words_.end())},
                                      {"queues", std::move(queues)},
                                      {"said", std::move(said)}});
}

}  // namespace tessera::run
