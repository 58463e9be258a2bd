#include "platforms/report/report.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

#include "frontends/text/output_file.h"
#include "platforms/report/pretty_json.h"

namespace tessera::report {

namespace {

namespace json = boost::json;

template <class T>
json::array to_array(const std::vector<T>& values) {
  json::array out;
  for (const T& v : values) out.emplace_back(v);
  return out;
}

json::object wall_json(const Report& r) {
  json::object out = {{"elaborate_s", r.wall.elaborate_s},
                      {"run_s", r.wall.run_s},
                      {"cycles_per_s", per_second(r.cycles, r.wall)},
                      {"tile_cycles_per_s", per_second(r.cycles * r.wall.tiles, r.wall)},
                      {"hops_per_s", per_second(r.wall.hops, r.wall)},
                      {"peak_rss_bytes", peak_rss_bytes()}};
  if (r.wall.destroy_s) out["destroy_s"] = *r.wall.destroy_s;
  return out;
}

/// A number where all of the text is one.
json::value number_or_text(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end && std::to_string(number) == text) return number;
  return json::string(text);
}

json::object to_object(const std::map<std::string, std::string>& texts, bool may_be_numbers) {
  json::object out;
  for (const auto& [name, text] : texts)
    out[name] = may_be_numbers ? number_or_text(text) : json::string(text);
  return out;
}

json::object options_json(const Run& run) {
  json::object all;
  for (const auto& [name, values] : run.options)
    all[name] = json::array(values.begin(), values.end());
  return all;
}

json::object run_json(const Run& run) {
  return {{"argv", to_array(run.argv)},
          {"version", run.version},
          {"commit", run.commit},
          {"params", to_object(run.params, true)},
          {"settings", to_object(run.settings, true)},
          {"options", options_json(run)},
          {"config_digest", run.config_digest},
          {"program_digest", run.program_digest},
          {"files", to_object(run.files, false)},
          {"inputs", to_object(run.inputs, false)},
          {"seed", run.seed},
          {"threads", run.threads},
          {"ranks", run.ranks}};
}

json::object counters_json(const Report& r) {
  json::object out;
  for (const Counter& c : r.counters) {
    out[c.name] =
        json::object{{"value", c.value}, {"unit", c.unit}, {"description", c.description}};
  }
  return out;
}

/// "tile" of "tiles".
std::string singular(const std::string& key) {
  return key.empty() ? key : key.substr(0, key.size() - 1);
}

/// Whole numbers are written as such.
json::value number_json(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  if (static_cast<double>(whole) == value) return whole;
  return value;
}

json::object group_json(const Group& group) {
  json::object out;
  for (const Group::Entry& entry : group.entries) {
    if (entry.values.size() == 1 && entry.values[0].first.empty()) {
      out[entry.name] = number_json(entry.values[0].second);
      continue;
    }
    json::object values;
    for (const auto& [name, value] : entry.values) values[name] = number_json(value);
    for (const auto& [name, text] : entry.texts) values[name] = text;
    out[entry.name] = std::move(values);
  }
  return out;
}

json::object place_json(const Report& r, std::size_t i) {
  const Places& places = r.places;
  json::array at;
  for (std::size_t d = 0; d < places.rank; ++d) at.emplace_back(places.at[i * places.rank + d]);
  json::object entry{{singular(r.places_key), std::move(at)}};
  const std::size_t count = places.counters.size();
  for (std::size_t c = 0; c < count; ++c) entry[places.counters[c]] = places.values[i * count + c];
  return entry;
}

json::object outputs_json(const Report& r) {
  json::object out;
  for (const Output& o : r.outputs) {
    json::object entry{{"dtype", o.dtype}, {"shape", to_array(o.shape)}};
    if (!o.file.empty()) entry["file"] = o.file;
    out[o.name] = std::move(entry);
  }
  return out;
}

json::array checks_json(const Report& r) {
  json::array out;
  for (const Check& c : r.checks) {
    out.push_back(json::object{{"name", c.name}, {"passed", c.passed}, {"detail", c.detail}});
  }
  return out;
}

json::array links_json(const Report& r, const std::vector<WaitSummary::Link>& links) {
  json::array out;
  for (const WaitSummary::Link& link : links) {
    json::object entry{{singular(r.places_key), to_array(link.at)},
                       {"direction", link.direction},
                       {"wavelets", link.wavelets}};
    if (!r.waits.routers.empty()) {
      entry["credit"] = link.credit;
      entry["taken"] = link.taken;
    }
    out.push_back(std::move(entry));
  }
  return out;
}

json::object waits_json(const Report& r) {
  const WaitSummary& waits = r.waits;
  json::object reasons;
  for (const WaitSummary::Reason& reason : waits.reasons) reasons[reason.name] = reason.cycles;
  json::array lines;
  for (const WaitSummary::Line& line : waits.lines) {
    json::object entry{{"place", line.place},
                       {"reason", line.reason},
                       {"cycles", line.cycles},
                       {"what", line.what},
                       {"busy", line.busy}};
    if (!line.thread.empty()) entry["thread"] = line.thread;
    lines.push_back(std::move(entry));
  }
  json::object out{
      {"unit", waits.unit}, {"units", waits.units},          {"busy", waits.busy},
      {"idle", waits.idle}, {"reasons", std::move(reasons)}, {"lines", std::move(lines)}};
  json::array busy_lines;
  for (const WaitSummary::BusyLine& line : waits.busy_lines) {
    json::object entry{{"place", line.place}, {"busy", line.busy}};
    if (!line.thread.empty()) entry["thread"] = line.thread;
    busy_lines.push_back(std::move(entry));
  }
  if (!busy_lines.empty()) out["busy_lines"] = std::move(busy_lines);
  if (!waits.links.empty()) out["links"] = links_json(r, waits.links);
  if (waits.routers.empty()) return out;
  json::object routers;
  for (const WaitSummary::Reason& reason : waits.routers) routers[reason.name] = reason.cycles;
  out["routers"] = std::move(routers);
  out["waiting_links"] = links_json(r, waits.waiting_links);
  return out;
}

json::object why_json(const Report& r) {
  return {{"cycle", r.why->cycle},
          {singular(r.places_key), to_array(r.why->at)},
          {"waits", to_array(r.why->lines)}};
}

json::array stuck_json(const Report& r) {
  json::array out;
  for (const Wait& w : r.stuck) {
    out.push_back(
        json::object{{singular(r.places_key), to_array(w.at)}, {"who", w.who}, {"what", w.what}});
  }
  return out;
}

json::array groups_json(const Report& r, bool only_causes) {
  json::array out;
  for (const WaitGroup& group : r.wait_groups) {
    if (only_causes && !group.is_cause) continue;
    json::array places;
    for (const std::vector<int>& at : group.places) places.push_back(to_array(at));
    out.push_back(json::object{{"part", group.part},
                               {"cause", group.is_cause},
                               {"count", group.count},
                               {singular(r.places_key), to_array(group.first.at)},
                               {"who", group.first.who},
                               {"what", group.first.what},
                               {"why", group.why},
                               {r.places_key, std::move(places)}});
  }
  return out;
}

json::object diagnoses_json(const Report& r) {
  json::array first;
  for (const Diagnosis& d : r.diagnoses.first) {
    first.push_back(json::object{{"cycle", d.cycle},
                                 {singular(r.places_key), to_array(d.at)},
                                 {"id", d.id},
                                 {"text", d.text}});
  }
  return {{"count", r.diagnoses.count}, {"first", std::move(first)}};
}

json::object report_json(const Report& r) {
  json::object out{{"schema", "tessera-report-1"},
                   {"platform", r.platform},
                   {"preset", r.preset},
                   {"program", r.program},
                   {"structure", r.structure},
                   {"status", to_string(r.status)},
                   {"exit_code", exit_code(r.status)},
                   {"message", r.message},
                   {"cycles", r.cycles},
                   {"digest", r.digest},
                   {"time_ns", time_ns(r)},
                   {"wall", wall_json(r)},
                   {"run", run_json(r.run)},
                   {"counters", counters_json(r)}};
  if (r.device_error)
    out["device_error"] =
        json::object{{"number", r.device_error->number}, {"name", r.device_error->name}};
  for (const Group& group : r.groups) out[group.key] = group_json(group);
  if (!r.places.empty()) out[r.places_key] = nullptr;  // written place by place
  out["outputs"] = outputs_json(r);
  out["checks"] = checks_json(r);
  out["diagnoses"] = diagnoses_json(r);
  if (r.waits.units > 0) out["waits"] = waits_json(r);
  if (r.why) out["why"] = why_json(r);
  if (!r.stuck.empty()) {
    out["wait_count"] = r.wait_count;
    out["causes"] = groups_json(r, true);
    out["groups"] = groups_json(r, false);
    out["stuck"] = stuck_json(r);
  }
  return out;
}

void write(const Report& report, std::ostream& out) {
  write_pretty(out, report_json(report),
               {report.places_key, report.places.size(),
                [&](std::size_t i) { return place_json(report, i); }});
}

}  // namespace

