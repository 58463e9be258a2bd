// A run in the browser, while it goes on and afterwards (--serve, docs/live-view.md): the answers to its page,
// and pause, step, run to a cycle.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/cli/options.h"
#include "platforms/report/report.h"
#include "platforms/run/http_server.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::run {

class View;
class Recording;

class LiveView {
 public:
  /// What is shown. All must outlive the live view.
  struct Run {
    const cli::Options& options;
    const report::Report& report;
    View& view;
    Recording& recording;
  };

  /// Prints the address to standard error. The run begins paused. Throws UserError when the port cannot be
  /// had.
  LiveView(unsigned short port, const Run& run);

  /// Called after each cycle: answers the page, and holds the run while it is paused.
  void after_cycle(Cycle now);
  /// The run is over and the report complete: answers the page until it says that nobody looks any more, or
  /// a signal comes.
  void after_run(Cycle now);

 private:
  enum class State : std::uint8_t { kRuns, kPaused, kOver };

  HttpResponse answer(const HttpRequest& request);
  HttpResponse answer_path(const HttpRequest& request);
  HttpResponse answer_command(const HttpRequest& request);
  HttpResponse answer_frames(const HttpRequest& request);
  HttpResponse answer_place(const HttpRequest& request);
  HttpResponse answer_slices(const HttpRequest& request);
  HttpResponse answer_waits();
  HttpResponse page() const;
  std::string state_json() const;
  /// Tells the pages the state, at most ten times a second unless it has changed.
  void tell(bool has_changed);
  void hold();

  const Run run_;
  HttpServer server_;
  State state_ = State::kPaused;
  Cycle now_ = 0;
  Cycle pause_at_ = kNever;  ///< the run is paused at the end of this cycle
  bool closed_ = false;
  double told_s_ = 0;  ///< when the state was told last
  unsigned cycles_to_tell_ = 1;
};

}  // namespace tessera::run
