#include "platforms/vp/wse_device.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/observe/event_fields.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::vp {

namespace {

void name_functions(const wse::Workload& workload, host::DeviceInfo& info) {
  std::vector<std::string>& names = info.functions;
  for (const auto& image : workload.programs.images()) {
    for (const pe::Function& function : image->functions) {
      if (std::find(names.begin(), names.end(), function.name) == names.end())
        names.push_back(function.name);
    }
  }
  if (names.size() <= host::kMaxFunctions) return;
  throw UserError(workload.layout.file, "tiles",
                  "the programs have " + std::to_string(names.size()) +
                      " functions; the host port has numbers for " +
                      std::to_string(host::kMaxFunctions));
}

std::uint32_t type_number(const pe::Symbol& symbol, pe::HalfFormat half) {
  const bool is_half =
      symbol.packed == pe::PackedType::kNone && symbol.type == pe::ElementType::kF16;
  const std::string_view name = is_half ? to_string(half) : symbol.element_type();
  const auto* const found = std::find(host::kSymbolTypes.begin(), host::kSymbolTypes.end(), name);
  return static_cast<std::uint32_t>(found - host::kSymbolTypes.begin());
}

void name_symbols(const wse::Workload& workload, host::DeviceInfo& info) {
  const auto& images = workload.programs.images();
  for (std::uint32_t program = 0; program < images.size(); ++program) {
    for (const pe::Symbol& symbol : images[program]->symbols) {
      info.symbols.push_back({symbol.name, program, symbol.address, symbol.bytes(),
                              type_number(symbol, images[program]->half)});
    }
  }
}

}  // namespace

WseDevice::WseDevice(const wse::Workload& workload, wse::Machine& machine,
                     observe::EventStream& events)
    : machine_(machine), events_(events) {
  for (const layout::HostLink& link : workload.links)
    edges_.push_back(&machine.edge(link.tile, link.side));
  add_program(workload);
  events.add(*this);
}

// The edges are those of the first program; the host takes what the present one sends there.
void WseDevice::add_program(const wse::Workload& workload) {
  host::DeviceInfo info;
  info.kind = host::DeviceKind::kWse;
  info.width = static_cast<std::uint32_t>(workload.layout.width);
  info.height = static_cast<std::uint32_t>(workload.layout.height);
  info.tile_bytes = pe::kSramBytes;
  const auto& first = workloads_.empty() ? workload.links : workloads_.front()->links;
  for (const layout::HostLink& link : first) {
    const auto same = std::find_if(workload.links.begin(), workload.links.end(),
                                   [&link](const layout::HostLink& other) {
                                     return other.tile == link.tile && other.side == link.side;
                                   });
    info.edges.push_back(
        {link.tile, link.side, same == workload.links.end() ? 0 : same->out_colors});
  }
  name_functions(workload, info);
  name_symbols(workload, info);
  for (const observe::CounterInfo& counter : observe::counter_table())
    info.counters.emplace_back(counter.name);
  info.period_ps = static_cast<std::uint64_t>(machine_.domain().to_time(1) /
                                              sc_core::sc_time(1, sc_core::SC_PS));
  workloads_.push_back(&workload);
  infos_.push_back(std::move(info));
  for (host::DeviceInfo& each : infos_)
    each.programs = static_cast<std::uint32_t>(workloads_.size());
}

bool WseDevice::load(std::uint32_t program) {
  try {
    machine_.load(*workloads_[program]);
  } catch (const UserError&) {  // an edge, or a queue of a tile, that it does not have
    return false;
  }
  program_ = program;
  caught_up_ = kNever;
  return true;
}

void WseDevice::reset(bool keep_memory) {
  machine_.reset(keep_memory ? wse::Machine::Memory::kKeep : wse::Machine::Memory::kClear);
  caught_up_ = kNever;
}

void WseDevice::set_listener(host::DeviceListener* listener) {
  listener_ = listener;
  timing::ClockDomain& domain = machine_.domain();
  domain.set_rest_listener([this](Cycle now) {
    if (listener_ != nullptr) listener_->came_to_rest(now);
  });
  for (host::Edge* edge : edges_) {
    edge->on_complete([this, &domain] {
      if (listener_ != nullptr) listener_->stream_completed(domain.now());
    });
  }
}

void WseDevice::on_event(const observe::Event& event) {
  if (event.kind != observe::EventKind::kTaskEnd || event.a != observe::kLaunchedTask) return;
  if (listener_ != nullptr) listener_->launch_ended(event.cycle);
}

TileCoord WseDevice::at(std::uint32_t tile) const {
  return {static_cast<int>(tile % info().width), static_cast<int>(tile / info().width)};
}

bool WseDevice::has_memory(std::uint32_t tile) const {
  return machine_.engine(at(tile)) != nullptr;
}

pe::Sram& WseDevice::memory(std::uint32_t tile) {
  pe::ComputeEngineCore& engine = *machine_.engine(at(tile));
  engine.catch_up(machine_.domain().next_free_cycle());
  return engine.sram();
}

std::uint32_t WseDevice::launch(const host::LaunchRequest& request, Cycle at) {
  const std::string& name = info().functions[request.function];
  std::uint32_t started = 0;
  for (std::uint32_t y = 0; y < request.height; ++y) {
    for (std::uint32_t x = 0; x < request.width; ++x) {
      const TileCoord tile{request.origin.x + static_cast<int>(x),
                           request.origin.y + static_cast<int>(y)};
      const auto& image = workload().programs.image_of(tile);
      if (image == nullptr) continue;
      const pe::Function* function = image->find_function(name);
      if (function == nullptr) continue;
      machine_.launch(tile, *function, request.arguments, at);
      ++started;
    }
  }
  return started;
}

// A counter includes all that was due, whether or not the host has looked before.
void WseDevice::catch_up() {
  const Cycle now = machine_.domain().next_free_cycle();
  if (now == caught_up_) return;
  caught_up_ = now;
  wse::catch_up(machine_, workload().layout, now);
}

std::uint64_t WseDevice::counter(std::uint32_t number) {
  catch_up();
  return events_.counters().total(observe::counter_table()[number].counter);
}

}  // namespace tessera::vp
