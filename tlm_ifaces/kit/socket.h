// What the sockets of all protocol kits have in common (docs/protocol-kits.md). A kit states its
// name, its two interfaces and its width:
//
//   struct Kit {
//     using Forward = ForwardIf;                             // initiator to target
//     using Backward = BackwardIf;                           // target to initiator
//     static constexpr unsigned kBits = 32;
//     static constexpr const char* kName = "link";           // in report ids
//     static constexpr const char* kRemedy = "bind a ..";    // what to do about an open socket
//   };
//
// Sockets are those of TLM with our interfaces: plain interface calls. A socket of another protocol
// or width does not compile. Sockets may stay open for the kernel; require_bound() tells of an open
// one in the terms of the model instead of E109. A second binding is refused where it is made:
//
//   `/tessera/<kit>/unbound`      a socket was left open
//   `/tessera/<kit>/bound_twice`  a socket that has a partner was bound to another
#pragma once

#include <systemc>
#include <tlm>

#include <string>
#include <type_traits>

namespace tessera::kit {

template <class Kit>
void report(const char* what, const std::string& text) {
  const std::string id = std::string("/tessera/") + Kit::kName + "/" + what;
  SC_REPORT_ERROR(id.c_str(), text.c_str());
}

/// `socket` has a partner and is about to get `other`.
template <class Kit>
void report_bound_twice(const std::string& socket, const std::string& other) {
  report<Kit>("bound_twice", socket + " is bound already; it cannot be bound to " + other +
                                 " too. A watcher goes in between: a Tap");
}

/// Binds to a target socket that is only known at run time (connect.h).
class Connectable {
 public:
  /// `target` has the protocol and the width of this socket, else nothing happens: false.
  virtual bool connect_to(tlm::tlm_base_socket_if& target) = 0;

 protected:
  ~Connectable() = default;
};

/// N: how many targets it may be bound to; 0: any number.
template <class KitType, int N = 1>
class InitiatorSocket
    : public tlm::tlm_base_initiator_socket<KitType::kBits, typename KitType::Forward,
                                            typename KitType::Backward, N,
                                            sc_core::SC_ZERO_OR_MORE_BOUND>,
      public Connectable {
  using Base =
      tlm::tlm_base_initiator_socket<KitType::kBits, typename KitType::Forward,
                                     typename KitType::Backward, N, sc_core::SC_ZERO_OR_MORE_BOUND>;

 public:
  using Kit = KitType;
  using Target = typename Base::base_target_socket_type;
  using Base::Base;
  using Base::bind;

  void bind(Target& target) override {
    const std::string other = target.get_base_export().name();
    if (N == 1 && this->size() > 0) return report_bound_twice<Kit>(this->name(), other);
    if (target.get_base_port().size() > 0) return report_bound_twice<Kit>(other, this->name());
    Base::bind(target);
  }
  /// Refuses at compile time what is not a target socket of this protocol and width.
  template <class Other,
            class = std::enable_if_t<!std::is_base_of_v<Target, Other> &&
                                     !std::is_base_of_v<typename Base::base_type, Other> &&
                                     !std::is_base_of_v<typename Kit::Backward, Other>>>
  void bind(Other& socket_of_another_protocol_or_width) = delete;

  bool connect_to(tlm::tlm_base_socket_if& target) override {
    auto* const fitting = dynamic_cast<Target*>(&target);
    if (fitting != nullptr) bind(*fitting);
    return fitting != nullptr;
  }
};

template <class KitType>
class TargetSocket : public tlm::tlm_base_target_socket<KitType::kBits, typename KitType::Forward,
                                                        typename KitType::Backward, 1,
                                                        sc_core::SC_ZERO_OR_MORE_BOUND> {
  using Base =
      tlm::tlm_base_target_socket<KitType::kBits, typename KitType::Forward,
                                  typename KitType::Backward, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

 public:
  using Kit = KitType;
  using Base::Base;
  using Base::bind;

  void bind(typename Base::base_initiator_socket_type& initiator) override {
    auto* const ours = dynamic_cast<Connectable*>(&initiator);
    if (ours == nullptr || !ours->connect_to(*this)) Base::bind(initiator);
  }
};

/// Call in before_end_of_elaboration or later: reports an open socket as an integration mistake
/// (exit 3). `where` is in the terms of the model: "tile (3, 0), EAST output".
template <class Socket>
void require_bound(const Socket& socket, const std::string& where) {
  if (socket.get_base_port().size() > 0) return;
  report<typename Socket::Kit>("unbound", where + " is not bound: " + Socket::Kit::kRemedy);
}

}  // namespace tessera::kit
