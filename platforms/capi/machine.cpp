#include "platforms/capi/machine.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "platforms/cli/options.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::capi {

namespace {

const cli::Executable kLibrary = {"libtessera",
                                  "vp",
                                  "",
                                  "program",
                                  {"wse2", "wse3", "a2a3", "a5", "numesh"},
                                  {"modules", "dense", "auto"},
                                  "",
                                  "fabric.hop_latency=3"};

void read_options(const std::string& program, const std::vector<std::string>& given,
                  Options& options) {
  std::vector<const char*> words = {kLibrary.name.c_str(), program.c_str()};
  for (const std::string& word : given) words.push_back(word.c_str());
  std::ostringstream help;
  if (cli::parse(static_cast<int>(words.size()), words.data(), kLibrary, options, help)) return;
  throw UserError("", "", "--help and --version are for the executables");
}

}  // namespace

Machine::Machine(const std::string& kind, const std::string& program,
                 const std::vector<std::string>& options) {
  const Simulation::Entered entered(simulation_);
  read_options(program, options, options_);
  accelerator_ = vp::build_accelerator(options_, {kind, program, ""}, &options_.csl);
  accelerator_->destroy_with_this();
  taken_.resize(info().edges.size() * kColorCount);
  device().set_listener(this);
  domain().set_failure_listener(
      [this](const timing::Failure&) { notify(TESSERA_MACHINE_FAILED, domain().now()); });
}

Machine::~Machine() {
  const Simulation::Entered entered(simulation_);
  accelerator_.reset();
}

void Machine::reset(bool keep_memory) {
  device().reset(keep_memory);
  open_launches_ = 0;
  stop_asked_ = false;
  std::fill(taken_.begin(), taken_.end(), 0);
}

void Machine::require_working() const {
  if (const auto& failure = domain().failure())
    throw IllegalBehaviour(failure->text + "; reset the machine");
}

tessera_stop Machine::run(Cycle limit) {
  constexpr Cycle kFar = Cycle{1} << 40;
  require_working();
  timing::ClockDomain& clock = domain();
  stop_asked_ = false;
  if (limit < kFar) {
    const sc_core::sc_time end = clock.to_time(limit);
    do {
      const sc_core::sc_time now = sc_core::sc_time_stamp();
      sc_core::sc_start(std::max(end, now) - now);
    } while (!stop_asked_ && sc_core::sc_time_stamp() < end);
  } else {
    // The first call elaborates: only then something may be due.
    do {
      if (started_ && clock.idle()) break;
      sc_core::sc_start();
      started_ = true;
    } while (!stop_asked_);
  }
  started_ = true;
  require_working();
  if (stop_asked_) return TESSERA_ON_REQUEST;
  return clock.idle() ? TESSERA_AT_REST : TESSERA_AT_LIMIT;
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
  if (listener_ == nullptr || listener_(user_, static_cast<std::uint32_t>(notice), now) == 0)
    return;
  stop_asked_ = true;
  domain().request_pause();
}

void Machine::launch(const std::string& function, host::LaunchRequest request) {
  require_working();
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
  for (const observe::Wait& wait : waits)
    report.stuck.push_back({view.coordinates(wait.place), wait.who, wait.what});
  report.wait_count = waits.total();
  if (const auto& failure = domain().failure()) {
    report.status = report::Status::kCouldNotFinish;
    report.message = failure->text;
  }
  return report;
}

const char* Machine::report() {
  text_ = report::to_json(describe());
  return text_.c_str();
}

const char* Machine::waits() {
  text_ = report::stuck_to_json(describe());
  return text_.c_str();
}

}  // namespace tessera::capi
