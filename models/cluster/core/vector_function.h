// A vector function of A5 (reference ascend.md 4.1, 4.3): what its body accesses and how long it takes.
//
// Instructions are dispatched in order, two in a cycle, into a queue of 58. Each starts when its sources are
// there and its unit is free, and its result is there some cycles later. UB takes two accesses in a cycle, at
// most one of which is a store. A function takes 23 cycles to start and 12 to drain.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cluster/program/program.h"
#include "models/cluster/values/register_values.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

/// When the instructions of a body execute, in cycles from its first one on.
class RegisterSchedule {
 public:
  explicit RegisterSchedule(unsigned registers) : ready_(registers, 0) {}

  void add(const RegisterOperation& operation);
  /// Cycles of the whole function.
  Cycle cycles() const;

 private:
  static constexpr unsigned kQueue = 58;
  static constexpr unsigned kWindow = 1024;  // cycles that instructions in the queue may lie apart

  /// Which cycles of a unit or a port are taken: instructions that wait leave them to later ones.
  struct Calendar {
    std::array<Cycle, kWindow> cycle{};
    std::array<std::uint8_t, kWindow> used{};
    std::uint8_t at(Cycle c) const { return cycle[c % kWindow] == c ? used[c % kWindow] : 0; }
    void take(Cycle c) {
      used[c % kWindow] = static_cast<std::uint8_t>(at(c) + 1);
      cycle[c % kWindow] = c;
    }
  };

  Cycle dispatch();
  Cycle& ready(std::uint16_t r);
  void issue(const RegisterOperation& operation, Cycle sources);
  /// Whether the unit and the ports that the instruction needs are free from cycle `start` on.
  bool is_free(const RegisterOperation& operation, Cycle start, Cycle interval) const;

  std::vector<Cycle> ready_;  // by register: when it is there
  std::array<Calendar, kRegisterUnitCount> units_;
  Calendar ub_, stores_of_ub_;
  std::array<Cycle, kQueue> starts_{};  // start cycles of the last instructions
  std::uint64_t dispatched_ = 0;
  Cycle accesses_done_ = 0, fence_ = 0;
  Cycle end_ = 0;
};

/// The body of one function, as it was executed.
struct RegisterTrace {
  std::vector<RegisterStep> steps;
  struct Range {
    std::int64_t first = 0, end = 0;  ///< bytes of UB; empty: nothing
  };
  std::array<Range, kMostOperands> ranges{};

  /// Adds an access to the range of its operand.
  void note(const RegisterStep& step, std::int64_t capacity);
};

/// Whether it accesses UB.
constexpr bool accesses_ub(RegisterFunction f) {
  return f == RegisterFunction::kLoad || f == RegisterFunction::kStore ||
         f == RegisterFunction::kGather || f == RegisterFunction::kScatter;
}

}  // namespace tessera::cluster
