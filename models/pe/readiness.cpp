#include "models/pe/readiness.h"

#include <algorithm>

namespace tessera::pe {

using observe::WaitReason;

namespace {

/// `elements`, or fewer if FIFOs of the operation allow no more.
std::uint32_t limited_by_fifos(const EngineState& pe, const Operation& op, std::uint32_t elements) {
  for (unsigned i = 0; i <= op.sources; ++i) {
    const Cursor& cursor = op.cursors[i];
    if (cursor.kind != Cursor::Kind::kFifo) continue;
    std::uint32_t there = fifo_elements(pe, op, cursor);
    if (there < op.least_of(cursor)) return 0;
    const unsigned chunk = op.chunk_of(cursor);
    const bool all = there >= op.left(there + 1);
    if (!all && op.done % chunk + there > chunk) there -= (op.done + there) % chunk;
    elements = std::min(elements, there);
  }
  return elements == op.left(elements + 1) ? elements : elements - elements % op.least;
}

// Every queue must also have what its own SIMD mode asks for, even if the group takes less.
bool fabric_ready(const EngineState& pe, const Operation& op, std::uint32_t elements, Cycle now) {
  const Cursor& destination = op.cursors[0];
  if (destination.kind == Cursor::Kind::kFabric) {
    const std::uint32_t sent = std::max(elements, op.left(destination.least));
    if (pe.queues.room(destination.queue, now) < destination.wavelets_for(sent + destination.held))
      return false;
  }
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric) continue;
    const std::uint32_t read = std::max(elements, op.left(source.least));
    if (read <= source.held) continue;
    if (pe.queues.available(source.queue, now) < source.wavelets_for(read - source.held))
      return false;
  }
  return true;
}

OperationWait about(WaitReason reason, QueueId queue) {
  return {reason, static_cast<std::uint8_t>(queue.value())};
}

/// The source that an operation lacks; kTurn: none.
OperationWait missing_source(const EngineState& pe, const Operation& op, Cycle now) {
  for (unsigned i = kMaxOperands; i-- > 1;) {
    const Cursor& source = op.cursors[i];
    if (source.kind == Cursor::Kind::kFifo && fifo_elements(pe, op, source) < op.least_of(source))
      return {WaitReason::kFifoData, source.number};
    if (source.kind != Cursor::Kind::kFabric || source.held > 0) continue;
    if (pe.queues.available(source.queue, now) < source.wavelets_for(op.least_of(source)))
      return about(WaitReason::kWavelet, source.queue);
  }
  return {};
}

bool lacks_room(const EngineState& pe, const Operation& op, Cycle now) {
  const Cursor& destination = op.cursors[0];
  const std::uint32_t least = op.least_of(destination);
  if (destination.kind == Cursor::Kind::kFifo) return fifo_elements(pe, op, destination) < least;
  return destination.kind == Cursor::Kind::kFabric &&
         pe.queues.room(destination.queue, now) < destination.wavelets_for(least);
}

/// "one more wavelet on input queue 3 (color 4)".
std::string in_words(const EngineState& pe, const Operation& op, const OperationWait& wait,
                     Cycle now) {
  const std::string what = words_of(pe.image(), wait);
  if (wait.reason == WaitReason::kRoom)
    return what + " (color " + std::to_string(op.cursors[0].dsd->color.value()) + ")";
  const bool has_some =
      wait.reason == WaitReason::kWavelet && pe.queues.available(QueueId(wait.number), now) > 0;
  return has_some ? "one more" + what.substr(1) : what;
}

/// The thread that a wait is of, and the color that it would send on next.
observe::Resource thread_of(const EngineState& pe, std::uint8_t thread, const Operation* op) {
  observe::Resource gives{observe::Resource::Kind::kThread, thread};
  gives.place = pe.probe.place();
  if (thread == kMainThread) gives.number = observe::Resource::kMain;
  if (op != nullptr && op->cursors[0].kind == Cursor::Kind::kFabric)
    gives.color = static_cast<std::uint8_t>(op->cursors[0].dsd->color.value());
  return gives;
}

