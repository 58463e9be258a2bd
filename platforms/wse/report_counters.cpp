#include "platforms/wse/report_counters.h"

#include <string>

namespace tessera::wse {

std::vector<int> tile_of(std::uint32_t place, const layout::Layout& layout) {
  const auto index = static_cast<int>(place);
  return {index % layout.width, index / layout.width};
}

void add_counters(const observe::Counters& counters, report::Report& report) {
  for (const observe::CounterInfo& info : observe::counter_table()) {
    report.counters.push_back({std::string(info.name), counters.total(info.counter),
                               std::string(info.unit), std::string(info.description)});
  }
}

void add_places(const observe::Counters& counters, const layout::Layout& layout,
                report::Places& places) {
  std::vector<observe::Counter> shown;
  for (const observe::CounterInfo& info : observe::counter_table()) {
    if (info.counter == observe::Counter::kLastEventCycle) continue;
    shown.push_back(info.counter);
    places.counters.emplace_back(info.name);
  }
  places.values.reserve(layout.tile_count() * shown.size());
  for (std::uint32_t place = 0; place < layout.tile_count(); ++place) {
    for (const int coordinate : tile_of(place, layout)) places.at.push_back(coordinate);
    for (const observe::Counter counter : shown)
      places.values.push_back(counters.tile(place, counter));
  }
}

report::Diagnoses report_of(const DiagnosisLog& log, const layout::Layout& layout) {
  report::Diagnoses diagnoses;
  diagnoses.count = log.count();
  for (const observe::Diagnosis& d : log.first()) {
    diagnoses.first.push_back({d.cycle, tile_of(d.place, layout), d.id, d.text});
  }
  return diagnoses;
}

}  // namespace tessera::wse
