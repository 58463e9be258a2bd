// Link protocol: the interfaces of the two sides (docs/protocol-kits.md).
//
// A link carries wavelets one way and credits the other way. The sender owns, per color, as many
// credits as the receiver has room (`capacity`); a put takes one, the receiver gives it back when
// the room is free again. Therefore a put is never refused. Every call names the cycle from which
// its effect may be seen, and that cycle lies after the cycle of the call: the order in which
// blocks are stepped inside a cycle cannot matter.
//
//   cycle      t              t+L            u             u+1
//   sender     put(w, t+L) ->                               may send again
//   receiver                  w is visible   takes w
//                                            credit(c, u+1) ->
#pragma once

#include <systemc>

#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::link {

/// Names the protocol to the TLM base sockets: sockets of another protocol do not bind.
struct Protocol {
  using payload_type = Wavelet;
};

/// Sender to receiver.
class ForwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// Hands `w` over; the receiver may see it from cycle `due` on. The sender must hold a credit of
  /// w.color.
  virtual void put(const Wavelet& w, Cycle due) = 0;
  /// How many wavelets of `color` the receiver has room for: the sender's credits at the start. 0:
  /// never sends. Constant after elaboration.
  virtual unsigned capacity(Color color) const = 0;
};

/// Receiver to sender.
class BackwardIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = Protocol;
  /// Gives one credit of `color` back; the sender may use it from cycle `due` on.
  virtual void credit(Color color, Cycle due) = 0;
};

}  // namespace tessera::link
