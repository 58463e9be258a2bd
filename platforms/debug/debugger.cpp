#include "platforms/debug/debugger.h"

#include <algorithm>

#include "platforms/debug/words.h"
#include "platforms/report/report.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::debug {

namespace {

/// Places that a data breakpoint may watch.
constexpr std::size_t kMostWatched = 4096;

void add_once(std::vector<int>& ids, int id) {
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

}  // namespace

Debugger::Debugger(Target& target) : target_(target), stops_(target.programs().size()) {
  watch(target.place_count());
}

// --- breakpoints

const std::vector<Breakpoint>& Debugger::replace(const std::string& group,
                                                 std::vector<Breakpoint> breakpoints) {
  std::vector<Breakpoint>& all = groups_[group];
  for (Breakpoint& next : breakpoints) {
    const auto same = std::find_if(all.begin(), all.end(), [&next](const Breakpoint& old) {
      return old.id != 0 && old.given == next.given;
    });
    if (same == all.end()) {
      if (next.id == 0) next.id = last_id_ + 1;
      last_id_ = std::max(last_id_, next.id);
      continue;
    }
    next.id = same->id;
    next.hits = same->hits;
    same->id = 0;  // it has found its successor
  }
  all = std::move(breakpoints);
  install();
  return all;
}

std::vector<const Breakpoint*> Debugger::breakpoints() const {
  std::vector<const Breakpoint*> all;
  for (const auto& [group, members] : groups_) {
    for (const Breakpoint& breakpoint : members) all.push_back(&breakpoint);
  }
  std::sort(all.begin(), all.end(),
            [](const Breakpoint* a, const Breakpoint* b) { return a->id < b->id; });
  return all;
}

void Debugger::remove_all() {
  groups_.clear();
  step_.reset();
  until_.reset();
  install();
  target_.follow(*this, {});
}

void Debugger::begin_again(std::optional<Cycle> now) {
  now_ = now;
  target_.set_now(now.value_or(0));
  arrivals_.clear();
  step_.reset();
  until_.reset();
  pause_ = false;
  target_.follow(*this, {});
  install();
  for (auto& [group, members] : groups_) {
    for (Breakpoint& breakpoint : members) {
      for (Breakpoint::Watched& watched : breakpoint.places) begin_watching(watched, breakpoint);
    }
  }
}

void Debugger::install() {
  at_.clear();
  for (std::size_t p = 0; p < stops_.size(); ++p)
    stops_[p].resize(target_.programs()[p].lines.size());
  for (auto& [group, members] : groups_) {
    for (Breakpoint& breakpoint : members) {
      for (const auto& position : breakpoint.positions) {
        at_[position].push_back(&breakpoint);
        stops_[position.first].add(position.second);
      }
    }
  }
  target_.set_stops(*this, stops_);
}

void Debugger::find_watched(const std::string& expression, Breakpoint& breakpoint) {
  breakpoint.kind = Breakpoint::Kind::kData;
  breakpoint.watched.emplace(expression);
  for (std::uint32_t place = 0; place < target_.place_count(); ++place) {
    if (!target_.program_of(place) || !breakpoint.condition.places.has(target_.coordinates(place)))
      continue;
    if (breakpoint.places.size() == kMostWatched)
      throw UserError("", "",
                      "more than " + std::to_string(kMostWatched) +
                          " places; name fewer of them, such as pe=(0..7,0)");
    Breakpoint::Watched watched;
    watched.place = place;
    begin_watching(watched, breakpoint);
    breakpoint.places.push_back(std::move(watched));
  }
  if (breakpoint.places.empty()) throw UserError("", "", "no place with a program is meant");
  breakpoint.is_verified = true;
}

void Debugger::begin_watching(Breakpoint::Watched& watched, const Breakpoint& breakpoint) {
  const Names names = names_at(watched.place);
  if (const auto name = breakpoint.watched->name(names)) {
    watched.bytes = target_.bytes_of(watched.place, *name);
    if (watched.bytes.count > 0)
      watched.contents = target_.read(watched.place, watched.bytes.address, watched.bytes.count);
  }
  try {
    watched.value = breakpoint.watched->evaluate(names);
  } catch (const UserError&) {
    if (watched.bytes.count == 0) throw;  // an array as a whole has bytes, but no value
  }
  target_.look_closely(watched.place);
}

// --- steps

std::uint32_t Debugger::entry_of(std::uint32_t program, std::uint32_t pc) const {
  const ProgramText::Function* const function = target_.programs()[program].function_of(pc);
  return function == nullptr ? 0 : function->entry;
}

void Debugger::go(Go how, std::uint32_t place) {
  until_.reset();
  step_.reset();
  Step step;
  step.how = how;
  step.place = place;
  step.done = how == Go::kCycle;
  if (step.done) step_ = step;
  if (how == Go::kOn || how == Go::kCycle || !target_.program_of(place)) {
    target_.follow(*this, {});
    return;
  }
  step.at = target_.pc(place);
  if (step.at) {
    const std::uint32_t program = *target_.program_of(place);
    step.line = target_.programs()[program].line_of(*step.at);
    step.function = entry_of(program, *step.at);
    step.call = target_.programs()[program].call_of(*step.at);
  }
  step_ = step;
  target_.follow(*this, place);
}

void Debugger::go_to(Cycle cycle) {
  go(Go::kOn, 0);
  until_ = cycle;
}

void Debugger::arrives(std::uint32_t place, std::uint32_t pc, Cycle /*now*/) {
  arrivals_.push_back({place, pc});
  if (step_ && step_->place == place && !step_->done) follow(pc);
}

void Debugger::follow(std::uint32_t pc) {
  Step& step = *step_;
  const std::uint32_t program = *target_.program_of(step.place);
  bool ends_task = !step.at;
  if (step.at) {
    const Flow flow = target_.flow_of(program, *step.at);
    const bool is_back =
        flow == Flow::kReturn && pc > 0 && target_.flow_of(program, pc - 1) == Flow::kCall;
    if (flow == Flow::kCall) ++step.depth;
    if (is_back) --step.depth;
    ends_task = flow == Flow::kEnd || (flow == Flow::kReturn && !is_back) ||
                (flow == Flow::kMayEnd && pc != *step.at + 1);
  }
  step.at = pc;
  step.done = is_end_of_step(pc, ends_task);
}

bool Debugger::is_end_of_step(std::uint32_t pc, bool ends_task) {
  const Step& step = *step_;
  if (ends_task || step.how == Go::kInstruction) return true;
  if (step.how == Go::kTask) return false;
  if (step.depth < 0) return true;
  const std::uint32_t program = *target_.program_of(step.place);
  const ProgramText& text = target_.programs()[program];
  const std::uint32_t call = text.call_of(pc);
  const bool is_same_function = step.depth == 0 && entry_of(program, pc) == step.function;
  if (step.how == Go::kOut) return is_same_function && !text.is_within(call, step.call);
  if (step.how == Go::kOver && step.depth > 0) return false;
  // The code of a function that stands in place of its call is called as any other.
  const bool is_called = is_same_function && call != step.call && text.is_within(call, step.call);
  if (step.how == Go::kOver && is_called) return false;
  const SourceLine line = text.line_of(pc);
  if (line.line == 0) return false;
  return !(line == step.line) || !is_same_function || is_called;
}

// --- hits

Names Debugger::names_at(std::uint32_t place, std::uint64_t hits) const {
  Names names;
  names.value = [this, place, hits](const Name& name) {
    if (!name.index) {
      if (name.text == "hits") return Value::of(static_cast<std::int64_t>(hits));
      if (name.text == "cycle") return Value::of(static_cast<std::int64_t>(now_.value_or(0)));
    }
    return target_.value(place, name);
  };
  names.length = [this, place](const std::string& name) { return target_.length(place, name); };
  return names;
}

std::string Debugger::filled(const std::string& text, std::uint32_t place,
                             std::uint64_t hits) const {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return out + text.substr(at);
    out += text.substr(at, open - at);
    try {
      const Expression expression(text.substr(open + 1, close - open - 1));
      out += to_string(expression.evaluate(names_at(place, hits)));
    } catch (const UserError& error) {
      out += "{" + std::string(error.what()) + "}";
    }
    at = close + 1;
  }
  return out;
}

