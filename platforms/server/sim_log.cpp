#include "platforms/server/sim_log.h"

#include <boost/json.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "frontends/text/output_file.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::server {

namespace {

namespace json = boost::json;

/// The variable, and the names under which two kinds of container take it.
constexpr std::array<const char*, 3> kVariables = {
    "SIMFABRIC_DEBUG", "SINGULARITYENV_SIMFABRIC_DEBUG", "APPTAINERENV_SIMFABRIC_DEBUG"};
const std::set<std::string> kTraces = {"landing", "router", "inst_trace"};
/// Of the vendor's log; they concern tiles that are not here, or nothing.
const std::set<std::string> kOthers = {"hwtile", "iotile", "stalls", "none", ""};

/// "P5.2"
bool is_tile(const std::string& text) {
  static const std::regex kTile("P[0-9]+\\.[0-9]+");
  return std::regex_match(text, kTile);
}

/// A trace, or "trace@P5.2": of this tile.
SimLog::Traces traces_asked_for() {
  SimLog::Traces found;
  for (const char* variable : kVariables) {
    const char* given = std::getenv(variable);
    std::istringstream words(given != nullptr ? given : "");
    for (std::string word; std::getline(words, word, ',');) {
      const std::size_t at = word.find('@');
      const std::string trace = word.substr(0, at);
      if (at != std::string::npos && !is_tile(word.substr(at + 1)))
        throw UserError("", variable,
                        "'" + word.substr(at + 1) + "' is no tile; one is written 'P5.2'");
      if (kTraces.count(trace) != 0) {
        std::set<std::string>& tiles = found.try_emplace(trace).first->second;
        tiles.insert(at == std::string::npos ? SimLog::kAllTiles : word.substr(at + 1));
      } else if (kOthers.count(trace) == 0) {
        throw UserError("", variable,
                        "'" + word + "' is no trace; there are landing, router and inst_trace");
      }
    }
  }
  return found;
}

/// Lines of a log with their cycles; one without "@CYCLE " belongs to the line before.
class Lines {
 public:
  explicit Lines(const std::string& file) : file_(file) { next(); }

  bool is_there() const { return is_there_; }
  std::uint64_t cycle() const { return cycle_; }
  const std::string& line() const { return line_; }
  void next() {
    is_there_ = static_cast<bool>(std::getline(file_, line_));
    if (is_there_ && line_.size() > 1 && line_[0] == '@')
      cycle_ = std::strtoull(line_.c_str() + 1, nullptr, 10);
  }

