#include "platforms/debug/session.h"

#include <boost/json.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::debug {

namespace json = boost::json;

namespace {

const char* word_of(Stop::Reason reason) {
  using Reason = Stop::Reason;
  switch (reason) {
  case Reason::kEntry:
    return "entry";
  case Reason::kBreakpoint:
    return "breakpoint";
  case Reason::kWatch:
    return "data breakpoint";
  case Reason::kStep:
    return "step";
  case Reason::kPause:
    return "pause";
  case Reason::kGoto:
    return "goto";
  case Reason::kEnd:
    return "exception";
  }
  return "pause";
}

const json::array& list_in(const Json& arguments, const char* name) {
  static const json::array none;
  const json::value* const value = arguments.if_contains(name);
  if (value == nullptr || value->is_null()) return none;
  if (!value->is_array())
    throw UserError("", "", std::string("'") + name + "' of the request is no list");
  return value->get_array();
}

const Json& object_of(const json::value& value) {
  if (!value.is_object()) throw UserError("", "", "a member of the request is no object");
  return value.get_object();
}

bool flag_in(const Json& arguments, const char* name) {
  const json::value* const value = arguments.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

/// Throws UserError where the machine has none of these places.
void require_places(const PlaceFilter& places, const Target& target) {
  if (places.is_all() || target.place_count() == 0) return;
  places.require_rank(target.coordinates(0).size());
  for (std::uint32_t place = 0; place < target.place_count(); ++place)
    if (places.has(target.coordinates(place))) return;
  throw UserError("", "", "the machine has no place '" + places.text() + "'");
}

/// Only a place with a program comes to a breakpoint, or has something that can be watched.
void require_programs(const PlaceFilter& places, const Target& target) {
  require_places(places, target);
  if (places.is_all()) return;
  std::string first;
  for (std::uint32_t place = 0; place < target.place_count(); ++place) {
    if (!target.program_of(place)) continue;
    if (places.has(target.coordinates(place))) return;
    if (first.empty()) first = target.name_of(place);
  }
  if (!first.empty())
    throw UserError("", "",
                    "there is no program at '" + places.text() + "'; the first one is at " + first);
}

/// Condition, count of hits and text of a breakpoint; what is wrong with them goes into its message.
void take_options(const Json& given, const Target& target, Breakpoint& breakpoint) {
  breakpoint.given = json::serialize(given);
  breakpoint.id = static_cast<int>(debug::number_in(given, "tessera/id", 0));
  try {
    breakpoint.condition = Condition(text_in(given, "condition"));
    require_programs(breakpoint.condition.places, target);
    breakpoint.counts = HitCondition(text_in(given, "hitCondition"));
    breakpoint.log = text_in(given, "logMessage");
  } catch (const UserError& error) {
    breakpoint.message = error.what();
  }
}

}  // namespace

Session::Session(Debugger& debugger, Wire& channel)
    : debugger_(debugger), channel_(channel), inspector_(debugger, focus_) {
  begin_again();
}

void Session::begin_again() {
  const Target& target = debugger_.target();
  focus_ = {};
  while (focus_.place + 1 < target.place_count() && !target.program_of(focus_.place))
    ++focus_.place;
  configured_ = stop_on_entry_ = held_ = over_ = false;
  sequence_ = 0;
}

// --- messages

bool Session::serve(std::chrono::milliseconds wait) {
  bool has_come = false;
  std::string body;
  while (true) {
    const Wire::Got got = channel_.read(body, wait);
    if (got == Wire::Got::kNothing) return has_come;
    has_come = true;
    if (got == Wire::Got::kLost) {
      debugger_.remove_all();
      begin_again();
      if (channel_.is_stdio()) over_ = ends_run_ = true;
      return has_come;
    }
    if (got == Wire::Got::kBroken)
      refuse(0, "", body);
    else
      answer(body);
    wait = std::chrono::milliseconds(0);
    if (over_ || !channel_.has_input()) return has_come;
  }
}

void Session::answer(const std::string& body) {
  std::int64_t request = 0;
  std::string command;
  try {
    json::error_code error;
    const json::value message = json::parse(body, error);
    if (error || !message.is_object()) throw UserError("", "", "the message is no JSON object");
    const Json& object = message.get_object();
    request = number_in(object, "seq", 0);
    if (text_in(object, "type") != "request") throw UserError("", "", "the message is no request");
    command = text_in(object, "command");
    const json::value* const arguments = object.if_contains("arguments");
    const bool has_any = arguments != nullptr && arguments->is_object();
    respond(request, command, carry_out(command, has_any ? arguments->get_object() : Json{}));
  } catch (const UserError& error) {
    refuse(request, command, error.what());
  } catch (const std::exception& error) {
    refuse(request, command, std::string("internal error: ") + error.what());
  }
  const std::vector<std::string> events = std::move(events_);
  events_.clear();
  for (const std::string& name : events) send_event(name.c_str(), {});
}

void Session::respond(std::int64_t request, const std::string& command, const Json& body) {
  channel_.write(json::serialize(Json{{"seq", ++sequence_},
                                      {"type", "response"},
                                      {"request_seq", request},
                                      {"success", true},
                                      {"command", command},
                                      {"body", body}}));
}

void Session::refuse(std::int64_t request, const std::string& command, const std::string& why) {
  channel_.write(json::serialize(
      Json{{"seq", ++sequence_},
           {"type", "response"},
           {"request_seq", request},
           {"success", false},
           {"command", command},
           {"message", why},
           {"body", Json{{"error", Json{{"id", 1}, {"format", why}, {"showUser", true}}}}}}));
}

void Session::send_event(const char* name, const Json& body) {
  channel_.write(json::serialize(
      Json{{"seq", ++sequence_}, {"type", "event"}, {"event", name}, {"body", body}}));
}

Json Session::carry_out(const std::string& command, const Json& arguments) {
  using Handler = Json (Session::*)(const Json&);
  static const std::map<std::string, Handler> handlers = {
      {"initialize", &Session::initialize},
      {"launch", &Session::launch},
      {"attach", &Session::launch},
      {"setBreakpoints", &Session::set_breakpoints},
      {"setFunctionBreakpoints", &Session::set_function_breakpoints},
      {"setInstructionBreakpoints", &Session::set_instruction_breakpoints},
      {"dataBreakpointInfo", &Session::data_breakpoint_info},
      {"setDataBreakpoints", &Session::set_data_breakpoints},
      {"setExceptionBreakpoints", &Session::nothing},
      {"configurationDone", &Session::configuration_done},
      {"continue", &Session::go_on},
      {"next", &Session::next},
      {"stepIn", &Session::step_in},
      {"stepOut", &Session::step_out},
      {"pause", &Session::pause},
      {"tessera/until", &Session::go_to},
      {"disconnect", &Session::disconnect},
      {"terminate", &Session::disconnect}};
  const auto found = handlers.find(command);
  if (found != handlers.end()) return (this->*found->second)(arguments);
  if (!Inspector::has(command))
    throw UserError("", "", "the request '" + command + "' is not supported");
  return inspector_.answer(command, arguments);
}

// --- the beginning and the end

Json Session::initialize(const Json& arguments) {
  const json::value* const first = arguments.if_contains("linesStartAt1");
  lines_from_1_ = first == nullptr || !first->is_bool() || first->get_bool();
  events_.emplace_back("initialized");
  Json capabilities;
  for (const char* name : {"supportsConfigurationDoneRequest",
                           "supportsFunctionBreakpoints",
                           "supportsConditionalBreakpoints",
                           "supportsHitConditionalBreakpoints",
                           "supportsLogPoints",
                           "supportsEvaluateForHovers",
                           "supportsSetVariable",
                           "supportsSetExpression",
                           "supportsDataBreakpoints",
                           "supportsDataBreakpointBytes",
                           "supportsInstructionBreakpoints",
                           "supportsReadMemoryRequest",
                           "supportsWriteMemoryRequest",
                           "supportsDisassembleRequest",
                           "supportsSteppingGranularity",
                           "supportsExceptionInfoRequest",
                           "supportsTerminateRequest",
                           "supportTerminateDebuggee",
                           "supportsCompletionsRequest",
                           "supportsDelayedStackTraceLoading"})
    capabilities[name] = true;
  return capabilities;
}

Json Session::launch(const Json& arguments) {
  stop_on_entry_ = flag_in(arguments, "stopOnEntry");
  const std::string pes = text_in(arguments, "pes");
  if (pes.empty()) return {};
  const PlaceFilter filter(pes);
  require_places(filter, debugger_.target());
  constexpr std::size_t kMostPinned = 64;
  const Target& target = debugger_.target();
  for (std::uint32_t place = 0; place < target.place_count(); ++place) {
    if (focus_.pinned.size() < kMostPinned && target.program_of(place) &&
        filter.has(target.coordinates(place)))
      focus_.pinned.push_back(place);
  }
  if (!focus_.pinned.empty()) focus_.place = focus_.pinned.front();
  return {};
}

Json Session::configuration_done(const Json& /*arguments*/) {
  configured_ = true;
  return {};
}

Json Session::nothing(const Json& /*arguments*/) {
  return {};
}

Json Session::disconnect(const Json& arguments) {
  debugger_.remove_all();
  const json::value* const ends = arguments.if_contains("terminateDebuggee");
  const bool is_said = ends != nullptr && ends->is_bool();
  ends_run_ = is_said ? ends->get_bool() : channel_.is_stdio();
  over_ = true;
  configured_ = true;
  held_ = false;
  return {};
}

// --- breakpoints

std::vector<Breakpoint> Session::made(const Json& arguments, const char* what) const {
  std::vector<Breakpoint> all;
  for (const json::value& given : list_in(arguments, what)) {
    all.emplace_back();
    take_options(object_of(given), debugger_.target(), all.back());
  }
  return all;
}

Json Session::shown(const std::vector<Breakpoint>& breakpoints) const {
  json::array all;
  for (const Breakpoint& b : breakpoints) {
    Json object = {{"id", b.id}, {"verified", b.is_verified}, {"hits", b.hits}};
    if (!b.message.empty()) object["message"] = b.message;
    if (b.at.line != 0) {
      object["line"] = b.at.line - (lines_from_1_ ? 0 : 1);
      object["source"] = source_of(debugger_.target(), b.at.file);
    }
    if (!b.positions.empty())
      object["instructionReference"] =
          code_reference(b.positions.front().first, b.positions.front().second);
    all.push_back(std::move(object));
  }
  return {{"breakpoints", std::move(all)}};
}

Json Session::set_breakpoints(const Json& arguments) {
  const json::value* const source = arguments.if_contains("source");
  if (source == nullptr) throw UserError("", "", "the request needs a 'source'");
  const Json& named = object_of(*source);
  const std::string file = text_in(named, "path", text_in(named, "name"));
  if (file.empty()) throw UserError("", "", "the source has no path");
  std::vector<Breakpoint> all = made(arguments, "breakpoints");
  const json::array& given = list_in(arguments, "breakpoints");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t line = number_in(object_of(given[i]), "line") + (lines_from_1_ ? 0 : 1);
    if (!all[i].message.empty()) continue;
    if (line < 1) {
      all[i].message = "the first line of a file has the number 1";
      continue;
    }
    find_line(debugger_.target().programs(), file, static_cast<std::uint32_t>(line), all[i]);
  }
  return shown(debugger_.replace("source " + path_of(file), std::move(all)));
}

