#include "models/wafer/units/routers.h"

#include <algorithm>

#include "models/wafer/units/blocks.h"

namespace tessera::wafer {

Routers::Routers(Blocks& blocks, const std::vector<bool>& plain)
    : blocks_(blocks),
      routers_(static_cast<std::size_t>(std::count(plain.begin(), plain.end(), false))),
      first_place_(blocks.strip.first_place), of_tile_(plain.size(), kNoIndex) {
  const Plan& plan = blocks.plan;
  for (std::uint32_t i = 0; i < plain.size(); ++i) {
    if (plain[i]) continue;
    const std::uint32_t place = first_place_ + i;
    of_tile_[i] = static_cast<std::uint32_t>(routers_.size());
    fabric::RouterCore& core =
        routers_.emplace_back(place, plan.tile_of(place), plan.fabric, blocks.events).core;
    const std::int32_t image = plan.image_of_tile[place];
    if (image >= 0 && plan.images[static_cast<std::size_t>(image)]->uses(pe::Opcode::kStcfg))
      core.set_reconfigurable(plan.generation);
    for (std::uint32_t r = plan.tile_routes_begin[place]; r < plan.tile_routes_begin[place + 1];
         ++r)
      core.set_route(plan.tile_routes[r].color, plan.routes[plan.tile_routes[r].route]);
  }
  due_.resize(routers_.size());
}

void Routers::step(Cycle now, FirstFailure& failure) {
  blocks_.order.step_due(due_.due_in(now), now, blocks_.selection.of(Selection::kRouters),
                         [&](std::uint32_t router) {
                           failure.guard(routers_[router].place, FirstFailure::Block::kRouter, now,
                                         [&] { step_one(router, now); });
                         });
}

void Routers::step_one(std::uint32_t index, Cycle now) {
  WholeRouter& router = routers_[index];
  const fabric::RouterCore::Step step = router.core.step(now);
  for (const fabric::RouterCore::Send& send : step.sends)
    blocks_.deliver(router.receiver(send.out, send.wavelet.color), send.wavelet, send.due);
  for (const fabric::RouterCore::CreditReturn& credit : step.credits)
    blocks_.give_credit(router.sender(credit.in, credit.color), credit.color, credit.due);
  for (const fabric::RouterCore::Teardown& teardown : step.teardowns)
    blocks_.pes.tell_teardown(router.place, teardown.color, teardown.due);
  if (step.next == now + 1)
    due_.near().insert_for_next(index);
  else if (step.next != kNever)
    due_.insert(index, step.next, now);
}

void Routers::put(Ref input, const link::Wavelet& w, Cycle due) {
  routers_[input.router()].core.put(input.direction(), w, due);
  due_.insert(input.router(), due, blocks_.now);
}

void Routers::credit(Ref output, Color color, Cycle due) {
  routers_[output.router()].core.credit(output.direction(), color, due);
  due_.insert(output.router(), due, blocks_.now);
}

void Routers::write_register(std::uint32_t place, config_space::Address address,
                             std::uint16_t value, Cycle due) {
  const std::uint32_t router = index_at(place);
  if (routers_[router].core.write_register(address, value, due))
    due_.insert(router, due, blocks_.now);
}

}  // namespace tessera::wafer
