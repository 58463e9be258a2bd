#include "platforms/run/live_view.h"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <utility>

#include "platforms/run/driver.h"
#include "platforms/run/signals.h"

namespace tessera::run {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostFrames = 256;         // frames of the recording, at most
constexpr unsigned kRecordedSquares = 64;        // on a side of a recorded frame, at most
constexpr unsigned kShownSquares = 256;          // on a side of the present frame, at most
constexpr std::size_t kMostLines = 200;          // sentences about a place, at most
constexpr std::chrono::milliseconds kLook{100};  // time between two looks for a signal

std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

HttpResponse response_of(const json::value& value) {
  return {json::serialize(value)};
}

}  // namespace

LiveView::LiveView(unsigned short port, View& view) : view_(view), server_(port) {
  // A picture of a large machine takes as long as a few of its cycles.
  constexpr std::size_t kQuicklyDrawn = 65536;
  const LiveGrid grid = view.live_grid();
  between_frames_ += std::size_t{grid.columns} * grid.rows / kQuicklyDrawn;
  std::cerr << "live view: " << server_.address() << std::endl;
}

void LiveView::after_cycle(Cycle now) {
  if (closed_) return;
  now_ = now;
  if (now >= next_frame_) record();
  if (now >= pause_at_) state_ = State::kPaused;
  if (state_ == State::kPaused || server_.has_requests()) hold();
}

void LiveView::hold() {
  const auto answers = [this](const HttpRequest& request) { return answer(request); };
  while (!closed_ && !must_stop() && (state_ != State::kRuns || server_.has_requests()))
    server_.serve(answers, kLook);
}

void LiveView::after_run(Cycle now, const std::string& how) {
  now_ = now;
  state_ = State::kOver;
  how_it_ended_ = how;
  next_frame_ = 0;
  record();
  if (!closed_) hold();
  server_.serve([this](const HttpRequest& request) { return answer(request); }, kLook);
}

HttpResponse LiveView::answer(const HttpRequest& request) {
  if (request.path == "/") return {live_page(), "text/html; charset=utf-8"};
  if (request.path == "/state") return answer_state(request);
  if (request.path == "/place") return answer_place(request);
  if (request.path == "/do") return answer_command(request);
  return {"there is no such page", "text/plain", 404};
}

HttpResponse LiveView::answer_command(const HttpRequest& request) {
  const std::string what = request.value("what");
  if (what == "close") {
    closed_ = true;
    if (state_ != State::kOver) state_ = State::kRuns;
    pause_at_ = kNever;
  } else if (state_ != State::kOver) {
    if (what == "pause") {
      state_ = State::kPaused;
    } else if (what == "go" || what == "step" || what == "until") {
      state_ = State::kRuns;
      pause_at_ = what == "go" ? kNever : what == "step" ? now_ + 1 : number_in(request.value("n"));
    } else {
      return {"unknown command", "text/plain", 404};
    }
  }
  return response_of(json::object{});
}

// The present, all of it or quantity number `quantity`; or frame number `frame` of the recording.
HttpResponse LiveView::answer_state(const HttpRequest& request) const {
  const LiveGrid grid = view_.live_grid();
  const std::string recorded = request.value("frame");
  const std::size_t number = static_cast<std::size_t>(number_in(recorded));
  const bool is_recorded = !recorded.empty() && number < frames_.size();
  const std::string asked = request.value("quantity");
  const auto wanted = asked.empty() ? std::nullopt : std::optional<std::size_t>(number_in(asked));
  const Frame frame = is_recorded ? frames_[number] : frame_of(kShownSquares, wanted);
  json::array values, cycles;
  for (const std::vector<float>& quantity : frame.values) {
    json::array squares;
    squares.reserve(quantity.size());
    for (const float value : quantity) squares.emplace_back(std::round(value * 100) / 100);
    values.emplace_back(std::move(squares));
  }
  for (const Frame& f : frames_) cycles.emplace_back(f.cycle);
  json::array quantities;
  for (const LiveQuantity& q : grid.quantities)
    quantities.emplace_back(json::object{{"name", q.name}, {"unit", q.unit}});
  constexpr std::array<const char*, 3> kStates = {"runs", "paused", "over"};
  return response_of(json::object{{"cycle", frame.cycle},
                                  {"now", now_},
                                  {"state", kStates[static_cast<unsigned>(state_)]},
                                  {"how", how_it_ended_},
                                  {"grid", {grid.columns, grid.rows}},
                                  {"block", frame.block},
                                  {"squares", {frame.columns, frame.rows}},
                                  {"quantities", std::move(quantities)},
                                  {"values", std::move(values)},
                                  {"frames", std::move(cycles)}});
}

