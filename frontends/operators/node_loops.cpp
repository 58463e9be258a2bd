#include "frontends/operators/node_loops.h"

#include <algorithm>

namespace tessera::operators {
namespace {

using scheduled::Block;
using Step = scheduled::Step;

class LoopMaker {
 public:
  LoopMaker(const Operator& op, const OperatorStreams& streams, const NodeRole& role,
            const Addresses& addresses, const MemoryMap& map, std::size_t index)
      : op_(op), streams_(streams), role_(role), addresses_(addresses),
        in_(static_cast<std::int32_t>(map.array[op.in])),
        out_(static_cast<std::int32_t>(map.array[op.out])),
        partial_(static_cast<std::int32_t>(map.partial[index])) {}

  std::vector<Block> make(const scheduled::Rules& rules) {
    make_data();
    make_proofs();
    if (data_.empty() || proofs_.empty()) {
      add(op_.words, 0, !data_.empty(), !proofs_.empty());
      return std::move(blocks_);
    }
    const std::uint32_t lag = std::min(op_.words, lag_of(rules));
    add(lag, 0, true, false);
    add(op_.words - lag, lag, true, true);
    add(lag, op_.words, false, true);
    return std::move(blocks_);
  }

 private:
  /// Rounds by which proofs may stay unread. They must not fill what the data needs: unread ones
  /// fit in their queue, and at a source that does nothing but write also in its VFSM.
  std::uint32_t lag_of(const scheduled::Rules& rules) const {
    return rules.input_depth + (role_.reads.empty() ? 1 : 0);
  }

  Step step(Step::Kind kind, unsigned address, std::size_t stream) const {
    Step s;
    s.kind = kind;
    s.address = static_cast<scheduled::Index>(address);
    s.stream = addresses_.id(stream);
    return s;
  }
  Step write(std::size_t stream, std::int32_t data) const {
    Step s = step(Step::Kind::kWrite, addresses_.output(stream), stream);
    s.data = data;
    return s;
  }
  Step read(std::size_t stream, std::int32_t data, std::int32_t from = -1) const {
    Step s = step(Step::Kind::kRead, addresses_.input(stream), stream);
    s.data = data;
    s.from = from;
    s.combine = op_.how;
    s.cost = 1 + Cycle{op_.compute};
    return s;
  }
  bool is_total(std::size_t stream) const { return streams_.streams[stream].total; }

  void make_data() {
    const bool folds = op_.kind == Kind::kReduce || op_.kind == Kind::kPrefix;
    if (folds && role_.member) return make_fold();
    for (const std::size_t stream : role_.writes) data_.push_back(write(stream, in_));
    for (const std::size_t stream : role_.reads) data_.push_back(read(stream, out_));
  }

  /// What comes is combined with the own word, and the result goes on.
  void make_fold() {
    const bool is_root = op_.kind == Kind::kReduce && role_.writes.empty();
    const std::int32_t result = op_.kind == Kind::kPrefix || is_root ? out_ : partial_;
    bool first = true;
    for (const std::size_t stream : role_.reads) {
      if (is_total(stream)) continue;
      data_.push_back(read(stream, result, first ? in_ : -1));
      first = false;
    }
    if (first && op_.kind == Kind::kPrefix) data_.push_back(copy_own());
    const std::int32_t sent = first && op_.kind == Kind::kReduce ? in_ : result;
    for (const std::size_t stream : role_.writes) data_.push_back(write(stream, sent));
  }
  /// The first node of a prefix: its result is its own word.
  Step copy_own() const {
    Step s;
    s.kind = Step::Kind::kCompute;
    s.data = out_;
    s.from = in_;
    return s;
  }

  void make_proofs() {
    for (const std::size_t stream : role_.reads) {
      if (is_total(stream))
        proofs_.push_back(step(Step::Kind::kRead, addresses_.input(stream), stream));
    }
    for (const std::size_t stream : role_.proofs)
      proofs_.push_back(step(Step::Kind::kRead, addresses_.input(stream), stream));
  }

  /// `rounds` rounds, whose first uses word `word`.
  void add(std::uint32_t rounds, std::uint32_t word, bool with_data, bool with_proofs) {
    if (rounds == 0) return;
    Block block;
    block.repeat = rounds;
    if (with_data) {
      for (Step s : data_) {
        if (s.data >= 0) s.data += static_cast<std::int32_t>(word);
        if (s.from >= 0) s.from += static_cast<std::int32_t>(word);
        block.steps.push_back(s);
      }
    }
    if (with_proofs) block.steps.insert(block.steps.end(), proofs_.begin(), proofs_.end());
    if (!block.steps.empty()) blocks_.push_back(std::move(block));
  }

  const Operator& op_;
  const OperatorStreams& streams_;
  const NodeRole& role_;
  const Addresses& addresses_;
  const std::int32_t in_;
  const std::int32_t out_;
  const std::int32_t partial_;
  std::vector<Step> data_;
  std::vector<Step> proofs_;
  std::vector<Block> blocks_;
};

// Fields of the header word (models/scheduled/online_router_core.h).
constexpr std::uint32_t kMaxMessageWords = 4095;
constexpr unsigned kMaxQueues = 16;

}  // namespace

std::vector<Block> node_loops(const Operator& op, const OperatorStreams& streams,
                              const NodeRole& role, const Addresses& addresses,
                              const MemoryMap& map, std::size_t index,
                              const scheduled::Rules& rules) {
  return LoopMaker(op, streams, role, addresses, map, index).make(rules);
}

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
      program.fail(op.place + ".messages", "a message of ", message.words,
                   " words does not fit in its header; expected at most ", kMaxMessageWords);
    if (queues_of(op, message.to) > kMaxQueues)
      program.fail(op.place + ".messages", "node ", program.mesh.name(message.to), " gets ",
                   queues_of(op, message.to), " messages; expected at most ", kMaxQueues);
  }
}

}  // namespace tessera::operators
