#include "platforms/wse/machine.h"

#include <algorithm>
#include <thread>

#include "models/state/archive.h"
#include "platforms/report/report.h"
#include "platforms/wse/dense_machine.h"
#include "platforms/wse/module_machine.h"
#include "platforms/wse/replacements.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

bool needs_modules(const FabricOptions& options) {
  return options.check_links || options.check_epochs || !options.replace.empty();
}

bool is_dense(const std::string& structure, const FabricOptions& options, const Workload& workload,
              const WseConfig& config) {
  if (structure != "auto") return structure == "dense";
  if (needs_modules(options)) return false;
  if (workload.layout.tile_count() > kAutoModuleTiles) return true;
  return workload.is_compiled &&
         wafer::WaferCore::is_within_limits(config.fabric, config.queue_write_latency);
}

// Fewer busy tiles are no work for two threads in any cycle.
constexpr std::size_t kTilesWorthThreads = 256;
constexpr std::uint64_t kMostThreads = 1024;

wafer::Threads threads_for(const FabricOptions& options, const layout::Layout& layout) {
  wafer::Skew skew;
  if (options.skew) skew = *options.skew;
  // What tiles ahead of a failure did cannot be taken back from the counts.
  if (options.coverage.is_asked() || !options.check_memory.empty()) skew.depth = 1;
  if (options.threads)
    return {static_cast<unsigned>(*options.threads), false, skew, options.saves_state};
  if (options.ranks != nullptr)
    return {1, false, skew, options.saves_state};  // each is on a core of its own
  const auto is_pe = [](std::int32_t program) { return program >= 0; };
  const auto pes =
      std::count_if(layout.program_of_tile.begin(), layout.program_of_tile.end(), is_pe);
  const std::size_t most = std::max(static_cast<std::size_t>(pes), layout.tile_routes.size());
  if (most < kTilesWorthThreads) return {1, false, skew};
  return {std::max(std::thread::hardware_concurrency(), 1U), true, skew};
}

/// Throws UserError if `next` needs host edges that a machine for `built` does not have. A stream that
/// reaches a PE past its router stands in the way of the router, so these must be the same.
void require_edges(const Workload& built, const Workload& next) {
  const auto refuse = [&next](const std::string& what) {
    throw UserError(next.layout.file, "", "the machine was built for another program: " + what);
  };
  if (built.layout.width != next.layout.width || built.layout.height != next.layout.height)
    refuse("its grid has other sizes");
  const auto are_in = [](const std::vector<layout::HostLink>& all, const layout::HostLink& link) {
    return std::any_of(all.begin(), all.end(), [&link](const layout::HostLink& other) {
      return other.tile == link.tile && other.side == link.side &&
             (link.side != Direction::kRamp ||
              (other.in_colors == link.in_colors && other.out_colors == link.out_colors));
    });
  };
  for (const layout::HostLink& link : next.links) {
    if (are_in(built.links, link)) continue;
    refuse("it has no host stream at " + std::string(to_string(link.side)) + " of tile " +
           to_string(link.tile));
  }
  for (const layout::HostLink& link : built.links) {
    if (link.side == Direction::kRamp && !are_in(next.links, link))
      refuse("it has a host stream at tile " + to_string(link.tile));
  }
}

}  // namespace

void Machine::begin_again(Memory memory) {
  domain().reset();
  if (events_ != nullptr) events_->on_reset(domain().origin());
  if (diagnoses_ != nullptr) diagnoses_->on_reset(domain().origin());
  rebuild(memory);
  connect_diagnoses();
  if (reset_listener_) reset_listener_(workload_ == &built_for_);
}

void Machine::read_memory(TileCoord tile, std::uint32_t address, std::vector<std::byte>& bytes) {
  pe::ComputeEngineCore& engine_there = *engine(tile);
  engine_there.catch_up(domain().next_free_cycle());
  engine_there.sram().read_bytes(address, static_cast<std::uint32_t>(bytes.size()), bytes.data());
}

void Machine::write_memory(TileCoord tile, std::uint32_t address,
                           const std::vector<std::byte>& bytes) {
  pe::ComputeEngineCore& engine_there = *engine(tile);
  engine_there.catch_up(domain().next_free_cycle());
  engine_there.write_memory(address, static_cast<std::uint32_t>(bytes.size()), bytes.data());
}

std::vector<std::uint16_t>
Machine::read_half_words(const std::vector<wafer::RemotePart::HalfWord>& places) {
  std::vector<std::uint16_t> words;
  words.reserve(places.size());
  for (const auto& [tile, address] : places) {
    pe::ComputeEngineCore& engine_there = *engine(tile);
    engine_there.catch_up(domain().next_free_cycle());
    words.push_back(static_cast<std::uint16_t>(engine_there.sram().read(address, 2)));
  }
  return words;
}

void Machine::visit(state::Archive& /*archive*/, Cycle /*next*/) {
  state::Archive::fail("this machine has no state that can be saved");
}

