// The queues that descriptors use (csl.md 9).
#include <algorithm>
#include <array>

#include "frontends/csl/lower/tile_code.h"
#include "frontends/csl/lower/tile_setup.h"

namespace tessera::csl {
namespace {

/// The queue whose length and microthread a receiver has where no operation names one: the last ones first.
unsigned queue_shared_by(unsigned receiver) {
  return kMaxQueues - 1 - receiver % kMaxQueues;
}

}  // namespace

QueueUse TileCode::use_queue(bool is_input, std::optional<unsigned> queue,
                             std::optional<unsigned> color, const Node& at, bool later) {
  const bool says_none = color && *color >= kColorCount;  // the operation never runs
  if (says_none) color.reset();
  if (!color && !queue && !says_none)
    engine_.fail(Id::kNoQueue, at, "the descriptor names neither a color nor a queue");
  const bool is_open = !queue && !(color && find_queue(is_input, std::nullopt, color) != nullptr);
  if (is_wse3() && is_open && !later)
    engine_.fail(Id::kNoQueue, at, "the descriptor names no queue, which WSE-3 needs");
  if (is_input) return use_input_queue(queue, color, at);
  if (!is_wse3() && !color && !says_none)
    engine_.fail(Id::kNoQueue, at, "the descriptor names no color, which an output of WSE-2 needs");
  return use_output_queue(queue, color, at);
}

/// A data task never shares a queue; without a free one it gets a receiver.
QueueId TileCode::queue_of_task(unsigned color, const Node& at) {
  const bool has_queue = find_queue(true, std::nullopt, color) != nullptr;
  const std::optional<unsigned> receiver = free_receiver();
  if (has_queue || !receiver || free_queue(true, false))
    return use_queue(true, std::nullopt, color, at).queue;
  return add_receiver(*receiver, queue_shared_by(*receiver), color, at).queue;
}

pe::QueueBinding* TileCode::find_queue(bool is_input, std::optional<unsigned> id,
                                       std::optional<unsigned> color) {
  for (pe::QueueBinding& q : module_.settings.queues) {
    if (q.input != is_input || (id && q.id.value() != *id)) continue;
    if (!color || (q.color && q.color->value() == *color)) return &q;
  }
  return nullptr;
}

/// Each color has an input queue of its own all the time: an operation that names another one
/// reads that of its color. Until SDK 1.4 an operation binds the queue that it names, so that a
/// queue serves several colors one after the other.
QueueUse TileCode::use_input_queue(std::optional<unsigned> queue, std::optional<unsigned> color,
                                   const Node& at) {
  pe::QueueBinding* own = queue ? find_queue(true, queue, std::nullopt) : nullptr;
  const bool is_new = engine_.version() == Version::k2_10;
  if (own != nullptr && (!color || own->color == Color(*color))) return {own->id, color_of(*own)};
  pe::QueueBinding* of_color = color ? find_queue(true, std::nullopt, color) : nullptr;
  const bool may_move = of_color == nullptr || chosen_queues_.count(of_color->id.value()) != 0;
  if (own != nullptr && own->color && chosen_queues_.count(*queue) != 0) {
    // The queue belongs to this color, unless the color has a named one; the next analysis chooses another one for the other.
    pe::QueueBinding named = *own;
    named.color.reset();
    if (may_move) named.color = Color(*color);
    named_queues.push_back(std::move(named));
    return {own->id, Color(*color)};
  }
  if (own != nullptr && own->color && is_new)
    engine_.fail(Id::kQueueColor, at, "the input queue ", own->id.value(),
                 " is bound to the color ", own->color->value(), " instead of ", *color,
                 own->line == 0
                     ? ""
                     : text::joined(", by ", module_.files.at(own->file - 1), ":", own->line));
  if (of_color != nullptr && !(is_new && queue)) {
    const bool is_named = queue && of_color->shares != QueueId(*queue);
    if (is_named && may_move) return move_color(own, *queue, *color, at);
    if (queue) tell_queue_of_color(*of_color, *queue, at);
    return {of_color->id, Color(*color)};
  }
  if (of_color != nullptr) color.reset();  // since SDK 2.10 nothing binds the queue
  if (own != nullptr && !own->color) {
    if (!color) return {own->id, color_of(*own)};
    own->color = Color(*color);
    return {own->id, Color(*color)};
  }
  if (own != nullptr) tell_shared_queue(*queue, at);
  // Operations on a receiver run on the microthread of the queue that they name.
  const std::optional<unsigned> receiver = own != nullptr && color ? free_receiver() : std::nullopt;
  if (receiver) return add_receiver(*receiver, *queue, color, at);
  const bool is_named = queue && own == nullptr;
  const std::optional<unsigned> id = is_named ? queue : free_queue(true, queue.has_value());
  if (!id) return use_taken_queue(queue, color, at);
  if (!is_named) chosen_queues_.insert(*id);
  return add_queue(true, *id, color, is_named, at);
}

/// The color got a queue because a task waits for it; an operation names another one, whose microthread is its
/// own. The next analysis has the color there, or in a receiver beside the color that has it.
QueueUse TileCode::move_color(const pe::QueueBinding* own, unsigned queue, unsigned color,
                              const Node& at) {
  const std::optional<unsigned> receiver = free_receiver();
  const bool is_taken = own != nullptr;
  if (is_taken && !receiver) {
    const pe::QueueBinding& of_color = *find_queue(true, std::nullopt, color);
    tell_queue_of_color(of_color, queue, at);
    return {of_color.id, Color(color)};
  }
  if (is_taken) tell_shared_queue(queue, at);
  pe::QueueBinding named;
  const unsigned id = is_taken ? *receiver : queue;
  named.name = "in" + std::to_string(id);
  named.input = true;
  named.id = QueueId(id);
  named.color = Color(color);
  if (is_taken) named.shares = QueueId(queue);
  ir::set_place(named, place_of(at));
  named_queues.push_back(std::move(named));
  return {QueueId(queue), Color(color)};
}

/// All queues are taken. A color that never reaches the PE waits for ever, wherever it waits; the
/// wavelets of another one get a receiver of their own.
QueueUse TileCode::use_taken_queue(std::optional<unsigned> queue, std::optional<unsigned> color,
                                   const Node& at) {
  if (!color || !is_received(*color)) {
    for (const pe::QueueBinding& q : module_.settings.queues) {
      const bool is_silent = q.input && (!q.color || !is_received(q.color->value()));
      if (is_silent) return {q.id, color ? Color(*color) : color_of(q)};
    }
  }
  if (!color)
    engine_.fail(Id::kQueuesTaken, at,
                 "all input queues are taken, and the descriptor names no color");
  const std::optional<unsigned> receiver = free_receiver();
  if (!receiver) {
    engine_.fail(Id::kQueuesTaken, at, "the color ", *color,
                 " is one too many: a PE receives at most ", pe::kMaxReceivers, " colors");
  }
  const unsigned shared = queue.value_or(queue_shared_by(*receiver));
  if (!queue) tell_shared_queue(shared, at);
  return add_receiver(*receiver, shared, color, at);
}

std::optional<unsigned> TileCode::free_receiver() {
  unsigned id = kMaxQueues;
  while (find_queue(true, id, std::nullopt) != nullptr) ++id;
  return id < pe::kMaxReceivers ? std::optional(id) : std::nullopt;
}

QueueUse TileCode::add_receiver(unsigned id, unsigned shared, std::optional<unsigned> color,
                                const Node& at) {
  const QueueUse use = add_queue(true, id, color, false, at);
  module_.settings.queues.back().shares = QueueId(shared);
  return use;
}

QueueUse TileCode::use_output_queue(std::optional<unsigned> queue, std::optional<unsigned> color,
                                    const Node& at) {
  const bool has_own_colors = !is_wse3();  // output queues of WSE-2 carry several
  const std::optional<unsigned> wanted = queue || has_own_colors ? std::nullopt : color;
  pe::QueueBinding* found = find_queue(false, queue, wanted);
  if (has_own_colors && color) {
    // Two operations that name no queue may run at once if they are on different colors.
    const auto own = output_of_color_.find(*color);
    if (!queue && own != output_of_color_.end()) return {QueueId(own->second), Color(*color)};
    const std::optional<unsigned> id = queue ? queue : free_queue(false, false);
    if (id) output_of_color_.emplace(*color, *id);
    if (id && !queue) return add_queue(false, *id, color, false, at);
  }
  if (found == nullptr) {
    if (!color) color = unused_color();
    const std::optional<unsigned> id = queue ? queue : free_queue(false, false);
    if (!id) engine_.fail(Id::kQueuesTaken, at, "all output queues are taken");
    return add_queue(false, *id, color, queue.has_value(), at);
  }
  if (has_own_colors) return {found->id, Color(color ? *color : unused_color())};
  return {found->id, color_of(*found)};
}

std::optional<unsigned> TileCode::free_queue(bool is_input, bool is_shared) {
  static constexpr std::array<unsigned, 8> kOrder = {2, 3, 4, 5, 6, 7, 1, 0};
  // No output queue of WSE-2 has these numbers first, and so none has their microthreads.
  static constexpr std::array<unsigned, 8> kShared = {6, 7, 5, 4, 3, 2, 1, 0};
  std::optional<unsigned> found;
  for (const unsigned id : is_shared ? kShared : kOrder) {
    const bool exists = id < queue_count(module_.settings.generation, is_input);
    if (!exists || find_queue(is_input, id, std::nullopt) != nullptr) continue;
    // Operations on a queue of the other direction with this number run on the same microthread.
    if (find_queue(!is_input, id, std::nullopt) == nullptr) return id;
    if (!found) found = id;
  }
  return found;
}

MicrothreadId TileCode::microthread_of_fifo(unsigned fifo, bool pushes) {
  const auto known = fifo_microthreads_.find({fifo, pushes});
  if (known != fifo_microthreads_.end()) return MicrothreadId(known->second);
  unsigned taken = 0;  // one bit each
  for (const pe::QueueBinding& queue : module_.settings.queues) taken |= 1U << queue.id.value();
  for (const auto& [end, microthread] : fifo_microthreads_) taken |= 1U << microthread;
  unsigned chosen = kMicrothreadCount - 1;
  while (chosen > 0 && (taken >> chosen & 1U) != 0) --chosen;
  if ((taken >> chosen & 1U) != 0) chosen = kMicrothreadCount - 1;
  fifo_microthreads_.emplace(std::pair{fifo, pushes}, chosen);
  return MicrothreadId(chosen);
}

QueueUse TileCode::add_queue(bool is_input, unsigned id, std::optional<unsigned> color,
                             bool is_named, const Node& at) {
  has_chosen_queue = has_chosen_queue || !is_named;
  pe::QueueBinding made;
  made.name = std::string(is_input ? "in" : "out") + std::to_string(id);
  made.input = is_input;
  made.id = QueueId(id);
  if (color && (is_input || is_wse3())) made.color = Color(*color);
  ir::set_place(made, place_of(at));
  if (is_named) named_queues.push_back(made);
  module_.settings.queues.push_back(made);
  return {made.id, color ? Color(*color) : color_of(made)};
}

void TileCode::tell_shared_queue(unsigned queue, const Node& at) {
  engine_.remark(at, "the input queue " + std::to_string(queue) +
                         " serves several colors, one after the other; each has a queue of its "
                         "own here");
}

void TileCode::tell_queue_of_color(const pe::QueueBinding& of_color, unsigned queue,
                                   const Node& at) {
  const unsigned own = of_color.of_machine().value();
  if (own == queue) return tell_shared_queue(queue, at);
  engine_.remark(at, "the color " + std::to_string(of_color.color->value()) +
                         " has the input queue " + std::to_string(own) +
                         ": the operation that names the input queue " + std::to_string(queue) +
                         " runs on the microthread " + std::to_string(own));
}

std::set<unsigned> TileCode::channels() {
  std::set<unsigned> found;
  for (const pe::QueueBinding& queue : module_.settings.queues) {
    if (queue.input && is_wse3()) found.insert(queue.id.value());
  }
  for (unsigned color = 0; color < kColorCount && !is_wse3(); ++color) {
    if (is_received(color) || find_queue(true, std::nullopt, color) != nullptr) found.insert(color);
  }
  return found;
}

bool TileCode::is_routed(unsigned color, bool (*leads)(const ColorConfig&)) const {
  const auto holds = [&](const std::map<unsigned, ColorConfig>& colors) {
    const auto found = colors.find(color);
    return found != colors.end() && leads(found->second);
  };
  if (holds(tile().colors)) return true;
  const Program& program = engine_.program();
  return std::any_of(variant_.pes.begin(), variant_.pes.end(),
                     [&](std::uint32_t pe) { return holds(program.pes[pe].colors); });
}

namespace {

constexpr Directions kRamp = 16;

bool leads_to_ramp(const ColorConfig& config) {
  return (config.tx & kRamp) != 0 ||
         std::any_of(config.positions.begin(), config.positions.end(), [](const SwitchPosition& p) {
           return p.is_valid && (p.tx.value_or(0) & kRamp) != 0;
         });
}

bool leads_from_ramp(const ColorConfig& config) {
  return (config.rx & kRamp) != 0 ||
         std::any_of(config.positions.begin(), config.positions.end(), [](const SwitchPosition& p) {
           return p.is_valid && (p.rx.value_or(0) & kRamp) != 0;
         });
}

}  // namespace

/// Whether wavelets of the color may reach the PEs of this code, as far as one can tell.
bool TileCode::is_received(unsigned color) const {
  return is_routed(color, leads_to_ramp);
}

std::set<unsigned> TileCode::sent_colors() const {
  std::set<unsigned> found;
  for (unsigned color = 0; color < kColorCount; ++color) {
    if (is_routed(color, leads_from_ramp)) found.insert(color);
  }
  return found;
}

std::set<unsigned> TileCode::bound_queues(bool is_input) const {
  std::set<unsigned> found;
  for (const pe::QueueBinding& queue : module_.settings.queues) {
    if (queue.input == is_input && queue.id.value() < kMaxQueues) found.insert(queue.id.value());
  }
  return found;
}

std::set<unsigned> TileCode::colors_of_queues(bool is_input) const {
  std::set<unsigned> found;
  for (const pe::QueueBinding& queue : module_.settings.queues) {
    if (queue.input == is_input && queue.color) found.insert(queue.color->value());
  }
  return found;
}

void TileCode::add_silent_queues() {
  if (!is_wse3()) return;
  for (const TaskBinding& task : tile().tasks) {
    if (task.kind != TaskKind::kData || find_queue(true, task.id, std::nullopt) != nullptr)
      continue;
    const Node& at = *task.task.function;
    engine_.warn(Id::kNeverStarts, at,
                 "the data task " + in_quotes(task.task.function->name.text) +
                     " never starts: nothing binds the input queue " + std::to_string(task.id) +
                     " to a color");
    add_queue(true, task.id, std::nullopt, false, at);
  }
}

Color TileCode::color_of(const pe::QueueBinding& queue) const {
  return queue.color ? *queue.color : Color(unused_color());
}

/// For a descriptor whose queue has no color: the highest color without a queue.
unsigned TileCode::unused_color() const {
  unsigned color = kColorCount - 1;
  const auto is_bound = [this](unsigned c) {
    const auto& queues = module_.settings.queues;
    return std::any_of(queues.begin(), queues.end(),
                       [c](const pe::QueueBinding& q) { return q.color && q.color->value() == c; });
  };
  while (color > 0 && is_bound(color)) --color;
  return color;
}

}  // namespace tessera::csl
