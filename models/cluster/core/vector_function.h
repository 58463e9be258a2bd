// A vector function of A5 (reference ascend.md 4.1, 4.3, ascend_2.md 4): what its body accesses and how long it takes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cluster/core/register_pipeline.h"
#include "models/cluster/program/program.h"
#include "models/cluster/values/register_values.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

/// The instructions of a body, and how long they take.
class RegisterSchedule {
 public:
  explicit RegisterSchedule(unsigned registers) : writers_(registers, kNobody) {}

  /// `place`: where the instruction stands in the text.
  void add(const RegisterOperation& operation, std::uintptr_t place);
  void add(const RegisterOperation& operation) {
    add(operation, reinterpret_cast<std::uintptr_t>(&operation));
  }
  /// Cycles of the whole function.
  Cycle cycles() const { return pipeline_cycles(steps_); }

 private:
  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;

  std::uint32_t& writer(std::uint16_t r);
  bool leaves_loop(std::uintptr_t place);

  std::vector<PipelineStep> steps_;
  std::vector<std::uint32_t> writers_;  // by register: the step that its value comes from
  bool is_fenced_ = false;
  std::uintptr_t last_ = 0, loop_end_ = 0;  // 0: none
};

/// The body of one function, as it was executed.
struct RegisterTrace {
  std::vector<RegisterStep> steps;
  struct Range {
    std::int64_t first = 0, end = 0;  ///< bytes of UB; empty: nothing

    template <class Archive>
    void visit(Archive& archive) {
      archive(first, end);
    }
  };
  std::array<Range, kMostOperands> ranges{};

  /// Adds an access to the range of its operand.
  void note(const RegisterStep& step, std::int64_t capacity);
};

/// Whether it accesses UB.
constexpr bool loads_from_ub(RegisterFunction f) {
  using F = RegisterFunction;
  return f == F::kLoad || f == F::kGather || f == F::kLoadPair || f == F::kGatherBlocks ||
         f == F::kLoadMask;
}
constexpr bool stores_to_ub(RegisterFunction f) {
  using F = RegisterFunction;
  return f == F::kStore || f == F::kScatter || f == F::kStorePair || f == F::kStoreMask ||
         f == F::kStoreSqueezed || f == F::kStoreCounter;
}
constexpr bool accesses_ub(RegisterFunction f) {
  return loads_from_ub(f) || stores_to_ub(f);
}

}  // namespace tessera::cluster