void Machine::reset(Memory memory) {
  // What engines have put off belongs into memory that stays; one that has failed has put off nothing.
  if (memory == Memory::kKeep && !domain().failure())
    catch_up(*this, workload_->layout, domain().next_free_cycle());
  begin_again(memory);
}

void Machine::load(const Workload& next) {
  require_edges(built_for_, next);
  require_blocks(next);
  workload_ = &next;
  begin_again(Memory::kClear);
}

void catch_up(Machine& machine, const layout::Layout& layout, Cycle end) {
  for (int y = 0; y < layout.height; ++y) {
    for (int x = 0; x < layout.width; ++x) {
      if (pe::ComputeEngineCore* engine = machine.engine({x, y})) engine->catch_up(end);
    }
  }
  machine.catch_up_others(end);
}

namespace {

// "4 of 4 places are taken", where `wait` counts what waits for a reader; else what it waits for.
std::string held_in(const observe::Wait& wait) {
  const std::size_t colon = wait.what.rfind(": ");
  if (colon == std::string::npos) return "waits for " + wait.what;
  return wait.what.substr(colon + 2, wait.what.find(',', colon) - colon - 2);
}

}  // namespace

std::string unread_wavelets(const Machine& machine, const observe::Waits& waits,
                            const std::function<std::string(std::uint32_t)>& name_of) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t left = machine.wavelets_held();
  if (left == 0) return {};
  std::string text = report::plural(left, "wavelet") + " left in the fabric that no PE reads";
  std::size_t found = 0;
  for (const observe::Wait& wait : waits) {
    if (wait.blocks || wait.idle || ++found > kMostNamed) continue;
    text +=
        (found == 1 ? ": " : "; ") + name_of(wait.place) + ", " + wait.who + ", " + held_in(wait);
  }
  if (waits.unread() > kMostNamed)
    text += "; and " + report::plural(waits.unread() - kMostNamed, "more queue");
  return text;
}

void check_structure(const std::string& structure, const FabricOptions& options,
                     const Workload& workload, const WseConfig& config) {
  if (options.threads && (*options.threads == 0 || *options.threads > kMostThreads))
    throw UserError("", "--threads",
                    "expected a number from 1 to " + std::to_string(kMostThreads) + ", found " +
                        std::to_string(*options.threads));
  if (is_dense(structure, options, workload, config)) {
    if (options.check_epochs) {
      throw UserError("", "--check-epochs",
                      "structure 'dense' does not follow single wavelets; use --structure modules");
    }
    if (options.check_links) {
      throw UserError("", "--check-links",
                      "structure 'dense' has no links between its routers that could be checked; "
                      "use --structure modules");
    }
    if (!options.replace.empty()) {
      throw UserError("", "--replace",
                      "structure 'dense' has no blocks that could be replaced; use --structure "
                      "modules");
    }
    wafer::WaferCore::check_limits(config.fabric, config.queue_write_latency);
    return;
  }
  if (options.ranks != nullptr) {
    throw UserError("", "mpirun", "structure 'modules' is one process; use --structure dense");
  }
  if (options.threads.value_or(1) > 1) {
    throw UserError("", "--threads",
                    "structure 'modules' is stepped by one thread; use --structure dense");
  }
  if (options.check_epochs && !options.replace.empty()) {
    throw UserError("", "--check-epochs",
                    "follows single wavelets through all routers, which it cannot through a module "
                    "of a user; leave --check-epochs or --replace out");
  }
  const std::size_t tiles = workload.layout.tile_count();
  if (tiles <= kMaxModuleTiles) return;
  throw UserError(workload.layout.file, "grid",
                  std::to_string(tiles) +
                      " tiles are too many for structure 'modules', which takes about 60 KB a "
                      "tile; expected at most " +
                      std::to_string(kMaxModuleTiles));
}

std::unique_ptr<Machine> build_machine(const std::string& structure, const FabricOptions& options,
                                       const WseConfig& config, const Workload& workload,
                                       observe::EventStream* events, Replacements* replacements) {
  check_structure(structure, options, workload, config);
  if (is_dense(structure, options, workload, config)) {
    std::vector<wafer::Channel*> others;
    for (unsigned rank = 1; options.ranks != nullptr && rank < options.ranks->count(); ++rank)
      others.push_back(&options.ranks->channel_to(rank));
    return std::make_unique<DenseMachine>("wafer", config, workload, events,
                                          threads_for(options, workload.layout), others);
  }
  Replacements none;
  Replacements& registered = replacements == nullptr ? none : *replacements;
  for (const std::string& text : options.replace) registered.choose(text);
  auto modules = std::make_unique<ModuleMachine>("wafer", config, workload, events,
                                                 options.check_links, &registered);
  if (options.check_epochs) {
    fabric::EpochChecker& epochs = modules->check_epochs();
    if (events != nullptr) events->add(epochs);
  }
  return modules;
}

}  // namespace tessera::wse
