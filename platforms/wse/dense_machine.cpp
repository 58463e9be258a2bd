#include "platforms/wse/dense_machine.h"

#include <cstddef>
#include <map>
#include <utility>

#include "models/state/archive.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

// The ports are those of the first program.
wafer::Plan plan_of(const WseConfig& config, const Workload& workload, const Workload& first) {
  const layout::Layout& layout = workload.layout;
  wafer::Plan plan;
  plan.width = layout.width;
  plan.height = layout.height;
  plan.generation = config.generation;
  plan.fabric = config.fabric;
  plan.pe = config.pe;
  plan.queue_write_latency = config.queue_write_latency;
  plan.input_queue_lengths = config.input_queue_lengths;
  plan.output_queue_lengths = config.output_queue_lengths;
  for (const layout::RouteSpec& route : layout.routes) plan.routes.push_back(route.route);
  plan.tile_routes.reserve(layout.tile_routes.size());
  for (const layout::TileRoute& route : layout.tile_routes)
    plan.tile_routes.push_back({route.color, route.route});
  plan.tile_routes_begin = layout.tile_routes_begin;
  plan.images = workload.programs.images();
  plan.image_of_tile = layout.program_of_tile;
  for (const layout::HostLink& link : first.links)
    plan.ports.push_back({link.tile, link.side, link.in_colors});
  return plan;
}

/// Does `work` with every other process that still answers: what the others have recorded is shown even
/// when one of them is lost.
template <class Work>
void for_all_others(wafer::Wafer& wafer, Work work) {
  for (const auto& remote : wafer.core().remotes()) {
    if (remote->is_lost()) continue;
    try {
      work(*remote);
    } catch (const IllegalBehaviour&) {
      continue;
    }
  }
}

}  // namespace

wafer::Plan plan_of(const WseConfig& config, const Workload& workload) {
  return plan_of(config, workload, workload);
}

DenseMachine::DenseMachine(sc_core::sc_module_name name, const WseConfig& config,
                           const Workload& workload, observe::EventStream* events,
                           wafer::Threads threads, std::vector<wafer::Channel*> others)
    : sc_core::sc_module(name), Machine(config, workload, events),
      domain_("clock", config.clock_period_ps),
      wafer_("tiles", domain_, plan_of(config, workload, workload), events, threads,
             std::move(others)),
      edges_(config, workload, domain_, events) {
  std::size_t port = 0;
  for (const layout::HostLink& link : workload.links) {
    host::Edge& edge = edges_.at(link.tile, link.side);
    wafer_.out[port].bind(edge.in);
    edge.out.bind(wafer_.in[port++]);
  }
}

void DenseMachine::rebuild(Memory memory) {
  wafer_.reset(plan_of(config(), workload(), built_for()), memory == Memory::kKeep);
  if (shuffle_seed_) wafer_.core().shuffle_step_order(*shuffle_seed_);
  edges_.reset(config(), workload(), events());
  wafer_.start();
  edges_.start();
}

void DenseMachine::shuffle_step_order(std::uint64_t seed) {
  shuffle_seed_ = seed;
  domain_.shuffle_step_order(seed);
  wafer_.core().shuffle_step_order(seed);
}

void DenseMachine::read_memory(TileCoord tile, std::uint32_t address,
                               std::vector<std::byte>& bytes) {
  wafer::RemotePart* const other = wafer_.core().remote(tile);
  if (other == nullptr) return Machine::read_memory(tile, address, bytes);
  bytes = other->read_memory(tile, address, static_cast<std::uint32_t>(bytes.size()),
                             domain_.next_free_cycle());
}

void DenseMachine::write_memory(TileCoord tile, std::uint32_t address,
                                const std::vector<std::byte>& bytes) {
  wafer::RemotePart* const other = wafer_.core().remote(tile);
  if (other == nullptr) return Machine::write_memory(tile, address, bytes);
  other->write_memory(tile, address, bytes, domain_.next_free_cycle());
}

// Each process is asked once.
std::vector<std::uint16_t>
DenseMachine::read_half_words(const std::vector<wafer::RemotePart::HalfWord>& places) {
  std::map<wafer::RemotePart*, std::vector<std::size_t>> by_process;
  for (std::size_t i = 0; i < places.size(); ++i)
    by_process[wafer_.core().remote(places[i].tile)].push_back(i);
  std::vector<std::uint16_t> words(places.size());
  for (const auto& [process, numbers] : by_process) {
    std::vector<wafer::RemotePart::HalfWord> asked;
    for (const std::size_t i : numbers) asked.push_back(places[i]);
    const std::vector<std::uint16_t> found =
        process == nullptr ? Machine::read_half_words(asked)
                           : process->read_half_words(asked, domain_.next_free_cycle());
    for (std::size_t i = 0; i < numbers.size(); ++i) words[numbers[i]] = found[i];
  }
  return words;
}

void DenseMachine::catch_up_others(Cycle end) {
  for_all_others(wafer_, [end](wafer::RemotePart& other) { other.catch_up(end); });
}

void DenseMachine::observe_others(const wafer::ObservedParts& what,
                                  const std::vector<std::uint32_t>& shown,
                                  const wafer::TraceListeners& listeners) {
  for_all_others(wafer_, [&](wafer::RemotePart& other) { other.observe(what, shown, listeners); });
}

TileCoord DenseMachine::tile_of(std::uint32_t place) const {
  const auto width = static_cast<std::uint32_t>(workload().layout.width);
  return {static_cast<int>(place % width), static_cast<int>(place / width)};
}

std::string DenseMachine::state_elsewhere(std::uint32_t place, Cycle now) {
  wafer::RemotePart* const other = wafer_.core().remote(tile_of(place));
  if (other == nullptr) return {};
  other->catch_up(now + 1);
  return other->state_of(place, now);
}

void DenseMachine::collect(observe::EventStream& events) {
  for_all_others(wafer_, [&events](wafer::RemotePart& other) { other.collect(events); });
}

void DenseMachine::collect_waits(observe::WaitBook& book, observe::LinkWaits* links, Cycle cycles) {
  const Cycle stepped = domain_.next_free_cycle();
  for_all_others(wafer_, [&book, links, cycles, stepped](wafer::RemotePart& other) {
    other.collect_waits(book, links, cycles, stepped);
  });
}

void DenseMachine::go_on_with_waits(std::uint32_t place, observe::TileWaits& waits) {
  if (wafer::RemotePart* const other = wafer_.core().remote(tile_of(place)))
    other->put_waits(place, waits);
}

void DenseMachine::go_on_with_link_waits(const std::vector<observe::LinkWaits::Tile>& tiles) {
  for (const auto& remote : wafer_.core().remotes()) remote->put_link_waits(tiles);
}

void DenseMachine::visit(state::Archive& archive, Cycle next) {
  Cycle due = domain_.next_due();
  archive(due);
  if (archive.loading()) domain_.reset();  // forgets what is due at the start
  wafer_.visit(archive, next, due);
  edges_.visit(archive, next, due == next);
}

void DenseMachine::describe_waits(observe::Waits& waits) const {
  wafer_.core().describe_waits(waits, domain_.now());
  edges_.describe_waits(waits, domain_.now());
}

}  // namespace tessera::wse
