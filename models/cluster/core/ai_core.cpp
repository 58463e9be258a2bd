#include "models/cluster/core/ai_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/cluster/program/legality.h"

namespace tessera::cluster {

AiCore::AiCore(const ClusterConfig& config, const Launch& launch, CoreId core,
               const Attachments& attached)
    : context_(check_config(config), launch, core, attached),
      order_(context_, attached.hazards != nullptr ? &attached.hazards->of(core) : nullptr),
      operands_(context_), sync_(context_, order_), tile_pipes_(context_, sync_, order_, operands_),
      scalar_(context_, sync_, order_, operands_, tile_pipes_), watch_(attached.end) {}

void AiCore::launch(std::shared_ptr<const Program> program, Cycle at) {
  if (!finished_) throw std::logic_error(to_string(id()) + " is busy and was given a kernel");
  if (context_.source != nullptr) program = context_.source->begin(id());
  check_program(*program, {context_.config, context_.launch, id()});
  if (context_.data != nullptr)
    context_.data->check_arrays(*program);
  else
    check_needs_no_data(*program);
  if (context_.program != program) context_.pipes.lines.assign(program->code.size(), LineStats());
  context_.program = std::move(program);
  context_.registers.assign(context_.program->registers, 0);
  operands_.launch();
  order_.launch();
  scalar_.launch(at);
  finished_ = false;
  if (watch_ != nullptr) watch_->core_starts();
}

const CoreStep& AiCore::step(Cycle now) {
  CoreStep& step = context_.step;
  step.asks.clear();
  step.moves.clear();
  context_.progressed = false;
  for (const auto& received : received_.take(now)) {
    const auto* done = std::get_if<transfer::Done>(&received);
    context_.progressed |= done != nullptr;
    if (done == nullptr)
      sync_.take_answer(std::get<sync::Answer>(received));
    else if (done->pipe == Pipe::kS)
      scalar_.take_word(done->value);
    else
      tile_pipes_.take_done(*done, now);
  }
  sync_.apply_effects(now);
  tile_pipes_.serve(now);
  scalar_.serve(now);
  note_finished(now);
  step.next = context_.progressed ? now + 1 : next_wake(now);
  return step;
}

void AiCore::note_finished(Cycle now) {
  if (finished_ || !scalar_.idle() || !sync_.idle()) return;
  for (const PipeState& p : context_.pipes.all)
    if (!p.queue.empty() || p.moving || p.complete_at > now || p.free_at > now) return;
  finished_ = true;
  finished_at_ = now;
  if (watch_ != nullptr) watch_->core_finishes(now);
}

bool AiCore::is_ending() const {
  if (finished_) return true;
  const auto& pipes = context_.pipes.all;
  return scalar_.ended() && std::all_of(pipes.begin(), pipes.end(),
                                        [](const PipeState& p) { return p.queue.empty(); });
}

Cycle AiCore::next_wake(Cycle now) const {
  Cycle next = std::min(sync_.next_effect(now), received_.next(now));
  const auto consider = [&next, now](Cycle at) {
    if (at > now) next = std::min(next, at);
  };
  const unsigned waiting = context_.pipes.queued | 1U << sync::index(Pipe::kS);
  const bool is_ending = scalar_.ended() && !finished_;
  for (unsigned n = 0; n < sync::kPipeCount; ++n) {
    if (!is_ending && (waiting >> n & 1U) == 0) continue;
    const PipeState& p = context_.pipes.all[n];
    consider(p.wake);
    if (!is_ending) continue;
    consider(p.complete_at);
    consider(p.free_at);
  }
  return next;
}

}  // namespace tessera::cluster
