// Tiles stepped ahead of others, so that those of a block stay in the cache for several cycles. Every
// effect travels one tile a cycle at most, so in the coordinates row + cycle and column + cycle all of them lead to
// the same or a later block: blocks are stepped for all cycles, one after the other.
#pragma once

#include "models/wafer/plan/plan.h"
#include "models/wafer/units/selection.h"
#include "models/wafer/units/units.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::wafer {

class WaferCore;

/// Which blocks. Results do not depend on them.
struct Skew {
  unsigned depth = kMaxDepth;  ///< cycles, at most kMaxDepth; 1: none
  int rows = 16;
  int columns = 16;
  /// Only while so many tiles are busy that the cache does not hold them, and not a few of each block.
  bool when_busy = true;
};

/// No latency of a wafer whose tiles are stepped ahead of others may be above.
inline constexpr unsigned kMaxLatencyAhead = kMaxLatency - kMaxDepth;

/// Some cycles of a wafer, stepped block by block. Strips of the wafer (strips.h) do so at the same time, in stages:
/// in stage 0 each steps the tiles that its neighbours cannot affect, a row less at each border in every
/// cycle; in the others blocks of columns of the rows that are left, a cycle a stage. After each stage
/// strips take what their neighbours sent.
class Window {
 public:
  /// Cycles `begin` to `end` - 1.
  Window(const Skew& skew, int width, Cycle begin, Cycle end)
      : skew_(skew), width_(width), begin_(begin), depth_(static_cast<int>(end - begin)) {}

  Cycle begin() const { return begin_; }
  Cycle end() const { return begin_ + cycles(); }
  unsigned cycles() const { return static_cast<unsigned>(depth_); }
  /// The stages of a wafer of several strips; one alone has stage 0 only.
  unsigned stages() const {
    return 1 + static_cast<unsigned>((width_ + depth_ + skew_.columns - 2) / skew_.columns *
                                     (depth_ - 1));
  }
  /// The cycle to which the neighbours have come at the end of a stage.
  Cycle cycle_of(unsigned stage) const { return begin_ + static_cast<unsigned>(ahead_in(stage)); }
  /// Steps a strip, as far as none of its tiles has failed.
  void step(WaferCore& core, unsigned stage) const;

 private:
  int ahead_in(unsigned stage) const {
    return stage == 0 ? 0 : 1 + static_cast<int>(stage - 1) % (depth_ - 1);
  }
  void step_inside(WaferCore& core) const;
  void step_borders(WaferCore& core, int column, int ahead) const;
  void step_area(WaferCore& core, int ahead, const Area& area) const;
  Area inside(const Strip& strip, int row, int column, int ahead, int first, int rows) const;
  void prefetch(const WaferCore& core, int row, int column, int ahead) const;

  const Skew& skew_;
  const int width_;
  const Cycle begin_;
  const int depth_;
};

}  // namespace tessera::wafer
