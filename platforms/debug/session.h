// A session of the Debug Adapter Protocol: requests that set stops and let the run go on, events, and the rest by Inspector.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/debug/debugger.h"
#include "platforms/debug/focus.h"
#include "platforms/debug/inspector.h"
#include "platforms/debug/wire.h"

namespace tessera::debug {

class Session {
 public:
  /// Both must outlive it.
  Session(Debugger& debugger, Wire& channel);

  /// Answers what has come; waits so long for the first message. Whether one has come.
  bool serve(std::chrono::milliseconds wait);
  /// Answers one request.
  void answer(const std::string& body);
  /// The run is held, and nothing has to be said of it: requests come between two of its parts.
  void hold() { configured_ = held_ = true; }

  // Where the session is. A client that has gone leaves a session that has not begun.
  bool is_configured() const { return configured_; }
  bool stops_on_entry() const { return stop_on_entry_; }
  bool is_held() const { return held_; }
  /// The client has said that it needs the session no longer.
  bool is_over() const { return over_; }
  /// The client has gone or has said so, and what it wanted then: the end of the run.
  bool ends_run() const { return ends_run_; }

  // What happens to the run. Without a client nothing is said.
  void stopped(const Stop& stop);
  void print(const std::string& text);
  void ended(int exit_code);

 private:
  /// Coordinates of a place.
  Json carry_out(const std::string& command, const Json& arguments);
  void respond(std::int64_t request, const std::string& command, const Json& body);
  void refuse(std::int64_t request, const std::string& command, const std::string& why);
  void send_event(const char* name, const Json& body);
  void begin_again();

  Json initialize(const Json& arguments);
  Json launch(const Json& arguments);
  Json set_breakpoints(const Json& arguments);
  Json set_function_breakpoints(const Json& arguments);
  Json set_instruction_breakpoints(const Json& arguments);
  Json data_breakpoint_info(const Json& arguments);
  Json set_data_breakpoints(const Json& arguments);
  Json nothing(const Json& arguments);
  Json configuration_done(const Json& arguments);
  Json go_on(const Json& arguments);
  Json next(const Json& arguments);
  Json step_in(const Json& arguments);
  Json step_out(const Json& arguments);
  Json pause(const Json& arguments);
  Json go_to(const Json& arguments);
  Json disconnect(const Json& arguments);
  Json step(Go how, const Json& arguments);
  void resume();
  std::vector<Breakpoint> made(const Json& arguments, const char* what) const;
  Json shown(const std::vector<Breakpoint>& breakpoints) const;

  Debugger& debugger_;
  Wire& channel_;
  Focus focus_;
  Inspector inspector_;
  std::int64_t sequence_ = 0;
  bool configured_ = false;
  bool stop_on_entry_ = false;
  bool held_ = false;
  bool over_ = false;
  bool ends_run_ = false;
  bool lines_from_1_ = true;
  std::vector<std::string> events_;  // that follow the next response
};

}  // namespace tessera::debug