// A condition that cannot be computed stops the run and says why.
bool Debugger::holds(const Breakpoint& breakpoint, std::uint32_t place,
                     std::string& problem) const {
  if (!breakpoint.condition.expression) return true;
  try {
    return breakpoint.condition.expression->evaluate(names_at(place, breakpoint.hits + 1))
        .is_true();
  } catch (const UserError& error) {
    problem = error.what();
    return true;
  }
}

void Debugger::hit(Breakpoint& breakpoint, std::uint32_t place,
                   const std::function<void(const std::string&)>& print, Stop& stop) {
  std::string problem;
  if (!holds(breakpoint, place, problem)) return;
  ++breakpoint.hits;
  if (!breakpoint.counts.holds(breakpoint.hits)) return;
  if (!breakpoint.log.empty()) {
    print(target_.name_of(place) + ", cycle " + std::to_string(*now_) + ": " +
          filled(breakpoint.log, place, breakpoint.hits));
    return;
  }
  if (!problem.empty() && stop.text.empty())
    stop.text = "condition of breakpoint " + std::to_string(breakpoint.id) + ": " + problem;
  add_once(stop.breakpoints, breakpoint.id);
  if (stop.places.empty() || stop.places.back() != place) stop.places.push_back(place);
}

// Arrivals come in the order in which a structure steps its engines.
void Debugger::check_code(const std::function<void(const std::string&)>& print, Stop& stop) {
  std::sort(arrivals_.begin(), arrivals_.end(),
            [](const Arrival& a, const Arrival& b) { return a.place < b.place; });
  for (const Arrival& arrival : arrivals_) {
    const auto found = at_.find({*target_.program_of(arrival.place), arrival.pc});
    if (found == at_.end()) continue;
    for (Breakpoint* const breakpoint : found->second) {
      const PlaceFilter& places = breakpoint->condition.places;
      if (!places.is_all() && !places.has(target_.coordinates(arrival.place))) continue;
      hit(*breakpoint, arrival.place, print, stop);
    }
  }
  arrivals_.clear();
}

