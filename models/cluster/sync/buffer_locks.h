// get_buf and rls_buf: locks shared by the pipes of a core (reference ascend.md 2.4).
//
// A get waits for the gets before it in the order of the program, which is the order in which the
// scalar unit puts them into queues: it draws a ticket there and is granted when as many releases
// have fired. Behind its own pipe it does not wait at all: a lock is no barrier.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/cluster/program/program.h"

namespace tessera::cluster {

class BufferLocks {
 public:
  static constexpr unsigned kMaxLocks = 32;

  struct Ticket {
    std::uint32_t number = 0;  ///< releases that must have fired: as many as gets came before
    bool at_once = false;      ///< the get before it is of the same pipe, or it does not block
  };

  /// A get passes the scalar unit. Nothing: the pipe holds the lock already.
  std::optional<Ticket> get(unsigned id, Pipe pipe, bool blocking) {
    Lock& lock = locks_[id];
    if (holds(id, pipe)) return {};
    const bool same_pipe = lock.tickets > 0 && lock.last == pipe;
    lock.held = static_cast<std::uint8_t>(lock.held | 1U << sync::index(pipe));
    lock.last = pipe;
    return Ticket{lock.tickets++, same_pipe || !blocking};
  }
  /// A release passes the scalar unit. False: the pipe does not hold the lock.
  bool give_back(unsigned id, Pipe pipe) {
    if (!holds(id, pipe)) return false;
    locks_[id].held = static_cast<std::uint8_t>(locks_[id].held & ~(1U << sync::index(pipe)));
    return true;
  }
  /// A release fires: the work before it is complete.
  void release(unsigned id) { ++locks_[id].releases; }
  /// Whether the get with this ticket may pass.
  bool is_granted(unsigned id, Ticket ticket) const {
    return ticket.at_once || locks_[id].releases >= ticket.number;
  }
  /// In the order of the program, as far as the scalar unit has come.
  bool holds(unsigned id, Pipe pipe) const {
    return (locks_[id].held >> sync::index(pipe) & 1U) != 0;
  }

 private:
  struct Lock {
    std::uint32_t tickets = 0;
    std::uint32_t releases = 0;
    std::uint8_t held = 0;  // one bit a pipe
    Pipe last = Pipe::kS;   // of the last ticket
  };
  std::array<Lock, kMaxLocks> locks_{};
};

}  // namespace tessera::cluster
