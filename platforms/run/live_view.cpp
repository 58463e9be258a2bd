#include "platforms/run/live_view.h"

#include <boost/json.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <iostream>
#include <optional>
#include <utility>

#include "platforms/run/driver.h"
#include "platforms/run/live_assets.h"
#include "platforms/run/live_data.h"
#include "platforms/run/recording.h"
#include "platforms/run/signals.h"
#include "platforms/run/wait_report.h"

namespace tessera::run {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostLines = 200;          // sentences about a place, at most
constexpr std::size_t kMostTold = 10'000;        // waits of each sort that are told
constexpr std::chrono::milliseconds kLook{100};  // time between two looks for a signal
constexpr double kBetweenTold = 0.1;             // seconds between two states of a run that goes on
constexpr unsigned kMostCyclesToTell = 256;      // between two looks at the clock

/// A value of a request that is no whole number of 64 bits.
struct BadNumber {
  std::string sentence;
};

/// The number `key` of a request; `otherwise` if it has none. Throws BadNumber.
std::uint64_t number_in(const HttpRequest& request, const char* key,
                        std::optional<std::uint64_t> otherwise = std::nullopt) {
  const std::string text = request.value(key);
  if (text.empty() && otherwise) return *otherwise;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw BadNumber{std::string(key) + ": '" + text + "' is not a whole number of 0 or more"};
  return number;
}

HttpResponse response_of(const json::value& value) {
  return {json::serialize(value)};
}

HttpResponse unknown(const char* what) {
  return {std::string("there is no such ") + what, "text/plain", 404};
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The cell of a request; no value: the machine has none of that number.
std::optional<std::size_t> cell_in(const HttpRequest& request, const Recording& recording) {
  const std::uint64_t cell = number_in(request, "cell");
  if (cell >= recording.grid().cells()) return std::nullopt;
  return static_cast<std::size_t>(cell);
}

}  // namespace

LiveView::LiveView(unsigned short port, const Run& run) : run_(run), server_(port) {
  std::cerr << "live view: " << server_.address() << std::endl;
}

void LiveView::after_cycle(Cycle now) {
  if (closed_) return;
  now_ = now;
  const bool pauses = state_ != State::kPaused && now >= pause_at_;
  if (pauses) state_ = State::kPaused;
  tell(pauses);
  if (state_ == State::kPaused || server_.has_requests()) hold();
}

// A cycle takes 100 ns or 100 ms, so the clock is looked at once in some cycles.
void LiveView::tell(bool has_changed) {
  if (!has_changed && --cycles_to_tell_ > 0) return;
  const double now = seconds_now();
  const double since = now - told_s_;
  cycles_to_tell_ = since < kBetweenTold / 4 ? kMostCyclesToTell : 1;
  if (!has_changed && since < kBetweenTold) return;
  told_s_ = now;
  server_.tell("event: state\ndata: " + state_json() + "\n\n");
}

void LiveView::hold() {
  const auto answers = [this](const HttpRequest& request) { return answer(request); };
  while (!closed_ && !must_stop() && (state_ != State::kRuns || server_.has_requests()))
    server_.serve(answers, kLook);
}

void LiveView::after_run(Cycle now) {
  state_ = State::kOver;
  const Cycle cycles = run_.report.cycles == 0 ? now + 1 : run_.report.cycles;
  now_ = std::min(now, cycles - 1);
  run_.recording.finish(cycles);
  tell(true);
  if (!closed_) hold();
  server_.serve([this](const HttpRequest& request) { return answer(request); }, kLook);
}

HttpResponse LiveView::page() const {
  const std::string token = "?token=" + server_.token();
  return {"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>Tessera: live view</title>\n<link rel=\"icon\" href=\"data:,\">\n"
          "<link rel=\"stylesheet\" href=\"/style.css" +
              token + "\"></head><body data-live=\"1\">\n" + live::body() +
              "<script src=\"/app.js" + token + "\"></script></body></html>\n",
          "text/html; charset=utf-8"};
}

HttpResponse LiveView::answer(const HttpRequest& request) {
  try {
    return answer_path(request);
  } catch (const BadNumber& bad) {
    return {bad.sentence, "text/plain", 400};
  }
}

HttpResponse LiveView::answer_path(const HttpRequest& request) {
  const std::string& path = request.path;
  if (path == "/do") {
    if (!request.is_post) return {"POST only", "text/plain", 405};
    return answer_command(request);
  }
  if (request.is_post) return {"GET only", "text/plain", 405};
  if (path == "/") return page();
  if (path == "/app.js") return {live::script(), "text/javascript; charset=utf-8"};
  if (path == "/style.css") return {live::style(), "text/css; charset=utf-8"};
  if (path == "/about") return {about_json(run_.options, run_.view, run_.recording)};
  if (path == "/state") return {state_json()};
  if (path == "/events") {
    HttpResponse stream{"event: state\ndata: " + state_json() + "\n\n", "text/event-stream"};
    stream.is_stream = true;
    return stream;
  }
  if (path == "/frames") return answer_frames(request);
  if (path == "/commands") return {commands_json(run_.recording)};
  if (path == "/place") return answer_place(request);
  if (path == "/slices") return answer_slices(request);
  if (path == "/waits") return answer_waits();
  if (path == "/report" && state_ == State::kOver) {
    report::Report shown = run_.report;
    shown.places = {};
    return {report::to_json(shown)};
  }
  return unknown("page");
}

HttpResponse LiveView::answer_command(const HttpRequest& request) {
  const std::string what = request.value("what");
  if (what == "close") {
    closed_ = true;
    if (state_ != State::kOver) state_ = State::kRuns;
    pause_at_ = kNever;
  } else if (what == "pause") {
    if (state_ == State::kRuns) state_ = State::kPaused;
  } else if (what == "go" || what == "step" || what == "until") {
    const Cycle until = what == "until" ? number_in(request, "n") : kNever;
    if (state_ != State::kOver) {
      state_ = State::kRuns;
      pause_at_ = what == "step" ? now_ + 1 : until;
    }
  } else {
    return unknown("command");
  }
  tell(true);
  return response_of(json::object{});
}

std::string LiveView::state_json() const {
  constexpr std::array<const char*, 3> kStates = {"runs", "paused", "over"};
  const std::string& message = run_.report.message;
  const bool is_over = state_ == State::kOver;
  return json::serialize(json::object{
      {"cycle", now_},
      {"state", kStates[static_cast<unsigned>(state_)]},
      {"how", is_over ? message.empty() ? std::string("finished") : message : std::string()},
      {"generation", run_.recording.generation()},
      {"commands", run_.recording.commands().size()}});
}

HttpResponse LiveView::answer_frames(const HttpRequest& request) {
  const std::uint64_t from = number_in(request, "from", 0);
  const bool is_same = number_in(request, "generation", 0) == run_.recording.generation();
  HttpResponse response{run_.recording.frames(is_same ? from : 0, now_),
                        "application/octet-stream"};
  response.is_packed = true;
  return response;
}

HttpResponse LiveView::answer_place(const HttpRequest& request) {
  const auto cell = cell_in(request, run_.recording);
  if (!cell) return unknown("place");
  View& view = run_.view;
  json::array lines;
  for (const Said& said : said_about(view, *cell, now_)) {
    if (lines.size() == kMostLines) break;
    lines.emplace_back(json::array{said.text, said.to ? json::value(*said.to) : json::value()});
  }
  std::vector<std::uint32_t> counts(run_.recording.grid().layers.size());
  view.live_read(*cell, now_, counts.data());
  const json::object place{{"name", view.live_name(*cell)},
                           {"cycle", now_},
                           {"counts", json::array(counts.begin(), counts.end())},
                           {"lines", std::move(lines)},
                           {"queues", json::parse(queues_json(view, *cell, now_))},
                           {"memory", json::parse(memory_json(view, *cell))}};
  return response_of(place);
}

HttpResponse LiveView::answer_slices(const HttpRequest& request) {
  if (request.value("cell").empty()) return {slices_json(run_.view, now_)};
  const auto cell = cell_in(request, run_.recording);
  if (!cell) return unknown("place");
  return {slices_json(run_.view, now_, run_.view.live_track(*cell).first)};
}

// Who waits for what now, causes first, as a report of a stuck run says it.
HttpResponse LiveView::answer_waits() {
  run_.view.catch_up(now_ + 1);
  observe::Waits waits(kMostTold);
  run_.view.describe_waits(waits);
  report::Report stuck;
  list_waits(
      waits, run_.view.flows(), observe::Help::kNone,
      [this](std::uint32_t place) { return run_.view.coordinates(place); }, stuck);
  json::array groups;
  for (const report::WaitGroup& group : stuck.wait_groups)
    groups.emplace_back(
        json::object{{"is_cause", group.is_cause},
                     {"count", group.count},
                     {"at", json::array(group.first.at.begin(), group.first.at.end())},
                     {"text", sentence(group)}});
  return response_of(json::object{{"cycle", now_}, {"groups", std::move(groups)}});
}

}  // namespace tessera::run
