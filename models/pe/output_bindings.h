// The colors on which the output queues of a PE send (reference wse.md 2.2 to 2.4): an output queue
// of WSE-2 serves several colors, one after the other; on WSE-3 the program may bind a queue to
// another color at run time.
#pragma once

#include <array>
#include <cstdint>

#include "models/pe/engine_state.h"

namespace tessera::pe {

class OutputBindings {
 public:
  /// Color of the wavelets that operations send through `fabout`.
  Color color_of(const Dsd& fabout) const {
    const Use& use = uses_[fabout.queue.value()];
    return use.is_bound() ? use.bound : fabout.color;
  }
  /// The operation at `pc` begins to send through `fabout`. Illegal while its queue still holds
  /// wavelets of another color.
  void claim(const EngineState& pe, std::uint32_t pc, const Dsd& fabout, Cycle now);
  /// Binds `queue` to `color` from now on. Illegal while it holds wavelets, which would go out on
  /// the new color.
  void require_empty(const EngineState& pe, QueueId queue, Color color, Cycle now) const;
  void bind(QueueId queue, Color color);
  /// Output queues that hold no wavelet in cycle `now`, one bit each; all that the program does not
  /// declare are among them.
  std::uint32_t empty(const EngineState& pe, Cycle now) const;

 private:
  struct Use {
    std::uint16_t capacity = 0;        // wavelets; 0: not used yet
    Color last;                        // that operations used it for
    Color bound = Color(kColorCount);  // by the program at run time; kColorCount: not bound
    bool is_bound() const { return bound != Color(kColorCount); }
  };
  static_assert(sizeof(Use) == 4, "every engine has eight");

  std::array<Use, kMaxQueues> uses_{};
};

}  // namespace tessera::pe
