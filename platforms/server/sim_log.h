// sim.log and sim_stats.json in the working directory of a host program, in the form that scripts read
// (docs/csl-host.md, "The log of a run"): what the programs have printed, the traces that the environment asks for,
// and the figures of the run at the end.
#pragma once

#include <map>
#include <set>
#include <string>

#include "frontends/compiled/program.h"
#include "platforms/report/report.h"
#include "platforms/wse/options.h"

namespace tessera::server {

class SimLog {
 public:
  static constexpr const char* kFile = "sim.log";
  static constexpr const char* kStatisticsFile = "sim_stats.json";
  static constexpr const char* kAllTiles = "*";
  /// "landing", "router", "inst_trace": tiles such as "P5.2", or kAllTiles.
  using Traces = std::map<std::string, std::set<std::string>>;

  /// Has the run write the parts of the log, unless the options name files for them. Throws UserError for words that
  /// SIMFABRIC_DEBUG does not have.
  explicit SimLog(wse::Options& options);
  /// Removes what is not written together.
  ~SimLog();
  SimLog(const SimLog&) = delete;
  SimLog& operator=(const SimLog&) = delete;

  /// Puts the parts together after the run. `folder` is that of the program. Throws UserError.
  void write(const compiled::Program& program, const std::string& folder,
             const report::Report& report) const;

 private:
  void merge(std::ostream& out) const;
  bool shows(const std::string& trace_line) const;

  std::string trace_file_;  // empty: there is no trace
  Traces traces_;
  bool is_ours_ = false;  // the user has named no other file
};

}  // namespace tessera::server