const char* to_string(Status status) {
  constexpr std::array<const char*, 6> kNames = {"finished",    "check_failed",     "user_input",
                                                 "integration", "could_not_finish", "internal"};
  return kNames[static_cast<std::size_t>(status)];
}

std::uint64_t peak_rss_bytes() {
  // Not getrusage(): its peak begins with the size of the process that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    std::uint64_t kib = 0;
    status >> kib;
    return kib * 1024;
  }
  return 0;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void WaitSummary::sort() {
  constexpr std::size_t kMostLines = 200;
  constexpr std::size_t kMostBusyLines = 2000;
  const auto more = [](const auto& a, const auto& b) { return a.cycles > b.cycles; };
  const auto is_zero = [](const auto& row) { return row.cycles == 0; };
  reasons.erase(std::remove_if(reasons.begin(), reasons.end(), is_zero), reasons.end());
  lines.erase(std::remove_if(lines.begin(), lines.end(), is_zero), lines.end());
  std::stable_sort(reasons.begin(), reasons.end(), more);
  std::stable_sort(lines.begin(), lines.end(), more);
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  std::stable_sort(busy_lines.begin(), busy_lines.end(),
                   [](const auto& a, const auto& b) { return a.busy > b.busy; });
  if (busy_lines.size() > kMostBusyLines) busy_lines.resize(kMostBusyLines);
}

double time_ns(const Report& report) {
  if (report.clock_khz > 0)
    return static_cast<double>(report.cycles) * 1e6 / static_cast<double>(report.clock_khz);
  return static_cast<double>(report.cycles * report.clock_period_ps) / 1000;
}

double per_second(std::uint64_t count, const Wall& wall) {
  return wall.run_s > 0 ? static_cast<double>(count) / wall.run_s : 0;
}

std::string to_json(const Report& report) {
  std::ostringstream out;
  write(report, out);
  return out.str();
}

std::string stuck_to_json(const Report& report) {
  return json::serialize(stuck_json(report));
}

void write_json(const Report& report, const std::string& path) {
  text::OutputFile out(path);
  write(report, out.stream());
  out.commit();
}

}  // namespace tessera::report
