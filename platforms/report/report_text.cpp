// The summary that people read on the terminal.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "platforms/report/report.h"

namespace tessera::report {

namespace {

constexpr std::size_t kMaxWaits = 12;
constexpr std::size_t kMaxWarnings = 10;

/// 12,345
std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string with_digits(double value, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// Three or four significant digits.
std::string rounded(double value) {
  if (value >= 100) return with_digits(value, 0);
  return with_digits(value, value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

/// In the largest unit in which it is 1 or more.
std::string in_unit(double value, const std::array<const char*, 4>& units) {
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
  return rounded(value) + units[unit];
}
/// "1.45 us"
std::string duration(double ns) {
  return in_unit(ns, {" ns", " us", " ms", " s"});
}
/// "1.23 M"
std::string scaled(double value) {
  return in_unit(value, {"", " k", " M", " G"});
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ');
}
std::string right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

const char* end_of(const Report& r) {
  // Programs are refused before the first cycle.
  if (r.status == Status::kUserInput && r.cycles > 0) return "OUTPUT NOT WRITTEN";
  constexpr std::array<const char*, 6> kSentences = {"finished",           "WRONG RESULT",
                                                     "INPUT NOT ACCEPTED", "WRONGLY CONNECTED",
                                                     "COULD NOT FINISH",   "INTERNAL ERROR"};
  return kSentences[static_cast<std::size_t>(r.status)];
}

void print_head(const Report& r, std::ostream& out) {
  out << end_of(r);
  if (r.cycles > 0) out << " after " << grouped(r.cycles) << " cycles";
  if (r.cycles > 0 && time_ns(r) > 0) out << " (" << duration(time_ns(r)) << ")";
  // The whole message stands on the error output already.
  if (!r.message.empty()) out << ": " << r.message.substr(0, r.message.find('\n'));
  out << '\n';
  const auto line = [&out](const char* label, const std::string& text) {
    if (!text.empty()) out << "  " << padded(label, 9) << text << '\n';
  };
  line("program", r.program);
  const std::string structure = r.structure.empty() ? "" : ", " + r.structure;
  line("machine", r.preset.empty() ? "" : r.preset + structure);
  line("digest", r.digest);
  if (r.wall.run_s <= 0) return;
  std::string speed = scaled(per_second(r.cycles, r.wall)) + " cycles/s";
  if (r.wall.tiles > 0) {
    speed += ", " + scaled(per_second(r.cycles * r.wall.tiles, r.wall)) + " tile-cycles/s";
  }
  if (r.wall.hops > 0) speed += ", " + scaled(per_second(r.wall.hops, r.wall)) + " hops/s";
  line("wall", duration(r.wall.elaborate_s * 1e9) + " to build, " + duration(r.wall.run_s * 1e9) +
                   " to run: " + speed + ", " + scaled(static_cast<double>(peak_rss_bytes())) +
                   "B memory");
}

// The unit of a count, which units name in the plural.
std::string counted(const Counter& c) {
  const bool one = c.value == 1 && !c.unit.empty() && c.unit.back() == 's';
  return one ? c.unit.substr(0, c.unit.size() - 1) : c.unit;
}

void print_counters(const Report& r, std::ostream& out) {
  std::size_t names = 0, values = 0;
  for (const Counter& c : r.counters) {
    if (c.value == 0) continue;
    names = std::max(names, c.name.size());
    values = std::max(values, grouped(c.value).size());
  }
  if (names == 0) return;
  out << "\ncounters\n";
  for (const Counter& c : r.counters) {
    if (c.value == 0) continue;
    out << "  " << padded(c.name, names) << "  " << right(grouped(c.value), values) << ' '
        << counted(c) << '\n';
  }
}

/// The width of a column of names.
template <class Named>
std::size_t width_of_names(const std::vector<Named>& rows) {
  std::size_t width = 0;
  for (const Named& row : rows) width = std::max(width, row.name.size());
  return width;
}

void print_outputs(const Report& r, std::ostream& out) {
  if (r.outputs.empty()) return;
  const std::size_t names = width_of_names(r.outputs);
  out << "\noutputs\n";
  for (const Output& o : r.outputs) {
    std::string shape;
    for (const std::size_t n : o.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(n);
    out << "  " << padded(o.name, names) << "  " << o.dtype << " [" << shape << "]";
    if (!o.file.empty()) out << " -> " << o.file;
    out << '\n';
  }
}

void print_checks(const Report& r, std::ostream& out) {
  if (r.checks.empty()) return;
  const std::size_t names = width_of_names(r.checks);
  out << "\nchecks\n";
  for (const Check& c : r.checks) {
    out << "  " << padded(c.name, names) << "  " << (c.passed ? "passed" : "FAILED");
    if (!c.detail.empty()) out << "  " << c.detail;
    out << '\n';
  }
}

std::string in_brackets(const std::vector<int>& at) {
  std::string text;
  for (const int n : at) text += (text.empty() ? "(" : ", ") + std::to_string(n);
  return text + ")";
}

/// "12.3 %"
std::string share(std::uint64_t part, std::uint64_t whole) {
  return with_digits(100 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

void print_waits_of_links(const Report& r, std::ostream& out) {
  const std::vector<WaitSummary::Link>& links = r.waits.waiting_links;
  if (links.empty()) return;
  out << "\nwhat wavelets in routers waited for, in cycles of wavelets\n";
  for (const WaitSummary::Reason& reason : r.waits.routers) {
    if (reason.cycles > 0)
      out << "  " << right(grouped(reason.cycles), 13) << "  " << padded(reason.name, 6) << "  "
          << reason.what << '\n';
  }
  out << "\nlinks that wavelets waited for most: for room behind them, while others left\n";
  for (std::size_t i = 0; i < std::min(links.size(), kMaxWaits); ++i) {
    out << "  " << right(grouped(links[i].credit), 13) << "  " << right(grouped(links[i].taken), 13)
        << "  " << in_brackets(links[i].at) << ' ' << links[i].direction << '\n';
  }
}

void print_links(const Report& r, std::ostream& out) {
  print_waits_of_links(r, out);
  if (r.waits.links.empty()) return;
  out << "\nbusiest links, in wavelets\n";
  for (std::size_t i = 0; i < std::min(r.waits.links.size(), kMaxWaits); ++i) {
    const WaitSummary::Link& link = r.waits.links[i];
    out << "  " << right(grouped(link.wavelets), 13) << "  "
        << right(share(link.wavelets, r.cycles), 7) << "  " << in_brackets(link.at) << ' '
        << link.direction << '\n';
  }
}

void print_wait_summary(const Report& r, std::ostream& out) {
  const WaitSummary& waits = r.waits;
  if (!waits.shown || waits.units == 0 || r.cycles == 0) return;
  const std::uint64_t all = waits.units * r.cycles;
  const auto row = [&](std::uint64_t cycles) -> std::ostream& {
    return out << "  " << right(grouped(cycles), 13) << "  " << right(share(cycles, all), 7)
               << "  ";
  };
  out << "\nwhere the cycles of " << plural(waits.units, waits.unit) << " went\n";
  row(waits.busy) << "busy\n";
  row(waits.idle) << "idle\n";
  for (const WaitSummary::Reason& reason : waits.reasons)
    row(reason.cycles) << padded(reason.name, 14) << "waiting for " << reason.what << '\n';
  if (!waits.lines.empty()) {
    out << "\nlines that waited most, in cycles of "
        << (waits.unit == "tile" ? "threads: several of a tile may wait in one cycle"
                                 : waits.unit + "s")
        << '\n';
  }
  for (std::size_t i = 0; i < std::min(waits.lines.size(), kMaxWaits); ++i) {
    const WaitSummary::Line& line = waits.lines[i];
    out << "  " << right(grouped(line.cycles), 13) << "  " << line.place
        << (line.thread.empty() ? "" : ", " + line.thread) << ": " << line.what << " (busy "
        << grouped(line.busy) << ")\n";
  }
  print_links(r, out);
}

void print_waits(const Report& r, std::ostream& out) {
  if (r.stuck.empty()) return;
  if (r.wait_groups.empty()) {
    out << "\nwho waits for what\n";
    for (std::size_t i = 0; i < std::min(r.stuck.size(), kMaxWaits); ++i) {
      const Wait& w = r.stuck[i];
      out << "  " << in_brackets(w.at) << ' ' << w.who << " waits for " << w.what << '\n';
    }
    if (r.wait_count > kMaxWaits) {
      out << "  and " << r.wait_count - kMaxWaits << " more; --report writes "
          << (r.stuck.size() == r.wait_count ? "all of them"
                                             : "the first " + std::to_string(r.stuck.size()))
          << '\n';
    }
    return;
  }
  const std::string causes = summary_of_causes(r.causes, r.places_that_follow);
  out << "\nwho waits for what" << (causes.empty() ? "" : ": " + causes) << '\n';
  for (const std::string& line : lines(r.wait_groups, in_brackets)) out << "  " << line << '\n';
  if (r.wait_groups.size() > kMaxWaits || r.wait_groups.size() < r.wait_count) {
    out << "  --report writes "
        << (r.stuck.size() == r.wait_count ? "all waits"
                                           : "the first " + grouped(r.stuck.size()) + " waits")
        << '\n';
  }
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string sentence(const WaitGroup& group) {
  return group.first.who + " waits for " + group.first.what +
         (group.why.empty() ? "" : ": " + group.why);
}

std::vector<std::string> lines(const std::vector<WaitGroup>& groups,
                               const std::function<std::string(const std::vector<int>&)>& name_of) {
  std::vector<std::string> text;
  const std::size_t shown = groups.size() > kMaxWaits ? kMaxWaits - 1 : groups.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const WaitGroup& group = groups[i];
    std::string line = group.is_cause ? "cause: " : "";
    line += name_of(group.first.at);
    if (group.count > 1) {
      if (line.back() == ':') line.pop_back();
      line += " and " + grouped(group.count - 1) + " more:";
    }
    text.push_back(line + ' ' + first_line(sentence(group)));
  }
  if (shown == groups.size()) return text;
  std::uint64_t others = 0;
  for (std::size_t i = shown; i < groups.size(); ++i) others += groups[i].count;
  text.push_back("and " + grouped(others) + " waits of " +
                 plural(groups.size() - shown, "other kind"));
  return text;
}

std::string summary_of_causes(std::size_t causes, std::size_t places_that_follow) {
  if (causes == 0) return {};
  std::string text = plural(causes, "cause");
  if (places_that_follow == 0) return text;
  return text + ", " + grouped(places_that_follow) +
         (places_that_follow == 1 ? " place waits for " : " places wait for ") +
         (causes == 1 ? "it" : "them");
}

void print_warnings(const Report& r, std::ostream& out) {
  const std::size_t shown = std::min(r.diagnoses.first.size(), kMaxWarnings);
  for (std::size_t i = 0; i < shown; ++i) {
    const Diagnosis& d = r.diagnoses.first[i];
    out << "warning: cycle " << d.cycle << ": " << d.text << " [" << d.id << "]\n";
  }
  if (r.diagnoses.count > shown) out << "... and " << r.diagnoses.count - shown << " more\n";
}

void print_text(const Report& report, std::ostream& out) {
  print_head(report, out);
  print_warnings(report, out);
  print_counters(report, out);
  print_outputs(report, out);
  print_checks(report, out);
  print_wait_summary(report, out);
  if (report.why) out << '\n';
  print_why(report, out);
  print_waits(report, out);
}

void print_why(const Report& report, std::ostream& out) {
  if (!report.why) return;
  out << "cycle " << report.why->cycle << ", "
      << report.places_key.substr(0, report.places_key.size() - 1) << ' '
      << in_brackets(report.why->at) << '\n';
  for (const std::string& line : report.why->lines) out << "  " << line << '\n';
}

}  // namespace tessera::report
