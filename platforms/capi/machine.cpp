#include "platforms/capi/machine.h"

#include <boost/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "frontends/text/files_read.h"
#include "platforms/cli/options.h"
#include "platforms/run/driver.h"
#include "platforms/run/wait_report.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::capi {

namespace {

const cli::Executable kLibrary = vp::executable("libtessera", "vp", "", "program");

void read_options(const std::string& program, const std::vector<std::string>& given,
                  Options& options) {
  std::vector<const char*> words = {kLibrary.name.c_str(), program.c_str()};
  for (const std::string& word : given) words.push_back(word.c_str());
  std::ostringstream help;
  if (cli::parse(static_cast<int>(words.size()), words.data(), kLibrary, options, help)) return;
  throw UserError("", "", "--help and --version are for the executables");
}

/// Options of executables that nothing here carries out.
void refuse_options_of_runs(const Options& options) {
  static const std::set<std::string> kOfRuns = {
      "report",  "report-detail",   "why",          "serve",      "debug",
      "quiet",   "progress",        "validate",     "max-cycles", "timeout",
      "quantum", "device-failures", "driver-header"};
  for (const auto& [heading, names] : options.given) {
    for (const std::string& name : names) {
      if (kOfRuns.count(name) == 0) continue;
      throw UserError("", "--" + name, "is for the executables; tessera.h has functions for it");
    }
  }
}

}  // namespace

Machine::Machine(const std::string& kind, const std::string& program,
                 const std::vector<std::string>& options) {
  const Simulation::Entered entered(simulation_);
  read_options(program, options, options_);
  refuse_options_of_runs(options_);
  options_.quiet = true;       // the standard output is the caller's
  const text::FilesRead read;  // for save() and restore()
  accelerator_ = vp::build_accelerator(options_, {kind, program, ""}, &options_.csl);
  accelerator_->destroy_with_this();
  taken_.resize(info().edges.size() * kColorCount);
  device().set_listener(this);
  domain().set_failure_listener(
      [this](const timing::Failure&) { notify(TESSERA_MACHINE_FAILED, domain().now()); });
}

Machine::~Machine() {
  const Simulation::Entered entered(simulation_);
  csl_.reset();
  debugger_.reset();
  try {
    accelerator_->view().complete_traces(describe());
  } catch (const std::exception&) {  // a full disk; the machine is gone all the same
  }
  accelerator_.reset();
}

// Blocks begin again from what they have found at the start.
void Machine::reset(bool keep_memory) {
  start();
  device().reset(keep_memory);
  csl_.reset();  // after the machine, which forgets what PEs still had to take
  is_launched_ = false;
  open_launches_ = 0;
  stop_asked_ = false;
  held_launch_.clear();
  std::fill(taken_.begin(), taken_.end(), 0);
  if (debugger_ == nullptr) return;
  supervise();
  debugger_->begin_again({});
}

void Machine::require_working() const {
  if (const auto& failure = domain().failure())
    throw IllegalBehaviour(failure->text + "; reset the machine");
}

tessera_stop Machine::run(Cycle limit) {
  require_working();
  if (!held_launch_.empty()) return go_on_with_launch(limit);
  carry_out([&] { advance(limit); });
  if (is_held_) return TESSERA_AT_STOP;
  if (stop_asked_) return TESSERA_ON_REQUEST;
  return domain().idle() ? TESSERA_AT_REST : TESSERA_AT_LIMIT;
}

void Machine::advance(Cycle limit) {
  constexpr Cycle kFar = Cycle{1} << 40;
  run::allow_idle_start();
  timing::ClockDomain& clock = domain();
  if (limit < kFar) {
    const sc_core::sc_time end = clock.to_time(limit);
    do {
      const sc_core::sc_time now = sc_core::sc_time_stamp();
      if (started_ && end <= now) break;
      sc_core::sc_start(std::max(end, now) - now);
      started_ = true;
    } while (!must_return());
  } else {
    // The first call elaborates: only then something may be due.
    do {
      if (started_ && clock.idle()) break;
      sc_core::sc_start();
      started_ = true;
    } while (!must_return());
  }
  started_ = true;
}

void Machine::carry_out(const std::function<void()>& work) {
  struct WhileAlive {
    bool& flag;
    ~WhileAlive() { flag = false; }
  };
  is_running_ = true;
  const WhileAlive running{is_running_};
  stop_asked_ = false;
  is_held_ = false;
  work();
  if (!listener_error_.empty())
    throw UserError("", "", "the listener threw " + std::exchange(listener_error_, {}));
  require_working();
}

Machine::CslHost::CslHost(vp::Accelerator& accelerator)
    : control(accelerator.domain(), {}), stream(accelerator.open_commands(control)) {}

void Machine::open_csl() {
  if (csl_ != nullptr) return;
  csl_ = std::make_unique<CslHost>(*accelerator_);
  csl_->stream->set_hold([this] {
    return is_held_ || (launch_limit_ != kNever && domain().next_due() >= launch_limit_);
  });
  supervise();
}

void Machine::csl(const std::function<void(wse::CommandStream&)>& command) {
  require_working();
  if (is_launched_)
    throw UserError(
        "", "",
        "tessera_launch has started a function since the last reset, so the host cannot "
        "tell which commands of CSL are complete; reset the machine first");
  if (!held_launch_.empty())
    throw UserError("", "",
                    "the launch of '" + held_launch_ +
                        "' is held by the debugger; tessera_run goes on with it");
  open_csl();
  carry_out([&] {
    try {
      command(*csl_->stream);
    } catch (const wse::CommandError& error) {
      require_working();  // why nothing moves any more
      throw IllegalBehaviour(error.what());
    }
  });
  started_ = true;
}

