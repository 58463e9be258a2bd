#include "platforms/wse/wait_summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "models/observe/event_fields.h"
#include "models/pe/readiness.h"

namespace tessera::wse {

namespace {

using observe::Counter;
using observe::WaitReason;

/// Those whose cycles are no waits.
bool is_wait(WaitReason reason) {
  return reason != WaitReason::kBusy && reason != WaitReason::kIdle;
}

template <class Visit>
void for_each_wait(Visit visit) {
  for (unsigned r = 0; r < observe::kWaitReasonCount; ++r) {
    if (const auto reason = static_cast<WaitReason>(r); is_wait(reason)) visit(reason);
  }
}

std::string name_of_thread(unsigned thread) {
  return thread == observe::kMainThread ? "main thread" : "microthread " + std::to_string(thread);
}

/// Lines of several programs are one if they have the same words: a file that many tiles run.
class Lines {
 public:
  void add(const observe::LineWaits& lines, const pe::Image& image) {
    for (const observe::LineWaits::Entry& entry : lines.entries()) {
      const std::string place = image.place_of(entry.pc);
      const std::string thread = name_of_thread(entry.thread);
      if (entry.reason == WaitReason::kBusy) {
        busy_[{place, thread}] += entry.cycles;
        continue;
      }
      const std::string what = pe::words_of(image, {entry.reason, entry.number});
      report::WaitSummary::Line& line = lines_[{place, thread, what}];
      line.place = place;
      line.thread = thread;
      line.reason = observe::info(entry.reason).name;
      line.what = what;
      line.cycles += entry.cycles;
    }
  }
  void put(report::WaitSummary& summary) const {
    for (const auto& [key, line] : lines_) {
      summary.lines.push_back(line);
      const auto busy = busy_.find({line.place, line.thread});
      if (busy != busy_.end()) summary.lines.back().busy = busy->second;
    }
    for (const auto& [key, cycles] : busy_)
      summary.busy_lines.push_back({key.first, key.second, cycles});
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, report::WaitSummary::Line> lines_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> busy_;
};

struct NamedLink {
  Counter counter;
  Direction direction;
};
constexpr std::array<NamedLink, kDirectionCount> kLinks = {
    {{Counter::kHopsEast, Direction::kEast},
     {Counter::kHopsWest, Direction::kWest},
     {Counter::kHopsNorth, Direction::kNorth},
     {Counter::kHopsSouth, Direction::kSouth},
     {Counter::kOffRampWavelets, Direction::kRamp}}};

/// The links with most of something, and none with nothing of it; of equal ones the first.
template <class Amount>
std::vector<report::WaitSummary::Link> most(std::vector<report::WaitSummary::Link> links,
                                            Amount amount) {
  constexpr std::size_t kMostLinks = 100;
  links.erase(std::remove_if(links.begin(), links.end(),
                             [&](const auto& link) { return amount(link) == 0; }),
              links.end());
  std::stable_sort(links.begin(), links.end(),
                   [&](const auto& a, const auto& b) { return amount(a) > amount(b); });
  links.resize(std::min(links.size(), kMostLinks));
  return links;
}

}  // namespace

void summarize_waits(const observe::WaitBook& book,
                     const std::vector<std::shared_ptr<const pe::Image>>& images,
                     report::WaitSummary& summary) {
  summary.unit = "tile";
  for (std::uint32_t place = 0; place < book.places(); ++place)
    summary.units += book.tile(place) != nullptr ? 1 : 0;
  summary.busy = book.total(WaitReason::kBusy);
  summary.idle = book.total(WaitReason::kIdle);
  for_each_wait([&](WaitReason reason) {
    const observe::WaitReasonInfo& info = observe::info(reason);
    summary.reasons.push_back(
        {std::string(info.name), std::string(info.description), book.total(reason)});
  });
  Lines lines;
  for (std::size_t program = 0; program < book.programs(); ++program)
    lines.add(book.lines(program), *images[program % images.size()]);
  lines.put(summary);
  summary.sort();
}

void add_links(const observe::Counters& counters, const observe::LinkWaits& waits,
               report::WaitSummary& summary) {
  using Link = report::WaitSummary::Link;
  std::vector<Link> links;
  std::array<std::uint64_t, 3> totals{};  // credit, taken, route
  for (std::uint32_t place = 0; place < counters.width() * counters.height(); ++place) {
    const observe::LinkWaits::Tile& tile = waits.tiles()[place];
    totals[2] += tile.route;
    for (const NamedLink& named : kLinks) {
      const std::uint32_t wavelets = counters.tile(place, named.counter);
      const std::uint32_t credit = tile.credit(named.direction);
      const std::uint32_t taken = tile.taken[index(named.direction)];
      totals[0] += credit;
      totals[1] += taken;
      if (wavelets + credit + taken == 0) continue;
      const auto x = static_cast<int>(place % counters.width());
      const auto y = static_cast<int>(place / counters.width());
      links.push_back({{x, y}, to_string(named.direction), wavelets, credit, taken});
    }
  }
  summary.routers = {
      {"credit", "room behind a link: its receiver gives no credit", totals[0]},
      {"taken", "a link through which other wavelets left", totals[1]},
      {"route", "a route: the end of a teardown, or another switch position", totals[2]}};
  const auto waited = [](const Link& link) { return link.credit + link.taken; };
  summary.waiting_links = most(links, waited);
  links.erase(std::remove_if(links.begin(), links.end(),
                             [](const Link& link) { return link.direction == "RAMP"; }),
              links.end());
  summary.links = most(links, [](const Link& link) { return link.wavelets; });
}

observe::HeatMap wait_map(const observe::WaitBook& book, unsigned width, unsigned height,
                          Cycle cycles) {
  observe::HeatMap map{width, height, "cycles of waits", "%", {}};
  map.hue = observe::Hue::kWaits;
  for (std::uint32_t place = 0; place < book.places(); ++place) {
    std::uint64_t waited = 0;
    if (const observe::TileWaits* tile = book.tile(place))
      for_each_wait([&](WaitReason reason) { waited += tile->cycles(reason); });
    map.values.push_back(100 * static_cast<double>(waited) / static_cast<double>(cycles));
  }
  return map;
}

observe::HeatMap link_map(const observe::Counters& counters, Cycle cycles) {
  observe::HeatMap map{counters.width(), counters.height(), "load of the busiest link", "%", {}};
  map.hue = observe::Hue::kLinks;
  for (std::uint32_t place = 0; place < counters.width() * counters.height(); ++place) {
    std::uint32_t most = 0;
    for (const NamedLink& link : kLinks) {
      if (link.direction != Direction::kRamp)
        most = std::max(most, counters.tile(place, link.counter));
    }
    map.values.push_back(100 * static_cast<double>(most) / static_cast<double>(cycles));
  }
  return map;
}

}  // namespace tessera::wse
