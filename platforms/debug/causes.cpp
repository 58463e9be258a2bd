#include "platforms/debug/causes.h"

#include "models/observe/wait_causes.h"
#include "platforms/debug/words.h"
#include "platforms/report/report.h"
#include "platforms/run/wait_report.h"

namespace tessera::debug {

std::vector<std::string>
causes_of(const run::View& view, const std::function<std::string(const std::vector<int>&)>& name) {
  observe::Waits waits(10'000);
  view.describe_waits(waits);
  report::Report report;
  run::list_waits(
      waits, view.flows(), observe::Help::kNone,
      [&view](std::uint32_t place) { return view.coordinates(place); }, report);
  std::vector<std::string> lines;
  const std::string summary = report::summary_of_causes(report.causes, report.places_that_follow);
  if (!summary.empty()) lines.push_back(summary);
  for (const std::string& line : report::lines(report.wait_groups, name)) lines.push_back(line);
  return lines;
}

}  // namespace tessera::debug