 private:
  std::ifstream file_;
  std::string line_;
  std::uint64_t cycle_ = 0;
  bool is_there_ = false;
};

std::uint64_t counter(const report::Report& report, const std::string& name) {
  for (const report::Counter& one : report.counters) {
    if (one.name == name) return one.value;
  }
  return 0;
}

std::uint64_t hops(const report::Report& report) {
  return counter(report, "hops") + counter(report, "off_ramp_wavelets");
}

std::uint64_t tiles_with_code(const layout::Layout& layout) {
  std::uint64_t count = 0;
  for (const std::int32_t program : layout.program_of_tile) count += program >= 0;
  return count;
}

double divided(double value, double by) {
  return by > 0 ? value / by : 0;
}

void write_head(std::ostream& out, const compiled::Program& program, const std::string& folder) {
  const layout::Layout& layout = program.layout;
  const std::uint64_t tiles = layout.tile_count(), active = tiles_with_code(layout);
  out << "@0 Create from elfs\n@0 dimX=" << layout.width << ", dimY=" << layout.height << '\n';
  std::set<std::string> files;  // programs with other numbers may be made of one file
  for (const layout::Program& code : layout.programs)
    files.insert(std::filesystem::path(code.code).filename().string());
  for (const std::string& file : files)
    out << "@0 Reading ELF file " << folder << "/bin/" << file << '\n';
  out << "@0 Architecture is: " << (program.generation == Generation::kWse2 ? "FYN" : "SDR")
      << "\n@0 Sim stats: tiles=" << tiles << ", simulated_tiles=" << active
      << ", hwtile=" << active << ", iotile=0, nultile=" << tiles - active << '\n';
}

void write_tail(std::ostream& out, const compiled::Program& program, const report::Report& report) {
  const std::string at = "@" + std::to_string(report.cycles) + " ";
  const std::uint64_t last = counter(report, "last_event_cycle");
  const std::uint64_t idle = report.cycles > last ? report.cycles - last : 0;
  const double seconds = report.wall.run_s,
               tile_cycles = static_cast<double>(report.cycles) *
                             static_cast<double>(tiles_with_code(program.layout));
  if (report.status == report::Status::kFinished) {
    out << at << "Stopping due to user request\n";
  } else {
    out << at << "ERROR: " << report.message << '\n';
  }
  out << at << idle << " cycles since an instruction was executed, " << idle
      << " cycles since a wavelet landed\n";
  const double each = divided(tile_cycles, seconds);
  out << std::fixed << std::setprecision(2) << at << "Simulation used " << seconds
      << " seconds, init-time=" << report.wall.elaborate_s
      << ", total-time=" << report.wall.elaborate_s + seconds << ", cycles=" << report.cycles
      << ", cyc/sec=" << divided(static_cast<double>(report.cycles), seconds)
      << ", tile-cyc/sec=" << each << ", tile-cyc/sec-thread=" << each / report.run.threads << '\n';
  const std::pair<const char*, std::uint64_t> figures[] = {
      {"num_wavelets      ", hops(report)},
      {"num_inst_dispatch ", counter(report, "instructions_issued")},
      {"num_inst_pipe     ", counter(report, "busy_issue_cycles")}};
  for (const auto& [name, value] : figures)
    out << at << "CTF Stats: " << name << "= " << std::setw(12) << value << '\n';
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void write_statistics(const compiled::Program& program, const report::Report& report) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto cycles = static_cast<double>(report.cycles);
  const auto active = static_cast<double>(tiles_with_code(program.layout));
  const auto tiles = static_cast<double>(program.layout.tile_count());
  const auto wavelets = static_cast<double>(hops(report));
  const double seconds = report.wall.run_s, threads = report.run.threads;
  const json::object object = {
      {"cycle_count", report.cycles},
      {"cycles_per_second", divided(cycles, seconds)},
      {"fabric_x", program.layout.width},
      {"fabric_y", program.layout.height},
      {"hwtile_count", tiles_with_code(program.layout)},
      {"othertile_count", 0},
      {"routetile_count", program.layout.tile_count() - tiles_with_code(program.layout)},
      {"init_time", report.wall.elaborate_s},
      {"real_time", seconds},
      {"user_time", seconds_of(used.ru_utime)},
      {"sys_time", seconds_of(used.ru_stime)},
      {"wavelet_count", hops(report)},
      {"wavelets_per_cycle", divided(wavelets, cycles)},
      {"wpc_per_tile", divided(wavelets, cycles * active)},
      {"tile_cycles_per_second", divided(cycles * tiles, seconds)},
      {"tile_cycles_per_second_per_thread", divided(cycles * tiles, seconds * threads)},
      {"active_tile_cycles_per_second", divided(cycles * active, seconds)},
      {"active_tile_cycles_per_second_per_thread", divided(cycles * active, seconds * threads)}};
  text::OutputFile file(SimLog::kStatisticsFile);
  file.stream() << json::serialize(object) << '\n';
  file.commit();
}

}  // namespace

SimLog::SimLog(wse::Options& options) : traces_(traces_asked_for()) {
  if (!options.fabric.print_log_file.empty()) return;
  is_ours_ = true;
  for (const char* file : {kFile, kStatisticsFile}) options.files_written.emplace_back(file);
  options.fabric.print_log_file = kFile;
  if (traces_.empty() || !options.fabric.trace_wse_file.empty()) return;
  trace_file_ = std::string(kFile) + ".trace-" + std::to_string(::getpid());
  options.fabric.trace_wse_file = trace_file_;
}

SimLog::~SimLog() {
  if (!trace_file_.empty()) std::remove(trace_file_.c_str());
}

void SimLog::write(const compiled::Program& program, const std::string& folder,
                   const report::Report& report) const {
  if (!is_ours_) return;
  text::OutputFile file(kFile);
  write_head(file.stream(), program, folder);
  merge(file.stream());
  write_tail(file.stream(), program, report);
  file.commit();
  write_statistics(program, report);
}

// The first line of a trace has the dimensions, which the log has already.
void SimLog::merge(std::ostream& out) const {
  Lines prints(kFile), trace(trace_file_);
  if (trace.is_there()) trace.next();
  while (prints.is_there() || trace.is_there()) {
    const bool is_trace =
        trace.is_there() && (!prints.is_there() || trace.cycle() < prints.cycle());
    Lines& from = is_trace ? trace : prints;
    if (!is_trace || shows(from.line())) out << from.line() << '\n';
    from.next();
  }
}

// "@CYCLE P5.2 .." or "@CYCLE P5.2: .."
bool SimLog::shows(const std::string& line) const {
  const bool is_landing = line.find(" landing C") != std::string::npos;
  const bool is_instruction = line.find(" OP]") != std::string::npos;
  const auto found = traces_.find(is_landing       ? "landing"
                                  : is_instruction ? "inst_trace"
                                                   : "router");
  if (found == traces_.end()) return false;
  if (found->second.count(kAllTiles) != 0) return true;
  std::istringstream words(line);
  std::string cycle, tile;
  words >> cycle >> tile;
  if (!tile.empty() && tile.back() == ':') tile.pop_back();
  return found->second.count(tile) != 0;
}

}  // namespace tessera::server
