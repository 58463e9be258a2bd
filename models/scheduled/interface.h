// The processor interface of a node (reference numesh.md 1.4): several addresses, a queue each.
#pragma once

#include <cassert>
#include <vector>

#include "models/scheduled/program.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/slot/word.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera::scheduled {

/// Queue of one address (rules R6 and R7). What is pushed in cycle t can be read from t + 1 on, and
/// a place freed in t can be filled from t + 1 on. Both sides ask with the present cycle, so it
/// does not matter who is stepped first.
class InterfaceQueue {
 public:
  explicit InterfaceQueue(unsigned depth) : words_(depth) {}

  unsigned depth() const { return static_cast<unsigned>(words_.capacity()); }
  /// Words in it after all that has happened so far.
  unsigned size() const { return static_cast<unsigned>(words_.size()); }
  bool empty() const { return words_.empty(); }
  const slot::Word& operator[](unsigned i) const { return words_[i]; }

  /// How many words may be read in cycle `now`.
  unsigned available(Cycle now) const { return size() - (pushed_at_ == now ? pushes_ : 0); }
  /// How many words may be pushed in cycle `now`.
  unsigned room(Cycle now) const { return depth() - size() - (popped_at_ == now ? pops_ : 0); }
  /// Requires available(now) > 0.
  const slot::Word& front() const { return words_.front(); }
  /// Requires available(now) > 0.
  slot::Word pop(Cycle now) {
    assert(available(now) > 0);
    const slot::Word word = words_.front();
    words_.pop_front();
    pops_ = popped_at_ == now ? pops_ + 1 : 1;
    popped_at_ = now;
    return word;
  }
  /// Requires room(now) > 0.
  void push(const slot::Word& word, Cycle now) {
    assert(room(now) > 0);
    words_.push_back(word);
    pushes_ = pushed_at_ == now ? pushes_ + 1 : 1;
    pushed_at_ = now;
  }
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  Ring<slot::Word> words_;
  Cycle pushed_at_ = kNever;
  Cycle popped_at_ = kNever;
  unsigned pushes_ = 0;  // in cycle pushed_at_
  unsigned pops_ = 0;    // in cycle popped_at_
};

struct Interface {
  std::vector<InterfaceQueue> outputs;  ///< processor to router
  std::vector<InterfaceQueue> inputs;   ///< router to processor

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

  Interface(const Node& node, const Rules& rules) {
    for (const Address& a : node.outputs)
      outputs.emplace_back(a.depth != 0 ? a.depth : rules.output_depth);
    for (const Address& a : node.inputs)
      inputs.emplace_back(a.depth != 0 ? a.depth : rules.input_depth);
  }
};

}  // namespace tessera::scheduled