/// What a wait of an operation needs.
observe::Resource need_of(const EngineState& pe, const Operation& op, const OperationWait& wait,
                          Cycle now) {
  using Kind = observe::Resource::Kind;
  observe::Resource need{Kind::kPeer, wait.number};
  need.place = pe.probe.place();
  if (op.finishing || op.due > now) {
    need.kind = Kind::kTime;
  } else if (wait.reason == WaitReason::kRoom) {
    need.kind = Kind::kQueue;
  } else if (wait.reason == WaitReason::kWavelet) {
    const QueueBinding* binding = pe.image().find_queue(true, QueueId(wait.number));
    const bool known = binding != nullptr && binding->color.has_value();
    need.kind = known ? Kind::kWavelet : Kind::kNone;
    need.side = static_cast<std::uint8_t>(Direction::kRamp);
    if (known) need.color = static_cast<std::uint8_t>(binding->color->value());
  } else if (wait.reason == WaitReason::kTurn) {
    need.kind = Kind::kTime;
  }
  return need;
}

/// What an operation waits for in cycle `now`, in words.
std::string what_waits(const EngineState& pe, const Operation& op, const OperationWait& wait,
                       Cycle now) {
  if (op.finishing) return "its last group, which ends in cycle " + std::to_string(op.due);
  if (op.due > now) return "its next group, in cycle " + std::to_string(op.due);
  return in_words(pe, op, wait, now);
}

/// Whether the oldest wavelet of its queue is for a data task.
bool has_wavelet(const EngineState& pe, const TaskBinding& task, Cycle now) {
  const auto& inputs = pe.program->inputs();
  return std::any_of(inputs.begin(), inputs.end(), [&](const InputChannel& input) {
    return input.data_task != nullptr && input.data_task->id == task.id &&
           task.kind == TaskKind::kData && pe.queues.ready_at(input.queue) <= now &&
           !pe.queues.front(input.queue).control;
  });
}

void describe_tasks(const EngineState& pe, observe::Waits& waits, Cycle now) {
  for (const TaskBinding& task : pe.image().tasks) {
    if (task.kind == TaskKind::kControl) continue;  // waits for any channel
    const bool blocked = pe.tasks.is_blocked(task.id);
    const bool stuck = blocked && (pe.tasks.is_active(task.id) || has_wavelet(pe, task, now));
    if (!stuck && task.kind != TaskKind::kData) continue;
    if (!stuck && !waits.keeps_idle()) {
      waits.count_idle();
      continue;
    }
    const std::string who = "task " + task.name + " (id " + std::to_string(task.id.value()) + ")";
    const std::string queue = "input queue " + std::to_string(task.queue.value());
    using Resource = observe::Resource;
    const std::uint32_t place = pe.probe.place();
    Resource peer{Resource::Kind::kPeer, Resource::kMain};
    Resource reader{Resource::Kind::kReader, static_cast<std::uint8_t>(task.queue.value())};
    peer.place = reader.place = place;
    if (stuck)
      waits.push_back({place,
                       who,
                       task.kind == TaskKind::kData
                           ? "being unblocked: it is blocked, with a wavelet on " + queue
                           : "being unblocked: it is active but blocked",
                       true,
                       false,
                       std::string::npos,
                       0,
                       {peer},
                       thread_of(pe, kMainThread, nullptr)});
    else if (blocked)
      waits.push_back({place,
                       "data " + who,
                       "being unblocked, with wavelets expected on " + queue,
                       false,
                       true,
                       std::string::npos,
                       0,
                       {peer},
                       reader});
    else
      waits.push_back({place, "data " + who, "a wavelet on " + queue, false, true});
  }
}

}  // namespace

std::uint32_t outside_group_size(const EngineState& pe, const Operation& op, Cycle now) {
  if (heads_matter(pe, op)) {
    if (source_at_control(pe, op, now) != nullptr) return 1;
    if (head_goes_to_task(pe, op, now)) return 0;
  }
  const bool fabric = (op.inputs | op.outputs) != 0;
  const std::uint32_t elements = fabric ? fabric_elements(pe, op, now) : op.left(op.width);
  return op.uses_fifo ? limited_by_fifos(pe, op, elements) : elements;
}

std::uint32_t fabric_elements(const EngineState& pe, const Operation& op, Cycle now) {
  const std::uint32_t most = op.left(op.width);
  if (fabric_ready(pe, op, most, now)) return most;
  const std::uint32_t least = op.left(op.least);
  return least < most && fabric_ready(pe, op, least, now) ? least : 0;
}

