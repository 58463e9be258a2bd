#include "models/cluster/core/ai_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/cluster/program/legality.h"

namespace tessera::cluster {

namespace {

const ClusterConfig& checked(const ClusterConfig& config) {
  check_config(config);
  return config;
}

}  // namespace

AiCore::AiCore(const ClusterConfig& config, const Launch& launch, CoreId core,
               const Attachments& attached)
    : context_(checked(config), launch, core, attached),
      order_(context_, attached.hazards != nullptr ? &attached.hazards->of(core) : nullptr),
      operands_(context_), sync_(context_, order_), tile_pipes_(context_, sync_, order_, operands_),
      scalar_(context_, sync_, order_, operands_, tile_pipes_), watch_(attached.end) {}

void AiCore::launch(std::shared_ptr<const Program> program, Cycle at) {
  if (!finished_) throw std::logic_error(to_string(id()) + " is busy and was given a kernel");
  check_program(*program, {context_.config, context_.launch, id()});
  if (context_.data != nullptr)
    context_.data->check_arrays(*program);
  else
    check_needs_no_data(*program);
  context_.program = std::move(program);
  context_.registers.assign(context_.program->registers, 0);
  operands_.launch();
  order_.launch();
  scalar_.launch(at);
  finished_ = false;
  if (watch_ != nullptr) watch_->core_starts();
}

void AiCore::answer(const sync::Answer& answer, Cycle due) {
  received_.push_back({false, answer, {}, due});
}

void AiCore::done(const transfer::Done& done, Cycle due) {
  received_.push_back({true, {}, done, due});
}

const CoreStep& AiCore::step(Cycle now) {
  CoreStep& step = context_.step;
  step.asks.clear();
  step.moves.clear();
  context_.progressed = false;
  receive(now);
  sync_.apply_effects(now);
  tile_pipes_.serve(now);
  scalar_.serve(now);
  note_finished(now);
  step.next = context_.progressed ? now + 1 : next_wake(now);
  return step;
}

void AiCore::receive(Cycle now) {
  const auto is_due = [now](const Received& r) { return r.due <= now; };
  for (const Received& r : received_) {
    if (!is_due(r)) continue;
    r.is_done ? take_done(r.done, now) : sync_.take_answer(r.answer);
  }
  received_.erase(std::remove_if(received_.begin(), received_.end(), is_due), received_.end());
}

void AiCore::take_done(const transfer::Done& done, Cycle now) {
  context_.progressed = true;
  if (done.pipe == Pipe::kS)
    scalar_.take_word(done.value);
  else
    tile_pipes_.take_done(done, now);
}

void AiCore::note_finished(Cycle now) {
  if (finished_ || !scalar_.idle() || !sync_.idle()) return;
  for (const PipeState& p : context_.pipes.all)
    if (!p.queue.empty() || p.moving || p.complete_at > now || p.free_at > now) return;
  finished_ = true;
  finished_at_ = now;
  if (watch_ != nullptr) watch_->core_finishes(now);
}

Cycle AiCore::next_wake(Cycle now) const {
  Cycle next = sync_.next_effect(now);
  const auto consider = [&next, now](Cycle at) {
    if (at > now) next = std::min(next, at);
  };
  for (const Received& r : received_) consider(r.due);
  for (const PipeState& p : context_.pipes.all) {
    consider(p.wake);
    if (scalar_.ended() && !finished_) {
      consider(p.complete_at);
      consider(p.free_at);
    }
  }
  return next;
}

}  // namespace tessera::cluster