Json Session::set_function_breakpoints(const Json& arguments) {
  std::vector<Breakpoint> all = made(arguments, "breakpoints");
  const json::array& given = list_in(arguments, "breakpoints");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = text_in(object_of(given[i]), "name");
    if (all[i].message.empty()) find_function(debugger_.target().programs(), name, all[i]);
  }
  return shown(debugger_.replace("functions", std::move(all)));
}

Json Session::set_instruction_breakpoints(const Json& arguments) {
  std::vector<Breakpoint> all = made(arguments, "breakpoints");
  const json::array& given = list_in(arguments, "breakpoints");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json& one = object_of(given[i]);
    const auto [program, pc] = code_at(text_in(one, "instructionReference"));
    const std::int64_t at = pc + number_in(one, "offset", 0) / 4;
    if (all[i].message.empty())
      find_instruction(debugger_.target().programs(), program, static_cast<std::uint32_t>(at),
                       all[i]);
  }
  return shown(debugger_.replace("instructions", std::move(all)));
}

// A dataId is an expression, after the places that it is meant for: "pe=(3,0) y[3]".
Json Session::data_breakpoint_info(const Json& arguments) {
  const std::string name = text_in(arguments, "name");
  const std::uint32_t place =
      arguments.contains("frameId")
          ? static_cast<std::uint32_t>(number_in(arguments, "frameId") / kMostFrames)
          : focus_.place;
  if (place >= debugger_.target().place_count()) throw UserError("", "", "there is no such frame");
  std::string at;
  for (const int n : debugger_.target().coordinates(place))
    at += (at.empty() ? "(" : ",") + std::to_string(n);
  try {
    static_cast<void>(Expression(name).evaluate(debugger_.names_at(place)));
  } catch (const UserError& error) {
    // An array as a whole has no value, but bytes.
    const auto whole = Expression(name).name(debugger_.names_at(place));
    if (!whole || debugger_.target().bytes_of(place, *whole).count == 0)
      return {{"dataId", nullptr}, {"description", error.what()}};
  }
  return {{"dataId", "pe=" + at + ") " + name},
          {"description", name + " of " + debugger_.target().name_of(place)},
          {"accessTypes", json::array{"write"}},
          {"canPersist", true}};
}

