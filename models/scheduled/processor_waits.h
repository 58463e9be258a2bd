// Where the cycles of a processor went (docs/waits.md). A wait is a span: it is accounted when it ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/scheduled/program.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::scheduled {

/// What a processor does in a cycle.
enum class WaitReason : std::uint8_t {
  kBusy,     ///< I/O, or a task computes
  kIdle,     ///< its program is over, or it has none
  kStalled,  ///< an interrupt has it
  kWord,     ///< a task waits for a word, a message
  kRoom,     ///< a task waits for room in an output
  kDelay,    ///< message-bound termination, or the earliest cycle of the switch (numesh.md 3.3)
  kMarker,   ///< markers have not left the router
  kBarrier,  ///< others have not come to the end of the phase, or its release is under way
  kSwitch,   ///< the next schedule is loaded or comes into force (numesh.md 1.5)
};
inline constexpr unsigned kWaitReasonCount = static_cast<unsigned>(WaitReason::kSwitch) + 1;

struct WaitReasonInfo {
  std::string_view name;         ///< key in the report
  std::string_view description;  ///< for people
};
inline const WaitReasonInfo& info(WaitReason reason) {
  static constexpr std::array<WaitReasonInfo, kWaitReasonCount> kTable = {{
      {"busy", "nothing"},
      {"idle", "nothing"},
      {"stalled", "the end of an interrupt"},
      {"word", "a word or a message"},
      {"room", "room in an output"},
      {"delay", "a delay before the change of the phase"},
      {"marker", "markers to leave the router"},
      {"barrier", "the barrier at the end of the phase"},
      {"switch", "the next schedule"},
  }};
  return kTable[static_cast<std::size_t>(reason)];
}

/// The account of one processor.
class ProcessorWaits {
 public:
  struct Line {
    Index phase = 0;         ///< in Node::phases
    std::uint32_t task = 0;  ///< index in the tasks of the phase; kNoTask: none of them
    WaitReason reason = WaitReason::kIdle;
    Cycle cycles = 0;

    void visit(state::Archive& archive);
  };
  static constexpr std::uint32_t kNoTask = ~0U;

  /// With memory for as many lines as most nodes have.
  ProcessorWaits() { lines_.reserve(kUsualLines); }
  /// What the processor does from cycle `from` on.
  void change(const Line& to, Cycle from) {
    const bool same =
        to.reason == present_.reason && to.task == present_.task && to.phase == present_.phase;
    if (same) return;
    if (from > since_) close(from);
    present_ = to;
  }
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);
  WaitReason reason() const { return present_.reason; }
  Cycle since() const { return since_; }
  /// Cycles by phase, task and reason, in the order in which they came up; what the present wait has
  /// up to cycle `end` included.
  std::vector<Line> lines(Cycle end) const {
    ProcessorWaits copy = *this;
    if (end > since_) copy.close(end);
    return std::move(copy.lines_);
  }

 private:
  void close(Cycle to) {
    Line* line = nullptr;
    for (Line& known : lines_) {
      if (known.reason == present_.reason && known.task == present_.task &&
          known.phase == present_.phase)
        line = &known;
    }
    if (line == nullptr) line = &lines_.emplace_back(present_);
    line->cycles += to - since_;
    since_ = to;
  }

  static constexpr std::size_t kUsualLines = 8;

  Cycle since_ = 0;
  Line present_;
  std::vector<Line> lines_;
};

}  // namespace tessera::scheduled