const Cursor* source_at_control(const EngineState& pe, const Operation& op, Cycle now) {
  if (op.completion.on_control == OnControl::kNone) return nullptr;
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric || source.held > 0) continue;
    if (pe.queues.ready_at(source.queue) <= now && pe.queues.front(source.queue).control)
      return &source;
  }
  return nullptr;
}

bool head_goes_to_task(const EngineState& pe, const Operation& op, Cycle now) {
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric || source.held > 0) continue;
    if (!source.channel || pe.tasks.is_blocked(*source.channel)) continue;
    if (pe.queues.ready_at(source.queue) > now) continue;
    const bool control = pe.queues.front(source.queue).control;
    if (control ? !op.is_filter() : pe.program->tasks().data_task(*source.channel) != nullptr)
      return true;
  }
  return false;
}

OperationWait wait_of(const EngineState& pe, const Operation& op, Cycle now) {
  if (pe.tasks.is_microthread_blocked(op.thread)) return {WaitReason::kBlocked, 0};
  if (heads_matter(pe, op) && head_goes_to_task(pe, op, now)) return {WaitReason::kChannel, 0};
  const OperationWait source = missing_source(pe, op, now);
  if (source.reason != WaitReason::kTurn || !lacks_room(pe, op, now)) return source;
  const Cursor& destination = op.cursors[0];
  if (destination.kind == Cursor::Kind::kFifo) return {WaitReason::kFifoRoom, destination.number};
  return about(WaitReason::kRoom, destination.queue);
}

std::string words_of(const Image& image, const OperationWait& wait) {
  const std::string number = std::to_string(wait.number);
  switch (wait.reason) {
  case WaitReason::kFifoData:
    return "data in FIFO " + image.fifos[wait.number].name;
  case WaitReason::kFifoRoom:
    return "room in FIFO " + image.fifos[wait.number].name;
  case WaitReason::kRoom:
    return "room in output queue " + number;
  case WaitReason::kWavelet: {
    const QueueBinding* binding = image.find_queue(true, QueueId(wait.number));
    const std::string what = "a wavelet on input queue " + number;
    if (binding == nullptr || !binding->color) return what;
    return what + " (color " + std::to_string(binding->color->value()) + ")";
  }
  default:
    return std::string(observe::info(wait.reason).description);
  }
}

std::string describe(const Operation& op, const Image& image) {
  const std::string who =
      op.thread == kMainThread ? "main thread" : "microthread " + std::to_string(op.thread);
  return who + ", " + describe_instruction(op, image);
}

std::string describe_instruction(const Operation& op, const Image& image) {
  return std::string(info(op.instruction().op).mnemonic) + " at " + image.place_of(op.pc());
}

void describe_waits(const EngineState& pe, const Operations& operations, observe::Waits& waits,
                    Cycle now) {
  for (const Operation& op : operations) {
    // An endless microthread is a service that waits for ever; on the main thread it is worth a
    // line. With something to move and no room for it, both are stuck.
    const OperationWait wait = wait_of(pe, op, now);
    const bool lacks_destination =
        wait.reason == WaitReason::kRoom || wait.reason == WaitReason::kFifoRoom;
    const bool serves = op.endless && !lacks_destination;
    if (serves && op.thread != kMainThread) continue;
    const std::string length = op.endless ? "" : " of " + std::to_string(op.length);
    const std::string what = what_waits(pe, op, wait, now);
    waits.push_back({pe.probe.place(),
                     describe(op, pe.image()),
                     what + "; " + std::to_string(op.done) + length + " elements done",
                     !serves,
                     serves,
                     what.size(),
                     0,
                     {need_of(pe, op, wait, now)},
                     thread_of(pe, op.thread, &op)});
  }
  if (pe.main.runs() && operations.of_main_thread() == nullptr) {
    const std::string when =
        pe.main.ready_at() > now ? ", in cycle " + std::to_string(pe.main.ready_at()) : "";
    observe::Resource need{when.empty() ? observe::Resource::Kind::kPeer
                                        : observe::Resource::Kind::kTime};
    need.place = pe.probe.place();
    waits.push_back({pe.probe.place(),
                     "main thread at " + pe.image().place_of(pe.main.pc()),
                     "its next instruction" + when,
                     true,
                     false,
                     std::string::npos,
                     0,
                     {need},
                     thread_of(pe, kMainThread, nullptr)});
  }
  describe_tasks(pe, waits, now);
}

}  // namespace tessera::pe
