#include "platforms/run/live_data.h"

#include <boost/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "frontends/text/files_read.h"
#include "frontends/text/output_file.h"
#include "platforms/run/gzipped.h"
#include "platforms/run/live_assets.h"
#include "platforms/run/slice_log.h"

namespace tessera::run {

namespace json = boost::json;

namespace {

constexpr std::uintmax_t kMostBytesOfSource = 400'000;  // of a file
constexpr std::size_t kMostBytesOfSources = 4'000'000;

/// The texts of the program that this process has read, by their paths: places name them, or the last part of them.
json::object program_texts() {
  namespace fs = std::filesystem;
  json::object texts;
  std::size_t bytes = 0;
  const text::FilesRead* const read = text::FilesRead::current();
  if (read == nullptr) return texts;
  for (const auto& [path, file] : read->files()) {
    std::error_code error;
    if (file.kind != text::FilesRead::Kind::kProgram) continue;
    if (fs::file_size(path, error) > kMostBytesOfSource || error) continue;
    std::ifstream in(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    const bool is_text = content.find('\0') == std::string::npos;
    if (!in || !is_text || bytes + content.size() > kMostBytesOfSources) continue;
    bytes += content.size();
    texts[fs::path(path).lexically_normal().generic_string()] = std::move(content);
  }
  return texts;
}

/// What stands in a script element may not end it.
std::string in_script(std::string text) {
  for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at))
    text.replace(at, 2, "<\\/");
  return text;
}

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(bytes.size() * 4 / 3 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[word >> (18 - 6 * k) & 63];
  }
  return text;
}

json::array tracks_of(const SliceLog& log, std::optional<unsigned> process) {
  json::array tracks;
  for (const auto& [key, track] : log.tracks()) {
    if (process && key.first != *process) continue;
    json::array rows;
    rows.reserve(track.rows.size() * 6);
    for (const SliceLog::Row& row : track.rows)
      for (const std::uint64_t value : {row.begin, row.end - row.begin, Cycle{row.name},
                                        Cycle{row.line}, Cycle{row.what}, Cycle{row.count}})
        rows.emplace_back(value);
    tracks.emplace_back(json::object{{"process", key.first},
                                     {"thread", key.second},
                                     {"name", track.name},
                                     {"from", track.from},
                                     {"rows", std::move(rows)}});
  }
  return tracks;
}

/// Who has to give `need`, as far as one place has; no value: nobody else, or it is not known.
std::optional<std::uint32_t> giver_of(const observe::Flows& flows, observe::Resource need,
                                      std::uint32_t own) {
  using Kind = observe::Resource::Kind;
  constexpr int kMostSteps = 4096;  // a color may go around in a ring
  if (need.kind == Kind::kBuffer && need.number == observe::Resource::kBeyond)
    need = flows.beyond(need);
  if (need.kind == Kind::kNone || need.kind == Kind::kTime || need.kind == Kind::kNever)
    return std::nullopt;
  for (int step = 0; need.kind == Kind::kWavelet && step < kMostSteps; ++step) {
    const observe::Flows::Upstream upstream = flows.upstream(need);
    if (upstream.from_pe && need.place != own) return need.place;
    if (upstream.before.size() != 1 || upstream.unknown) return std::nullopt;
    need = upstream.before.front();
  }
  return need.kind != Kind::kWavelet && need.place != own ? std::optional(need.place)
                                                          : std::nullopt;
}

}  // namespace

std::vector<Said> said_about(View& view, std::size_t cell, Cycle now) {
  const std::uint32_t place = view.live_place(cell);
  std::vector<Said> said;
  view.catch_up_at(place, now + 1);
  if (std::string state = view.state_of(place, now); !state.empty())
    said.push_back({std::move(state), {}});
  observe::Waits waits = observe::Waits::of(place);
  view.describe_waits(waits);
  const bool has_cells = view.flows() != nullptr && view.live_grid().kind == "fabric";
  for (const observe::Wait& wait : waits) {
    Said& sentence = said.emplace_back();
    sentence.text = wait.who + " waits for " + wait.what;
    for (std::size_t i = 0; has_cells && i < wait.needs.size() && !sentence.to; ++i)
      sentence.to = giver_of(*view.flows(), wait.needs[i], place);
  }
  return said;
}

namespace {

/// Cells with a program: of the machine, and of each square of several cells.
void add_programs(const Recording& recording, json::object& about) {
  const LiveGrid& grid = recording.grid();
  if (grid.has_program.empty()) return;
  about["programs"] = std::count(grid.has_program.begin(), grid.has_program.end(), true);
  if (recording.shape().block == 1) return;
  json::array squares;
  for (std::size_t square = 0; square < recording.shape().squares(); ++square)
    squares.emplace_back(recording.programs_in(square));
  about["programs_in"] = std::move(squares);
}

}  // namespace

