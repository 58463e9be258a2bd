// A run in the browser, while it goes on and afterwards (--serve, docs/live-view.md): a map of the
// machine, what a place waits for, pause, step, run to a cycle, and a recording to go back to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platforms/run/http_server.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::run {

class View;
struct LiveGrid;

/// The page. It has no parts elsewhere.
std::string live_page();

class LiveView {
 public:
  /// Prints the address to standard error. The run begins paused. `view` must outlive it. Throws
  /// UserError when the port cannot be had.
  LiveView(unsigned short port, View& view);

  /// Called after each cycle: answers the page, and holds the run while it is paused.
  void after_cycle(Cycle now);
  /// The run is over: answers the page until it says that nobody looks any more, or a signal comes.
  void after_run(Cycle now, const std::string& how);

 private:
  enum class State : std::uint8_t { kRuns, kPaused, kOver };

  /// Values of all quantities in squares of cells, each with the mean of its cells.
  struct Frame {
    Cycle cycle = 0;
    unsigned block = 1, columns = 0, rows = 0;
    std::vector<std::vector<float>> values;  ///< [quantity][square]
  };

  HttpResponse answer(const HttpRequest& request);
  HttpResponse answer_command(const HttpRequest& request);
  HttpResponse answer_state(const HttpRequest& request) const;
  HttpResponse answer_place(const HttpRequest& request) const;
  /// `quantity`: the only one whose values are wanted; others stay empty.
  Frame frame_of(unsigned most, std::optional<std::size_t> quantity = {}) const;
  std::vector<float> means_of(std::size_t quantity, const LiveGrid& grid, const Frame& frame) const;
  void record();
  void hold();

  View& view_;
  HttpServer server_;
  State state_ = State::kPaused;
  std::string how_it_ended_;
  Cycle now_ = 0;
  Cycle pause_at_ = kNever;  ///< the run is paused at the end of this cycle
  bool closed_ = false;
  std::vector<Frame> frames_;
  Cycle next_frame_ = 0;
  Cycle between_frames_ = 1;
};

}  // namespace tessera::run
