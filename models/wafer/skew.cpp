#include "models/wafer/skew.h"

#include <algorithm>

#include "models/wafer/wafer_core.h"

namespace tessera::wafer {

namespace {

/// The blocks of a strip, each named by its first row and column in cycle 0 of a window.
struct Blocked {
  const Strip& strip;
  const Skew& skew;

  /// `rows` rows of a block from its row `first` on, `ahead` cycles later, as far as they are on the strip.
  Area area(int row, int column, int ahead, int first, int rows) const {
    const int top = row + first - ahead;
    return {std::max(column - ahead, 0), std::min(column - ahead + skew.columns, strip.plan.width),
            std::max(top, strip.first_row), std::min(top + rows, strip.end_row)};
  }
};

// What the block enters in the cycle after `ahead`, its top row, and a part of what the next block begins with.
void prefetch(const WaferCore& core, const Blocked& blocked, int row, int column, int ahead,
              int depth) {
  core.prefetch_engines(blocked.area(row, column, ahead + 1, 0, 1));
  core.prefetch(blocked.area(row, column, ahead + 2, 0, 1));
  const int next = column + blocked.skew.columns;
  for (int r = ahead; r < blocked.skew.rows; r += depth)
    core.prefetch(blocked.area(row, next, 0, r, 1));
  for (int r = ahead - 1; r >= 0 && r < blocked.skew.rows; r += depth)
    core.prefetch_engines(blocked.area(row, next, 0, r, 1));
}

}  // namespace

void step_skewed(WaferCore& core, const Skew& skew, Cycle begin, Cycle end) {
  const auto depth = static_cast<int>(end - begin);
  const Strip& strip = core.strip();
  const Blocked blocked{strip, skew};
  core.begin_ahead(begin, end);
  for (int row = strip.first_row; row < strip.end_row + depth - 1; row += skew.rows) {
    for (int column = 0; column < strip.plan.width + depth - 1; column += skew.columns) {
      for (int ahead = 0; ahead < depth; ++ahead) {
        const Cycle now = begin + static_cast<unsigned>(ahead);
        if (now > core.failed_at()) break;
        prefetch(core, blocked, row, column, ahead, depth);
        const Area area = blocked.area(row, column, ahead, 0, skew.rows);
        if (!area.empty()) core.step_area(now, area);
      }
    }
  }
}

}  // namespace tessera::wafer
