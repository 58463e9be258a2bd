#include "models/wafer/units/blocks.h"

#include <utility>

#include "models/wafer/plan/slot_graph.h"

namespace tessera::wafer {

Blocks::Blocks(const Strip& strip_, Outside& outside_, observe::EventStream* events_,
               SlotGraph& graph)
    : strip(strip_), plan(strip_.plan), outside(outside_), events(events_), rims(strip),
      pipes(*this, std::move(graph.pipes)),
      slots(*this, std::move(graph.slots), std::move(graph.links), std::move(graph.groups),
            std::move(graph.switches)),
      routers(*this, graph.plain), pes(*this) {
  if (strip.by_tile) selection.number_units(*this);
}

void Blocks::deliver_elsewhere(Ref receiver, const link::Wavelet& w, Cycle due) {
  switch (receiver.kind()) {
  case Ref::Kind::kPipe:
    return pipes.put(receiver.index(), w, due);
  case Ref::Kind::kRouter:
    return routers.put(receiver, w, due);
  case Ref::Kind::kPort:
    return outside.put(receiver.index(), w, due);
  case Ref::Kind::kRim:
    return rims.send(receiver, w, due);
  default:
    break;  // a sender has no credit for these
  }
}

void Blocks::credit_elsewhere(Ref sender, Color color, Cycle due) {
  switch (sender.kind()) {
  case Ref::Kind::kPipe:
    return pipes.credit(sender.index(), due);
  case Ref::Kind::kRamp:
    return pes.credit(sender.index(), due);
  case Ref::Kind::kRouter:
    return routers.credit(sender, color, due);
  case Ref::Kind::kPort:
    return outside.credit(sender.index(), color, due);
  case Ref::Kind::kRim:
    return rims.send_credit(sender, color, due);
  default:
    break;  // nobody sends there
  }
}

void Blocks::credit_of_queue_elsewhere(Ref sender, Color color, Cycle next) {
  if (sender.kind() == Ref::Kind::kPipe)
    pipes.credit_for_next(sender.index(), next);
  else
    credit_elsewhere(sender, color, next);
}

void Blocks::suspend(std::uint32_t place, Color color, Cycle cycle) {
  if (events != nullptr)
    events->record({cycle, place, observe::EventKind::kTeardown, color.value(), 1, 0});
  pes.tell_teardown(place, color, cycle + 1);
}

}  // namespace tessera::wafer
