// How a stream of commands ends, and who waits where it cannot go on.
#include <algorithm>

#include "platforms/report/report.h"
#include "platforms/run/wait_report.h"
#include "platforms/wse/command_stream.h"

namespace tessera::wse {

namespace {

constexpr std::size_t kMostWaits = 10'000;  // waits of each sort that are kept in words

}  // namespace

std::string CommandStream::finish(observe::Help help) {
  for (OpenId id = 0; id < open_.size(); ++id) follow(id, true);
  for (StreamId id = 0; id < streams_.size(); ++id) wait(id);
  const run::Stop stop = run_saved(
      free_from_ + wafer::kMaxDepth, [] { return false; }, true);
  if (stop != run::Stop::kIdle) fail(stop, "end of the program", help);
  return is_stuck(help) ? why_incomplete(stop, "end of the program", help) : std::string();
}

// What has left the rectangle of the program lies on tiles that have neither program nor routes.
bool CommandStream::is_stuck(observe::Help help) {
  catch_up(machine_, workload_.layout, now());
  observe::Waits inside(kMostWaits);
  inside.take_only([this, width = workload_.layout.width](std::uint32_t place) {
    const auto at = static_cast<int>(place);
    return program_.rectangle.contains({at % width, at / width});
  });
  machine_.describe_waits(inside);
  if (help == observe::Help::kNone || inside.blocking() == 0) return inside.blocking() > 0;
  return observe::find_causes(inside, observed_.flows(), help,
                              [this](std::uint32_t place) { return name_of(place); })
      .is_hopeless;
}

std::string CommandStream::name_of(std::uint32_t place) const {
  const int x = static_cast<int>(place) % workload_.layout.width;
  const int y = static_cast<int>(place) / workload_.layout.width;
  const layout::Rect& rect = program_.rectangle;
  const std::string tile = "tile " + to_string(TileCoord{x, y});
  if (!rect.contains({x, y})) return tile;
  return "PE " + to_string(TileCoord{x - rect.x, y - rect.y}) + " (" + tile + ")";
}

void CommandStream::fail(run::Stop stop, const std::string& command, observe::Help help) const {
  throw CommandError(stop, why_incomplete(stop, command, help));
}

std::string CommandStream::why_incomplete(run::Stop stop, const std::string& command,
                                          observe::Help help) const {
  catch_up(machine_, workload_.layout, now());
  observe::Waits waits(kMostWaits);
  machine_.describe_waits(waits);
  report::Report report;
  run::list_waits(
      waits, observed_.flows(), help,
      [this](std::uint32_t place) { return observed_.coordinates(place); }, report);
  const auto name = [this](const std::vector<int>& at) {
    return name_of(static_cast<std::uint32_t>(workload_.layout.tile_index({at[0], at[1]}))) + ":";
  };
  std::string text = command + ": " + run::stop_text(stop, control_.limits().max_cycles);
  const bool has_cause = stop == run::Stop::kIdle && report.causes > 0;
  if (has_cause) {
    const report::WaitGroup& cause = report.wait_groups.front();
    text += "; " + name(cause.first.at) + " " + sentence(cause);
  }
  const auto unready = std::find_if(missing_.begin(), missing_.end(), [](int n) { return n > 0; });
  if (unready != missing_.end())
    text +=
        "; " + name_of(static_cast<std::uint32_t>(unready - missing_.begin())) +
        (unready_ == 1 ? " has" : " and " + report::plural(unready_ - 1, "other PE") + " have") +
        " not called unblock_cmd_stream";
  for (const std::string& line : report::lines(report.wait_groups, name)) text += "\n  " + line;
  return text;
}

}  // namespace tessera::wse
