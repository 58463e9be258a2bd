#include "platforms/vp/wse_device.h"

#include <algorithm>
#include <string>

#include "models/observe/event_fields.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::vp {

WseDevice::WseDevice(const wse::Workload& workload, wse::Machine& machine,
                     observe::EventStream& events)
    : workload_(workload), machine_(machine), events_(events) {
  const layout::Layout& layout = workload.layout;
  info_.kind = host::DeviceKind::kWse;
  info_.width = static_cast<std::uint32_t>(layout.width);
  info_.height = static_cast<std::uint32_t>(layout.height);
  info_.tile_bytes = pe::kSramBytes;
  for (const layout::HostLink& link : workload.links) {
    info_.edges.push_back({link.tile, link.side, link.out_colors});
    edges_.push_back(&machine.edge(link.tile, link.side));
  }
  name_functions();
  name_symbols();
  for (const observe::CounterInfo& counter : observe::counter_table())
    info_.counters.emplace_back(counter.name);
  info_.period_ps =
      static_cast<std::uint64_t>(machine.domain().to_time(1) / sc_core::sc_time(1, sc_core::SC_PS));
  events.add(*this);
}

void WseDevice::name_functions() {
  std::vector<std::string>& names = info_.functions;
  for (const auto& image : workload_.programs.images()) {
    for (const pe::Function& function : image->functions) {
      if (std::find(names.begin(), names.end(), function.name) == names.end())
        names.push_back(function.name);
    }
  }
  if (names.size() <= host::kMaxFunctions) return;
  throw UserError(workload_.layout.file, "tiles",
                  "the programs have " + std::to_string(names.size()) +
                      " functions; the host port has numbers for " +
                      std::to_string(host::kMaxFunctions));
}

void WseDevice::name_symbols() {
  const auto& images = workload_.programs.images();
  for (std::uint32_t program = 0; program < images.size(); ++program) {
    for (const pe::Symbol& symbol : images[program]->symbols) {
      info_.symbols.push_back({symbol.name, program, symbol.address,
                               symbol.count * pe::bytes_of(symbol.type),
                               static_cast<std::uint32_t>(symbol.type)});
    }
  }
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
  return {static_cast<int>(tile % info_.width), static_cast<int>(tile / info_.width)};
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
  const std::string& name = info_.functions[request.function];
  std::uint32_t started = 0;
  for (std::uint32_t y = 0; y < request.height; ++y) {
    for (std::uint32_t x = 0; x < request.width; ++x) {
      const TileCoord tile{request.origin.x + static_cast<int>(x),
                           request.origin.y + static_cast<int>(y)};
      const auto& image = workload_.programs.image_of(tile);
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
  wse::catch_up(machine_, workload_.layout, now);
}

std::uint64_t WseDevice::counter(std::uint32_t number) {
  catch_up();
  return events_.counters().total(observe::counter_table()[number].counter);
}

}  // namespace tessera::vp
