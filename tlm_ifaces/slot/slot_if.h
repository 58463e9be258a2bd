// Slot protocol: a link between two routers of a scheduled mesh (reference numesh.md 1.3). Both
// belong to one clock domain.
//
// In a cycle the sender drives a word with valid, and the receiver accept, on one link; if both are
// up the word is handed over. Each side drives its wire from its state at the start of the cycle,
// so one call is enough: it answers with accept, which must not depend on what the receiver has
// done or will do in this cycle. A word that is taken is seen by the receiver's schedule from the
// next cycle on.
//
//   cycle      t                        t + 1
//   sender     offer(w, parity, t)      its buffer is free
//   receiver     -> accept              may offer w itself
#pragma once

#include <systemc>

#include "tlm_ifaces/slot/word.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::slot {

struct Protocol {
  using payload_type = Word;
};

/// Sender to receiver.
class ForwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// `word` is on the link in cycle `now`; true: it is accepted and the receiver has it. At most
  /// once a cycle. `parity` is the tag wire: the parity of the sender's phase.
  virtual bool offer(const Word& word, bool parity, Cycle now) = 0;
};

/// Receiver to sender: there is nothing to say but accept.
class BackwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
};

}  // namespace tessera::slot
