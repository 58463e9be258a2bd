#include "platforms/run/wait_report.h"

#include <algorithm>

namespace tessera::run {

namespace {

const char* name_of(observe::WaitGroup::Part part) {
  using Part = observe::WaitGroup::Part;
  switch (part) {
  case Part::kNever:
    return "never";
  case Part::kRing:
    return "ring";
  case Part::kRest:
    return "rest";
  case Part::kFollows:
    return "follows";
  case Part::kUnread:
    return "unread";
  case Part::kIdle:
    return "idle";
  }
  return "";
}

std::string in_brackets(const std::vector<int>& at) {
  std::string text;
  for (const int n : at) text += (text.empty() ? "(" : ", ") + std::to_string(n);
  return text + ")";
}

report::WaitGroup group_of(const observe::Waits& waits, const observe::WaitGroup& group,
                           const CoordinatesOf& coordinates) {
  const observe::Waits::Node& node = waits.nodes()[group.first];
  const observe::Waits::Kind& kind = waits.kinds()[group.kind];
  const bool is_kept = node.kept != observe::Waits::kNotKept;
  report::WaitGroup out;
  out.part = name_of(group.part);
  out.is_cause = group.is_cause();
  out.count = group.count;
  out.first = {coordinates(node.place),
               is_kept && group.count == 1 ? waits[node.kept].who : kind.who,
               is_kept ? waits[node.kept].what : kind.what};
  out.why = group.why;
  return out;
}

}  // namespace

void list_waits(const observe::Waits& waits, const observe::Flows* flows, observe::Help help,
                const CoordinatesOf& coordinates, report::Report& report) {
  const observe::WaitCauses causes = observe::find_causes(
      waits, flows, help, [&](std::uint32_t place) { return in_brackets(coordinates(place)); });
  report.causes = causes.causes;
  report.places_that_follow = causes.places_that_follow;
  report.wait_count = waits.total();
  for (const observe::WaitGroup& group : causes.groups)
    report.wait_groups.push_back(group_of(waits, group, coordinates));
  // The order has group after group.
  std::size_t g = 0, seen = 0;
  for (const std::uint32_t n : causes.order) {
    while (seen == report.wait_groups[g].count) {
      ++g;
      seen = 0;
    }
    ++seen;
    const observe::Waits::Node& node = waits.nodes()[n];
    auto& places = report.wait_groups[g].places;
    if (places.size() < report::WaitGroup::kMostPlaces) places.push_back(coordinates(node.place));
    if (node.kept != observe::Waits::kNotKept)
      report.stuck.push_back(
          {coordinates(node.place), waits[node.kept].who, waits[node.kept].what});
  }
}

}  // namespace tessera::run
