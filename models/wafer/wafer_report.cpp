// Who is stuck in a wafer, in the order and in the words of the blocks of one tile after the other.
#include <algorithm>
#include <string>
#include <vector>

#include "models/fabric/on_ramp_core.h"
#include "models/fabric/router_waits.h"
#include "models/queue/input_queue_core.h"
#include "models/wafer/pe.h"
#include "models/wafer/wafer_core.h"
#include "models/wafer/whole_router.h"

namespace tessera::wafer {

void WaferCore::describe_waits(observe::Waits& waits, Cycle now) const {
  for (std::uint32_t place = 0; place < plan_.tile_count(); ++place) {
    if (pe_of_tile_[place] != kNoIndex) describe_pe((*pes_)[pe_of_tile_[place]], waits, now);
    if (router_of_tile_[place] != kNoIndex) {
      routers_[router_of_tile_[place]].core.describe_waits(waits, now);
    } else {
      describe_buffers(place, waits);
    }
  }
}

void WaferCore::describe_pe(const Pe& pe, observe::Waits& waits, Cycle now) const {
  pe.engine.describe_waits(waits, now);
  for (unsigned i = 0; i < pe.inputs; ++i) {
    const InQueue& queue = in_queues_[pe.first_input + i];
    if (queue.landed == 0) continue;
    waits.push_back(queue::InputQueueCore::wait_for_reader(pe.place, queue.id, queue.color,
                                                           queue.held, queue.room));
  }
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    const std::optional<std::uint32_t> queue = pe.output_index(QueueId(q));
    if (queue) describe_output(pe, out_queues_[*queue], waits, now);
  }
}

void WaferCore::describe_output(const Pe& pe, const OutQueue& queue, observe::Waits& waits,
                                Cycle now) const {
  if (queue.held == 0) return;
  const OutEntry& head = out_entries_[queue.first_entry + queue.head];
  if (head.visible_from > now) return;
  unsigned capacity = 0;
  for (unsigned l = 0; l < pe.ramps; ++l) {
    const RampLink& link = ramp_links_[pe.first_ramp + l];
    if (link.color != head.wavelet.color) continue;
    if (link.credits > 0 || link.returning != 0) return;
    capacity = capacity_of(link.target, link.color);
  }
  waits.push_back(
      fabric::OnRampCore::wait_for_router(pe.place, queue.id, head.wavelet.color, capacity));
}

void WaferCore::describe_buffers(std::uint32_t place, observe::Waits& waits) const {
  for (std::uint32_t r = plan_.tile_routes_begin[place]; r < plan_.tile_routes_begin[place + 1];
       ++r) {
    const Ref buffer = buffers_[r];
    const std::string what = buffer.kind() == Ref::Kind::kPipe
                                 ? what_pipe_waits_for(pipes_[buffer.index()])
                                 : what_slot_waits_for(buffer.index());
    if (what.empty()) continue;
    waits.push_back(
        {place, fabric::router_input(plan_.tile_routes[r].color, *input_of(buffer)), what, true});
  }
}

std::string WaferCore::what_pipe_waits_for(const Pipe& pipe) const {
  if (pipe.landed % Pipe::kSuspended == 0) return {};
  if (pipe.suspended()) return fabric::end_of_teardown(pipe.held);
  if (pipe.credits > 0 || pipe.returning != 0) return {};
  const Color color(pipe.color);
  return "room at " + fabric::output_without_credit(pipe.direction(), color,
                                                    capacity_of(pipe.target, color), pipe.held);
}

std::string WaferCore::what_slot_waits_for(std::uint32_t index) const {
  const Slot& slot = slots_[index];
  if (slot.landed == 0) return {};
  if (slot.suspended) return fabric::end_of_teardown(slot.held);
  std::string what;
  const unsigned to_go = branches_of(slot, entry(index, slot.head));
  for (unsigned i = 0; i < slot.links; ++i) {
    const Link& link = links_[slot.first_link + i];
    if ((to_go >> i & 1U) == 0 || credits_of(slot.first_link + i) > 0) continue;
    what += (what.empty() ? "room at " : " and room at ") +
            fabric::output_without_credit(link.out, slot.color,
                                          capacity_of(link.target, slot.color), slot.held);
  }
  return what;
}

}  // namespace tessera::wafer