Json Session::set_data_breakpoints(const Json& arguments) {
  std::vector<Breakpoint> all = made(arguments, "breakpoints");
  const json::array& given = list_in(arguments, "breakpoints");
  for (std::size_t i = 0; i < all.size(); ++i) {
    Breakpoint& breakpoint = all[i];
    if (!breakpoint.message.empty()) continue;
    try {
      const std::string access = text_in(object_of(given[i]), "accessType", "write");
      if (access != "write")
        throw UserError("", "", "only changes can be watched (accessType write)");
      Condition meant(text_in(object_of(given[i]), "dataId"));
      if (!meant.expression) throw UserError("", "", "the dataId has no expression");
      require_programs(meant.places, debugger_.target());
      breakpoint.condition.places = meant.places;
      debugger_.find_watched(meant.expression->text(), breakpoint);
    } catch (const UserError& error) {
      breakpoint.places.clear();
      breakpoint.message = error.what();
    }
  }
  return shown(debugger_.replace("data", std::move(all)));
}

// --- the run

void Session::resume() {
  if (!configured_) throw UserError("", "", "configurationDone comes first");
  held_ = false;
  debugger_.target().choose_frame(0);
  inspector_.forget();
}

Json Session::go_on(const Json& /*arguments*/) {
  if (held_) debugger_.go(Go::kOn, focus_.place);
  resume();
  return {{"allThreadsContinued", true}};
}

