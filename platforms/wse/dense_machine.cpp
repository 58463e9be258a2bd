#include "platforms/wse/dense_machine.h"

namespace tessera::wse {

namespace {

wafer::Plan plan_of(const WseConfig& config, const Workload& workload) {
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
  for (const layout::HostLink& link : workload.links)
    plan.ports.push_back({link.tile, link.side, link.in_colors});
  return plan;
}

}  // namespace

DenseMachine::DenseMachine(sc_core::sc_module_name name, const WseConfig& config,
                           const Workload& workload, observe::EventStream* events)
    : sc_core::sc_module(name), domain_("clock", config.clock_period_ps),
      wafer_("tiles", domain_, plan_of(config, workload), events),
      edges_(config, workload, domain_, events) {
  std::size_t port = 0;
  for (const layout::HostLink& link : workload.links) {
    host::Edge& edge = edges_.at(link.tile, link.side);
    wafer_.out[port].bind(edge.in);
    edge.out.bind(wafer_.in[port++]);
  }
}

void DenseMachine::shuffle_step_order(std::uint64_t seed) {
  domain_.shuffle_step_order(seed);
  wafer_.core().shuffle_step_order(seed);
}

void DenseMachine::describe_waits(observe::Waits& waits) const {
  wafer_.core().describe_waits(waits, domain_.now());
  edges_.describe_waits(waits, domain_.now());
}

}  // namespace tessera::wse
