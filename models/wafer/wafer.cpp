#include "models/wafer/wafer.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "models/state/archive.h"
#include "tlm_ifaces/kit/broken_rule.h"

namespace tessera::wafer {

Wafer::Wafer(sc_core::sc_module_name name, timing::ClockDomain& domain, Plan plan,
             observe::EventStream* events, Threads threads, std::vector<Channel*> others)
    : sc_core::sc_module(name), out("out", plan.ports.size()), in("in", plan.ports.size()),
      domain_(domain), block_(domain.add_early(*this)), plan_(std::move(plan)), events_(events),
      threads_(threads), others_(std::move(others)),
      core_(std::in_place, Strip(plan_), threads, static_cast<Outside&>(*this), events, others_) {
  for (std::uint32_t p = 0; p < plan_.ports.size(); ++p) {
    ports_.push_back(std::make_unique<Port>(*this, p));
    in[p].bind(static_cast<link::ForwardIf&>(*ports_.back()));
    out[p].bind(static_cast<link::BackwardIf&>(*ports_.back()));
  }
}

void Wafer::end_of_elaboration() {
  for (std::uint32_t p = 0; p < plan_.ports.size(); ++p) {
    const PortPlan& port = plan_.ports[p];
    const std::string place = "tile " + to_string(port.tile) + ", " + to_string(port.side);
    link::require_bound(in[p], place + " input");
    link::require_bound(out[p], place + " output");
  }
}

void Wafer::reset(Plan plan, bool keep_memory) {
  core_->join();
  from_ports_.clear();
  broken_rule_ = nullptr;  // after the failure of a tile
  std::vector<pe::Sram> memories;
  if (keep_memory) memories = core_->take_memories();
  core_.reset();  // it refers to the plan
  plan_ = std::move(plan);
  core_.emplace(Strip(plan_), threads_, static_cast<Outside&>(*this), events_, others_);
  if (keep_memory) core_->put_memories(std::move(memories));
}

void Wafer::start() {
  if (kit::obeys_rules(kTwoQueuesId, [&] { core().start(); })) domain_.wake(block_, 0);
}

void Wafer::complete_begun() {
  core_->join();
  take_from_ports();
}

// The cycle is completed also where a neighbour breaks a rule.
void Wafer::take_from_ports() {
  for (const PortMessage& message : from_ports_) {
    Port& port = *ports_[message.port];
    try {
      if (message.credit)
        port.credit(message.wavelet.color, message.due);
      else
        port.put(message.wavelet, message.due);
    } catch (...) {
      if (broken_rule_ == nullptr) broken_rule_ = std::current_exception();
    }
  }
  from_ports_.clear();
}

Cycle Wafer::step(Cycle now) {
  complete_begun();
  const Cycle next = core_->step(now, domain_.free_until());
  domain_.set_computed_to(core_->computed_to());
  take_from_ports();  // a port may lead to another one of this wafer
  if (broken_rule_ != nullptr) std::rethrow_exception(std::exchange(broken_rule_, nullptr));
  return next;
}

void Wafer::launch(TileCoord tile, const pe::Function& function,
                   const std::vector<std::uint32_t>& arguments, Cycle at) {
  const Cycle from = std::max(at, domain_.next_free_cycle());
  core().launch(tile, function, arguments, from);
  domain_.wake(block_, from);
}

void Wafer::access(TileCoord tile, pe::HostAccess access, Cycle at) {
  const Cycle from = std::max(at, domain_.next_free_cycle());
  core().access(tile, std::move(access), from);
  domain_.wake(block_, from);
}

void Wafer::order(TileCoord tile, const HostOrder& order, Cycle at, TakenListener listener) {
  const Cycle from = std::max(at, domain_.next_free_cycle());
  core().remote(tile)->order(tile, order, from, std::move(listener));
  domain_.wake(block_, from);
}

void Wafer::visit(state::Archive& archive, Cycle next, Cycle due) {
  core().visit(archive, next);
  if (archive.saving()) return;
  for (const Cycle at : {due, core().next_due(next - 1)}) {
    if (at != kNever) domain_.wake(block_, at);
  }
}

void Wafer::Port::put(const link::Wavelet& w, Cycle due) {
  if (wafer.core_->is_taken(index)) return wafer.from_ports_.push_back({index, w, due, false});
  if (kit::obeys_rules(kProtocolId, [&] { wafer.core_->put(index, w, due); }))
    wafer.domain_.wake(wafer.block_, due);
}

void Wafer::Port::credit(Color color, Cycle due) {
  if (wafer.core_->is_taken(index))
    return wafer.from_ports_.push_back(PortMessage::of_credit(index, color, due));
  if (kit::obeys_rules(kProtocolId, [&] { wafer.core_->credit(index, color, due); }))
    wafer.domain_.wake(wafer.block_, due);
}

}  // namespace tessera::wafer