void Debugger::check_data(const std::function<void(const std::string&)>& print, Stop& stop) {
  for (auto& [group, members] : groups_) {
    for (Breakpoint& breakpoint : members) {
      if (breakpoint.kind != Breakpoint::Kind::kData) continue;
      const std::uint64_t hits = breakpoint.hits;
      for (Breakpoint::Watched& watched : breakpoint.places) {
        const auto change = change_of(breakpoint, watched);
        if (!change) continue;
        if (breakpoint.hits == hits) breakpoint.change = *change;
        hit(breakpoint, watched.place, print, stop);
      }
    }
  }
}

std::optional<std::string> Debugger::change_of(const Breakpoint& breakpoint,
                                               Breakpoint::Watched& watched) {
  const std::string& text = breakpoint.watched->text();
  std::size_t byte = 0;
  if (watched.bytes.count > 0) {
    std::vector<std::byte> next =
        target_.read(watched.place, watched.bytes.address, watched.bytes.count);
    if (next == watched.contents) return {};
    const auto differ = std::mismatch(next.begin(), next.end(), watched.contents.begin());
    byte = static_cast<std::size_t>(differ.first - next.begin());
    watched.contents = std::move(next);
    if (!watched.value) return changed_element(breakpoint, watched, byte);
  }
  const Names names = names_at(watched.place);
  const Value next = breakpoint.watched->evaluate(names), before = *watched.value;
  if (watched.bytes.count == 0 && next == before) return {};
  watched.value = next;
  if (!breakpoint.watched->name(names))
    return next.is_true() ? std::optional(text + " has become true") : std::nullopt;
  return text + " has changed from " + to_string(before) + " to " + to_string(next);
}