std::string about_json(const cli::Options& options, View& view, const Recording& recording) {
  const LiveGrid& grid = recording.grid();
  json::array layers, names, tracks;
  for (const LiveLayer& layer : grid.layers)
    layers.emplace_back(
        json::object{{"key", layer.key}, {"name", layer.name}, {"unit", layer.unit}});
  const bool is_fabric = grid.kind == "fabric";
  for (std::size_t cell = 0; !is_fabric && cell < grid.cells(); ++cell) {
    names.emplace_back(view.live_name(cell));
    const auto [process, thread] = view.live_track(cell);
    tracks.emplace_back(json::array{process, thread});
  }
  json::object about{
      {"schema", "tessera-live-1"},
      {"program", options.program},
      {"machine", grid.machine},
      {"kind", grid.kind},
      {"grid", {grid.columns, grid.rows}},
      {"used", {grid.used[0], grid.used[1], grid.used[2], grid.used[3]}},
      {"watched", json::array(grid.watched.begin(), grid.watched.end())},
      {"period_ps", grid.period_ps},
      {"max_cycles", options.max_cycles ? json::value(*options.max_cycles) : json::value()},
      {"layers", std::move(layers)},
      {"names", std::move(names)},
      {"tracks", std::move(tracks)},
      {"sources", program_texts()}};
  add_programs(recording, about);
  return json::serialize(about);
}

std::string commands_json(const Recording& recording) {
  json::array commands;
  for (const Recording::Command& command : recording.commands())
    commands.emplace_back(
        json::array{command.name, command.begin,
                    command.end == kNever ? json::value() : json::value(command.end)});
  return json::serialize(commands);
}

std::string slices_json(View& view, Cycle now, std::optional<unsigned> process) {
  const SliceLog* const log = view.live_slices(now);
  if (log == nullptr) return "null";
  return json::serialize(
      json::object{{"words", json::array(log->words().begin(), log->words().end())},
                   {"tracks", tracks_of(*log, process)}});
}

std::string memory_json(const View& view, std::size_t cell) {
  json::array symbols;
  for (const LiveSymbol& symbol : view.live_memory(cell))
    symbols.emplace_back(
        json::object{{"name", symbol.name},
                     {"type", symbol.type},
                     {"address", symbol.address},
                     {"bytes", symbol.bytes},
                     {"count", symbol.count},
                     {"values", json::array(symbol.values.begin(), symbol.values.end())}});
  return json::serialize(symbols);
}

std::string queues_json(const View& view, std::size_t cell, Cycle now) {
  json::array queues;
  for (const LiveQueue& queue : view.live_queues(cell, now))
    queues.emplace_back(
        json::object{{"name", queue.name},
                     {"number", queue.number},
                     {"color", queue.color ? json::value(*queue.color) : json::value()},
                     {"places", queue.places},
                     {"filled", queue.filled},
                     {"first", queue.first}});
  return json::serialize(queues);
}

void write_live_page(const std::string& path, const cli::Options& options,
                     const report::Report& report, View& view, Recording& recording) {
  const Cycle cycles = report.cycles;
  recording.finish(cycles);
  report::Report shown = report;
  shown.places = {};  // the recording has them
  std::string memory;
  for (const std::size_t cell : recording.grid().watched)
    memory += (memory.empty() ? "" : ",") + ("\"" + std::to_string(cell) + "\":") +
              memory_json(view, cell);
  const std::string data = "{\"about\":" + about_json(options, view, recording) +
                           ",\"commands\":" + commands_json(recording) +
                           ",\"slices\":" + slices_json(view, cycles == 0 ? 0 : cycles - 1) +
                           ",\"sentences\":" + recording.sentences() + ",\"memory\":{" + memory +
                           "},\"report\":" + report::to_json(shown) + "}";
  text::OutputFile file(path);
  std::ostream& out = file.stream();
  out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
         "<title>Tessera: live view</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n"
      << live::style() << "</style></head><body>\n"
      << live::body() << "<script type=\"text/plain\" id=\"frames\">"
      << base64(gzipped(recording.frames(0, cycles == 0 ? 0 : cycles - 1)))
      << "</script>\n<script type=\"text/plain\" id=\"data\">" << base64(gzipped(data))
      << "</script>\n<script>\n"
      << in_script(live::script()) << "</script></body></html>\n";
  file.commit();
}

}  // namespace tessera::run