HttpResponse LiveView::answer_place(const HttpRequest& request) const {
  const LiveGrid grid = view_.live_grid();
  const std::size_t cell = static_cast<std::size_t>(number_in(request.value("cell")));
  if (cell >= std::size_t{grid.columns} * grid.rows)
    return {"there is no such place", "text/plain", 404};
  std::vector<std::string> sentences = sentences_about(view_, view_.live_place(cell), now_);
  if (sentences.size() > kMostLines) sentences.resize(kMostLines);
  const json::array lines(sentences.begin(), sentences.end());
  json::array values;
  for (std::size_t q = 0; q < grid.quantities.size(); ++q)
    values.emplace_back(json::object{{"name", grid.quantities[q].name},
                                     {"unit", grid.quantities[q].unit},
                                     {"value", view_.live_value(q, cell, now_)}});
  return response_of(json::object{{"name", view_.live_name(cell)},
                                  {"cycle", now_},
                                  {"values", std::move(values)},
                                  {"lines", lines}});
}

// Squares at the right and the lower edge may have fewer cells than others.
std::vector<float> LiveView::means_of(std::size_t quantity, const LiveGrid& grid,
                                      const Frame& frame) const {
  std::vector<double> sums(std::size_t{frame.columns} * frame.rows);
  std::size_t cell = 0;
  for (unsigned row = 0; row < grid.rows; ++row) {
    double* const sums_of_row = &sums[std::size_t{row / frame.block} * frame.columns];
    for (unsigned column = 0; column < grid.columns; ++column)
      sums_of_row[column / frame.block] += view_.live_value(quantity, cell++, now_);
  }
  const auto cells = [&frame](unsigned square, unsigned all) {
    return std::min(frame.block, all - square * frame.block);
  };
  std::vector<float> means(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const unsigned column = static_cast<unsigned>(i % frame.columns);
    const unsigned row = static_cast<unsigned>(i / frame.columns);
    const double held = cells(column, grid.columns) * cells(row, grid.rows);
    means[i] = static_cast<float>(sums[i] / held);
  }
  return means;
}

LiveView::Frame LiveView::frame_of(unsigned most, std::optional<std::size_t> quantity) const {
  const LiveGrid grid = view_.live_grid();
  Frame frame;
  frame.cycle = now_;
  frame.block = std::max(1U, (std::max(grid.columns, grid.rows) + most - 1) / most);
  frame.columns = (grid.columns + frame.block - 1) / frame.block;
  frame.rows = (grid.rows + frame.block - 1) / frame.block;
  view_.catch_up(now_ + 1);
  for (std::size_t q = 0; q < grid.quantities.size(); ++q) {
    frame.values.emplace_back();
    if (quantity && *quantity != q) continue;
    frame.values.back() = means_of(q, grid, frame);
  }
  return frame;
}

// A long run keeps every second, fourth, .. frame.
void LiveView::record() {
  if (frames_.size() == kMostFrames) {
    for (std::size_t i = 0; 2 * i < frames_.size(); ++i) frames_[i] = std::move(frames_[2 * i]);
    frames_.resize(kMostFrames / 2);
    between_frames_ *= 2;
  }
  frames_.push_back(frame_of(kRecordedSquares));
  next_frame_ = now_ + between_frames_;
}

}  // namespace tessera::run
