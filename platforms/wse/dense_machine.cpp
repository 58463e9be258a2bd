#include "platforms/wse/dense_machine.h"

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

}  // namespace

DenseMachine::DenseMachine(sc_core::sc_module_name name, const WseConfig& config,
                           const Workload& workload, observe::EventStream* events,
                           wafer::Threads threads)
    : sc_core::sc_module(name), Machine(config, workload, events),
      domain_("clock", config.clock_period_ps),
      wafer_("tiles", domain_, plan_of(config, workload, workload), events, threads),
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

void DenseMachine::describe_waits(observe::Waits& waits) const {
  wafer_.core().describe_waits(waits, domain_.now());
  edges_.describe_waits(waits, domain_.now());
}

}  // namespace tessera::wse