Json Session::step(Go how, const Json& arguments) {
  if (!held_) throw UserError("", "", "the run is not held");
  if (focus_.stop.reason == Stop::Reason::kEnd)
    throw UserError("", "", "the run is over; continue ends it");
  const std::int64_t thread = number_in(arguments, "threadId", thread_of(focus_.place));
  if (thread < 1 || thread > static_cast<std::int64_t>(debugger_.target().place_count()))
    throw UserError("", "", "there is no thread " + std::to_string(thread));
  focus_.place = static_cast<std::uint32_t>(thread - 1);
  const std::string granularity = text_in(arguments, "granularity");
  if (granularity == "instruction") how = Go::kInstruction;
  if (granularity == "cycle") how = Go::kCycle;
  if (granularity == "task") how = Go::kTask;
  debugger_.go(how, focus_.place);
  resume();
  return {};
}

Json Session::next(const Json& arguments) {
  return step(Go::kOver, arguments);
}
Json Session::step_in(const Json& arguments) {
  return step(Go::kInto, arguments);
}
Json Session::step_out(const Json& arguments) {
  return step(Go::kOut, arguments);
}

Json Session::pause(const Json& /*arguments*/) {
  if (!held_) debugger_.pause();
  return {};
}

Json Session::go_to(const Json& arguments) {
  if (!held_) throw UserError("", "", "the run is not held");
  const std::int64_t cycle = number_in(arguments, "cycle");
  const auto now = debugger_.now();
  if (cycle < 0 || (now && static_cast<Cycle>(cycle) <= *now))
    throw UserError("", "", "the run has come to cycle " + std::to_string(now.value_or(0)));
  debugger_.go_to(static_cast<Cycle>(cycle));
  resume();
  return {};
}

void Session::stopped(const Stop& stop) {
  held_ = true;
  debugger_.target().choose_frame(0);
  focus_.stop = stop;
  const bool keeps = std::binary_search(stop.places.begin(), stop.places.end(), focus_.place);
  if (!stop.places.empty() && !keeps) focus_.place = stop.places.front();
  Json body = {{"reason", word_of(stop.reason)},
               {"description", stop.text},
               {"text", stop.text},
               {"threadId", thread_of(focus_.place)},
               {"allThreadsStopped", true}};
  if (!stop.breakpoints.empty())
    body["hitBreakpointIds"] = json::array(stop.breakpoints.begin(), stop.breakpoints.end());
  send_event("stopped", body);
}

void Session::print(const std::string& text) {
  send_event("output", {{"category", "console"}, {"output", text + "\n"}});
}

void Session::ended(int exit_code) {
  held_ = false;
  send_event("exited", {{"exitCode", exit_code}});
  send_event("terminated", {});
}

}  // namespace tessera::debug
