// The profile as people read it on the terminal.
#include <cstdio>
#include <ostream>

#include "platforms/ascend/profile.h"

namespace tessera::ascend {

namespace {

using cluster::WaitReason;

constexpr int kBarWidth = 40;

template <class... Args>
std::string formatted(const char* format, Args... args) {
  char text[160];
  std::snprintf(text, sizeof text, format, args...);
  return text;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// "######....          ": busy, waiting, nothing to do.
std::string bar(double busy, double waited) {
  const auto cells = [](double percent) {
    return static_cast<int>(percent * kBarWidth / 100 + 0.5);
  };
  const int end_of_busy = cells(busy), end_of_waits = cells(busy + waited);
  std::string text;
  for (int i = 0; i < kBarWidth; ++i) text += i < end_of_busy ? '#' : i < end_of_waits ? '.' : ' ';
  return text;
}

std::string reasons(const PipeProfile& pipe, std::uint64_t cycles) {
  std::string text;
  for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r) {
    const double share = percent(pipe.waits[r], cycles);
    if (share < 0.05) continue;
    text += text.empty() ? "  waits: " : ", ";
    text += formatted("%s %.1f", to_string(static_cast<WaitReason>(r)), share);
  }
  return text;
}

void print_kind(const Profile& profile, const KindProfile& kind, std::ostream& out) {
  const double us = 1000.0 / static_cast<double>(profile.clock_khz);
  out << formatted("%u %s, %.1f us", kind.cores, to_string(kind.kind), kind.mean() * us);
  if (kind.cores > 1)
    out << formatted(" on average (%.1f to %.1f)", static_cast<double>(kind.first) * us,
                     static_cast<double>(kind.last) * us);
  out << "; % of their time: # busy  . waits\n";
  for (const sync::Pipe pipe : sync::kPipes) {
    const PipeProfile& p = kind.pipes[sync::index(pipe)];
    if (p.instructions == 0 && p.waited() == 0) continue;
    const double busy = percent(p.busy, kind.cycles);
    out << formatted("  %-12s %5.1f |", profiler_name(kind.kind, pipe).c_str(), busy)
        << bar(busy, percent(p.waited(), kind.cycles)) << '|' << reasons(p, kind.cycles) << '\n';
  }
  out << '\n';
}

void print_paths(const Profile& profile, std::ostream& out) {
  if (profile.paths.empty()) return;
  const double ns =
      static_cast<double>(profile.cycles) * 1e6 / static_cast<double>(profile.clock_khz);
  out << "path            MB  operations  B/cycle of a busy pipe  GB/s of all  L2 hits\n";
  for (const PathProfile& path : profile.paths) {
    const cluster::PathStats& s = path.sum;
    const auto bytes = static_cast<double>(s.bytes);
    out << formatted("  %-12s %9.3f %9llu %12.1f %20.1f", path.name.c_str(), bytes / 1e6,
                     static_cast<unsigned long long>(s.operations),
                     s.busy == 0 ? 0.0 : bytes / static_cast<double>(s.busy),
                     ns == 0 ? 0.0 : bytes / ns);
    if (path.name.find("GM") != std::string::npos)
      out << formatted("%9.1f %%", percent(s.hit_bytes, s.bytes));
    out << '\n';
  }
  out << '\n';
}

void print_latencies(const Profile& profile, std::ostream& out) {
  bool first = true;
  for (unsigned m = 0; m < cluster::kMechanismCount; ++m) {
    const cluster::LatencyStats& s = profile.latencies[m];
    if (s.count == 0) continue;
    if (first) out << "set to release, cycles   count      min      mean       max\n";
    first = false;
    out << formatted(
        "  %-17s %9llu %8llu %9.1f %9llu\n", to_string(static_cast<cluster::Mechanism>(m)),
        static_cast<unsigned long long>(s.count), static_cast<unsigned long long>(s.least),
        static_cast<double>(s.sum) / static_cast<double>(s.count),
        static_cast<unsigned long long>(s.most));
  }
  if (!first) out << '\n';
}

}  // namespace

void print_profile(const Profile& profile, std::ostream& out) {
  for (const KindProfile& kind : profile.kinds) print_kind(profile, kind, out);
  print_paths(profile, out);
  print_latencies(profile, out);
}

}  // namespace tessera::ascend