std::string Debugger::changed_element(const Breakpoint& breakpoint,
                                      const Breakpoint::Watched& watched, std::size_t byte) {
  const std::string& text = breakpoint.watched->text();
  try {
    auto name = breakpoint.watched->name(names_at(watched.place));
    const auto elements =
        static_cast<std::size_t>(whole_number(target_.length(watched.place, name->text)));
    name->index = static_cast<std::int64_t>(byte / (watched.bytes.count / elements));
    const Variable element = target_.variable(watched.place, *name);
    return element.name + " has changed to " + element.value;
  } catch (const UserError&) {
    return text + " has changed";  // what it names has no elements
  }
}

std::string Debugger::describe(const Stop& stop) const {
  using Reason = Stop::Reason;
  const std::string cycle = now_ ? "cycle " + std::to_string(stop.cycle) : "before the first cycle";
  if (stop.reason == Reason::kGoto) return cycle;
  if (stop.breakpoints.empty())
    return (stop.reason == Reason::kPause ? "paused, " : "step, ") + cycle;
  std::string text;
  const bool is_watch = stop.reason == Reason::kWatch;
  for (const int id : stop.breakpoints)
    text += (!text.empty() ? ", " : is_watch ? "watch " : "breakpoint ") + std::to_string(id);
  for (const Breakpoint* b : breakpoints()) {
    if (b->id == stop.breakpoints.front() && b->at.line != 0)
      text += ", " + b->at.file + ":" + std::to_string(b->at.line);
    if (b->id == stop.breakpoints.front() && b->watched) text += ", " + b->change;
  }
  text += ", " + cycle;
  const std::string first = in_parentheses(target_.coordinates(stop.places.front()));
  if (stop.places.size() == 1) return text + ", " + target_.name_of(stop.places.front());
  return text + ", " + report::plural(stop.places.size(), "place") + ", first " + first;
}

// Who stands at an instruction before the run begins has come there before anybody could hear of it.
std::optional<Stop> Debugger::before_run(const std::function<void(const std::string&)>& print) {
  if (now_) return {};
  for (std::uint32_t place = 0; place < target_.place_count(); ++place) {
    const auto program = target_.program_of(place);
    if (!program) continue;
    for (const std::uint32_t pc : target_.stands_at(place)) {
      if (stops_[*program].has(pc)) arrivals_.push_back({place, pc});
    }
  }
  Stop stop;
  check_code(print, stop);
  if (stop.breakpoints.empty()) return {};
  stop.reason = Stop::Reason::kBreakpoint;
  stop.text = stop.text.empty() ? describe(stop) : stop.text + "; " + describe(stop);
  step_.reset();
  return stop;
}

std::optional<Stop> Debugger::after_cycle(Cycle now,
                                          const std::function<void(const std::string&)>& print) {
  now_ = now;
  target_.set_now(now);  // which may tell where places have come to
  const bool step_done = step_ && step_->done;
  const bool reached = until_ && now >= *until_;
  Stop stop;
  stop.cycle = now;
  if (!arrivals_.empty()) check_code(print, stop);
  check_data(print, stop);
  std::sort(stop.places.begin(), stop.places.end());
  stop.places.erase(std::unique(stop.places.begin(), stop.places.end()), stop.places.end());
  if (stop.breakpoints.empty() && !step_done && !reached && !pause_) return {};
  stop.reason = Stop::Reason::kBreakpoint;
  if (stop.breakpoints.empty())
    stop.reason = reached     ? Stop::Reason::kGoto
                  : step_done ? Stop::Reason::kStep
                              : Stop::Reason::kPause;
  if (stop.breakpoints.empty() && step_done) stop.places = {step_->place};
  for (const Breakpoint* b : breakpoints()) {
    if (b->kind == Breakpoint::Kind::kData && !stop.breakpoints.empty() &&
        b->id == stop.breakpoints.front())
      stop.reason = Stop::Reason::kWatch;
  }
  stop.text = stop.text.empty() ? describe(stop) : stop.text + "; " + describe(stop);
  pause_ = false;
  until_.reset();
  step_.reset();
  return stop;
}

}  // namespace tessera::debug
