#include "frontends/operators/online_tasks.h"

#include <string>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::operators {
namespace {

// Fields of the header word (models/scheduled/online_router.h).
constexpr std::uint32_t kMaxMessageWords = 4095;
constexpr unsigned kMaxQueues = 16;

}  // namespace

std::vector<scheduled::Block> online_blocks(const Operator& op, NodeIndex node,
                                            const MemoryMap& map) {
  scheduled::Block sends;
  scheduled::Block receives;
  for (std::size_t i = 0; i < op.messages.size(); ++i) {
    const Message& message = op.messages[i];
    unsigned queue = 0;
    for (std::size_t before = 0; before < i; ++before)
      queue += op.messages[before].to == message.to ? 1 : 0;
    scheduled::Step step;
    step.address = static_cast<scheduled::Index>(queue);
    step.words = message.words;
    step.cost = 1;
    if (message.from == node) {
      step.kind = scheduled::Step::Kind::kSend;
      step.peer = message.to;
      step.data = static_cast<std::int32_t>(map.array[op.in]);
      sends.steps.push_back(step);
    }
    if (message.to == node) {
      step.kind = scheduled::Step::Kind::kReceive;
      step.data = static_cast<std::int32_t>(map.array[op.out]);
      step.cost = 1 + Cycle{op.compute};
      receives.steps.push_back(step);
    }
  }
  std::vector<scheduled::Block> blocks;
  if (!sends.steps.empty()) blocks.push_back(std::move(sends));
  if (!receives.steps.empty()) blocks.push_back(std::move(receives));
  return blocks;
}

unsigned queues_of(const Operator& op, NodeIndex node) {
  unsigned count = 0;
  for (const Message& message : op.messages) count += message.to == node ? 1 : 0;
  return count;
}

void check_messages(const Program& program, const Operator& op) {
  for (const Message& message : op.messages) {
    if (message.words > kMaxMessageWords)
      throw UserError(program.file, op.place + ".messages",
                      "a message of " + std::to_string(message.words) +
                          " words does not fit in its header; expected at most " +
                          std::to_string(kMaxMessageWords));
    if (queues_of(op, message.to) > kMaxQueues)
      throw UserError(program.file, op.place + ".messages",
                      "node " + program.mesh.name(message.to) + " gets " +
                          std::to_string(queues_of(op, message.to)) +
                          " messages; expected at most " + std::to_string(kMaxQueues));
  }
}

}  // namespace tessera::operators