layout::Rect Machine::csl_rectangle() const {
  if (const auto rectangle = accelerator_->csl_rectangle()) return *rectangle;
  throw UserError("", "", "the program is not written in CSL");
}

std::string Machine::csl_functions() const {
  csl_rectangle();  // refuses other programs
  boost::json::object functions;
  for (const auto& [name, types] : accelerator_->csl_functions())
    functions[name] = boost::json::value_from(types);
  return boost::json::serialize(functions);
}

void Machine::set_listener(tessera_listener listener, void* user) {
  listener_ = listener;
  user_ = user;
}

void Machine::launch_ended(Cycle now) {
  if (open_launches_ > 0) --open_launches_;
  notify(TESSERA_LAUNCH_DONE, now);
}

void Machine::notify(tessera_notice notice, Cycle now) {
  if (listener_ == nullptr || is_restoring_ || !listener_error_.empty()) return;
  try {
    if (listener_(user_, static_cast<std::uint32_t>(notice), now) == 0) return;
  } catch (const std::exception& error) {
    listener_error_ = std::string("an exception: ") + error.what();
  } catch (...) {
    listener_error_ = "an exception";
  }
  stop_asked_ = true;
  domain().request_pause();
}

void Machine::launch(const std::string& function, host::LaunchRequest request) {
  require_working();
  if (csl_ != nullptr)
    throw UserError(
        "", "",
        "the host has given commands of CSL since the last reset; call tessera_csl_launch, or "
        "reset the machine first");
  const auto& names = info().functions;
  const auto found = std::find(names.begin(), names.end(), function);
  if (found == names.end())
    throw UserError("", "", "the machine has no function '" + function + "'");
  request.function = static_cast<std::uint32_t>(found - names.begin());
  if (request.width == 0 || request.height == 0) {
    request.origin = {};
    request.width = info().width;
    request.height = info().height;
  }
  const auto x = static_cast<std::uint32_t>(request.origin.x);
  const auto y = static_cast<std::uint32_t>(request.origin.y);
  if (x >= info().width || request.width > info().width - x || y >= info().height ||
      request.height > info().height - y)
    throw UserError("", "", "the rectangle of the launch is not inside the grid");
  const std::uint32_t started = device().launch(request, domain().next_free_cycle());
  if (started == 0)
    throw UserError("", "",
                    "no tile of the rectangle has the function '" + function +
                        "', or the device is busy with one");
  open_launches_ += started;
  is_launched_ = true;
}

void Machine::require_channel(std::uint32_t edge, std::uint32_t color) const {
  if (edge >= info().edges.size())
    throw UserError("", "", "the machine has no edge " + std::to_string(edge));
  if (color >= kColorCount) throw UserError("", "", "there is no color " + std::to_string(color));
}

std::uint32_t Machine::memory_bytes(std::uint32_t place) const {
  const host::Device& device = accelerator_->device();
  const bool has_arrays = !info().arrays.empty();
  if (has_arrays && place < info().arrays.size()) return device.array_bytes(place);
  if (!has_arrays && place < info().width * info().height && device.has_memory(place))
    return info().tile_bytes;
  throw UserError(
      "", "",
      "there is no memory number " + std::to_string(place) +
          (has_arrays ? ": it is no array" : ": it is no tile, or one without a program"));
}

std::uint32_t Machine::receive(std::uint32_t edge, Color color, std::uint32_t* words,
                               std::uint32_t count) {
  const std::vector<host::Received>& received = device().edge(edge).received(color);
  std::size_t& taken = taken_[edge * std::size_t{kColorCount} + color.value()];
  std::uint32_t given = 0;
  while (given < count && taken < received.size())
    words[given++] = received[taken++].wavelet.payload;
  return given;
}

tessera_symbol Machine::find_symbol(TileCoord tile, const std::string& name) const {
  const bool is_inside = tile.x >= 0 && tile.y >= 0 &&
                         static_cast<std::uint32_t>(tile.x) < info().width &&
                         static_cast<std::uint32_t>(tile.y) < info().height;
  const std::uint32_t program =
      is_inside
          ? accelerator_->device().program_of(static_cast<std::uint32_t>(tile.y) * info().width +
                                              static_cast<std::uint32_t>(tile.x))
          : host::kNoProgram;
  for (const host::SymbolInfo& symbol : info().symbols) {
    if (symbol.program == program && symbol.name == name)
      return {symbol.program, symbol.address, symbol.bytes, symbol.type};
  }
  throw UserError("", "", "tile " + to_string(tile) + " has no symbol '" + name + "'");
}

bool Machine::is_stuck(const observe::Waits& waits) const {
  return started_ && domain().idle() && waits.blocking() > 0;
}

report::Report Machine::describe() {
  run::View& view = accelerator_->view();
  report::Report report;
  report.platform = "api";
  report.program = options_.program;
  report.structure = accelerator_->structure();
  view.catch_up(domain().next_free_cycle());
  view.summarize(report);
  observe::Waits waits(10'000);
  view.describe_waits(waits);
  run::list_waits(
      waits, view.flows(), observe::Help::kNone,
      [&view](std::uint32_t place) { return view.coordinates(place); }, report);
  if (is_stuck(waits)) {
    report.status = report::Status::kCouldNotFinish;
    report.message = run::stop_text(run::Stop::kIdle, {}) + run::first_wait(report);
  }
  if (const auto& failure = domain().failure()) {
    report.status = report::Status::kCouldNotFinish;
    report.message = failure->text;
  }
  return report;
}

}  // namespace tessera::capi
