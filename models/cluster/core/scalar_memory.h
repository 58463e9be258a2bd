// Loads and stores of the scalar unit of an AI core, through its data cache (reference ascend.md 2.9).
//
// A line is read when the load or store that misses it starts, and is in GM commit_cycles after the
// scalar unit is done with it. A store goes no farther than its line; kCleanCache, or another line that
// needs the room, sends it on.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/cluster/core/core_context.h"
#include "models/cluster/core/operation_order.h"
#include "models/cluster/memory/scalar_cache.h"
#include "models/state/fwd.h"

namespace tessera::cluster {

class ScalarMemory {
 public:
  /// Whether an access has happened, and how many cycles of the scalar unit it takes then.
  struct Outcome {
    WaitReason reason = WaitReason::kNone;
    Cycle cycles = 0;
  };
  /// Loads of an instruction that got a value from the cache where GM has another one.
  struct StaleLoads {
    std::uint16_t array = 0;
    std::int64_t first = 0, bytes = 0;  ///< what the first of them reads
    std::uint64_t times = 0;

    template <class Archive>
    void visit(Archive& archive) {
      archive(array, first, bytes, times);
    }
  };

  /// All references outlive the object.
  ScalarMemory(CoreContext& context, OperationOrder& order)
      : context_(context), order_(order), cache_(context.config.core.scalar.cache_bytes) {}

  /// The kernel of the context starts in cycle `at`; it finds the cache empty.
  void launch(Cycle at);
  /// kLoadScalar, kStoreScalar or kCleanCache at `pc`. Throws IllegalBehaviour.
  Outcome access(std::uint32_t pc, Cycle now);

  /// The element of an array that the word of kGmLoad, kGmStore or kGmAdd at `pc` stands for: its value, or
  /// `word` if there is none; a store or an addition of `word` to it.
  std::int64_t word(std::uint32_t pc, std::int64_t word, Cycle now);
  /// kPrint at `pc`; when the operations that write its operand are complete.
  WaitReason print(std::uint32_t pc, Cycle now);

  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  /// By instruction, of the kernel that runs or ran last.
  const std::map<std::uint32_t, StaleLoads>& stale_loads() const { return stale_loads_; }
  /// Lines with stores that have not been cleaned.
  std::vector<ScalarCache::Line> lines_left() const { return cache_.changed_lines(); }

 private:
  bool waits(const Instruction& i, Cycle now);
  Outcome access_buffer(const Instruction& i, Cycle now);
  void check(const Instruction& i, const ResolvedOperand& o) const;
  [[noreturn]] void refuse_address(const Instruction& i, std::int64_t address) const;
  ScalarCache::Line& line_of(const ResolvedOperand& o, bool loads, Cycle now, Cycle& cycles);
  void note_stale(const ScalarCache::Line& line, const ResolvedOperand& o, Cycle now);
  Cycle clean(const std::vector<ScalarCache::Line>& lines, Cycle now);
  void send(const ScalarCache::Line& line, Cycle now, Cycle due);
  const ScalarConfig& config() const { return context_.config.core.scalar; }

  CoreContext& context_;
  OperationOrder& order_;
  ScalarCache cache_;
  ResolvedOperation resolved_;
  std::uint32_t pc_ = 0;  // pc of the access
  std::map<std::uint32_t, StaleLoads> stale_loads_;
};

}  // namespace tessera::cluster
