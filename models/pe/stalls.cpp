#include "models/pe/stalls.h"

#include <algorithm>
#include <limits>

#include "models/observe/place_watch.h"
#include "models/observe/stall.h"
#include "models/pe/banks.h"
#include "models/pe/readiness.h"

namespace tessera::pe {

using observe::Stall;

namespace {

std::uint8_t byte(std::uint32_t number) {
  return static_cast<std::uint8_t>(
      std::min<std::uint32_t>(number, std::numeric_limits<std::uint8_t>::max()));
}

std::uint8_t file_of(const Operand& operand) {
  return operand.kind == kSrc0 ? 0 : operand.kind == kSrc1 ? 1 : Stall::kDestinations;
}

Stall lack_of_wavelets(const EngineState& pe, const Operation& op, QueueId queue, Cycle now) {
  Stall stall;
  stall.kind = Stall::Kind::kWavelets;
  const QueueBinding* const binding = pe.image().find_queue(true, queue);
  if (binding != nullptr && binding->color) stall.color = byte(binding->color->value());
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric || source.queue != queue) continue;
    stall.source = file_of(op.instruction().operands[i]);
    stall.there = byte(pe.queues.available(queue, now));
    stall.needed = byte(source.wavelets_for(op.least_of(source)));
    break;
  }
  return stall;
}

Stall lack_of_room(const Operation& op) {
  Stall stall;
  stall.kind = Stall::Kind::kRoom;
  stall.color = op.cursors[0].number;
  return stall;
}

void tell_stalls(const EngineState& pe, const Operations& operations, ThreadId chosen, Cycle now) {
  for (const Operation& op : operations) {
    if (op.finishing || op.due > now || op.thread == chosen) continue;
    const OperationWait wait = wait_of(pe, op, now);
    Stall stall;
    if (wait.reason == observe::WaitReason::kWavelet)
      stall = lack_of_wavelets(pe, op, QueueId(wait.number), now);
    else if (wait.reason == observe::WaitReason::kRoom)
      stall = lack_of_room(op);
    else
      continue;
    stall.thread = op.thread;
    stall.number = wait.number;
    stall.lanes = byte(op.width);
    pe.listeners->stalls->on_event(observe::event_of(stall, now, pe.probe.place()));
  }
}

void tell_dsr_load(const EngineState& pe, Cycle now) {
  const DecodedInstruction& in = pe.program->decoded(pe.main.pc());
  for (const unsigned slot : in.dsrs) {
    const Operand& operand = in.instruction->operands[slot];
    if (pe.dsrs[operand].ready_at <= now + 1) continue;
    Stall stall;
    stall.kind = Stall::Kind::kDsr;
    stall.thread = kMainThread;
    stall.source = file_of(operand);
    stall.number = byte(operand.reg);
    pe.listeners->stalls->on_event(observe::event_of(stall, now + 1, pe.probe.place()));
    return;
  }
}

}  // namespace

void tell_step(const EngineState& pe, const Operations& operations, ThreadId chosen, Cycle now) {
  const Listeners& listeners = *pe.listeners;
  if (listeners.stalls != nullptr) tell_stalls(pe, operations, chosen, now);
  if (listeners.watch != nullptr && chosen == kMainThread) listeners.watch->leave(pe.probe.place());
}

void tell_bank_conflict(const EngineState& pe, const Operation& op, Cycle now) {
  if (pe.listeners->stalls == nullptr) return;
  Stall stall;
  stall.kind = Stall::Kind::kBankConflict;
  stall.thread = op.thread;
  stall.address = op.cursors[2].walk.address();
  stall.number = byte(bank_of(stall.address));
  pe.listeners->stalls->on_event(observe::event_of(stall, now + 1, pe.probe.place()));
}

void tell_next(const EngineState& pe, Cycle now) {
  const Listeners& listeners = *pe.listeners;
  if (listeners.stalls != nullptr) tell_dsr_load(pe, now);
  if (listeners.watch == nullptr) return;
  const std::uint32_t pc = pe.main.pc();
  if (listeners.stops == nullptr || listeners.stops->has(pc))
    listeners.watch->come(pe.probe.place(), pc, now);
}

}  // namespace tessera::pe
