#include "models/wafer/sharing/skew.h"

#include <algorithm>

#include "models/wafer/wafer_core.h"

namespace tessera::wafer {

namespace {

// The rows of a strip that no neighbour has been able to affect for `ahead` cycles.
struct Rows {
  Rows(const Strip& strip, int ahead)
      : first(strip.first_row > 0 ? std::min(strip.first_row + ahead, strip.end_row) : 0),
        end(strip.end_row < strip.plan.height ? std::max(strip.end_row - ahead, first)
                                              : strip.end_row) {}
  const int first;
  const int end;
};

}  // namespace

void Window::step(WaferCore& core, unsigned stage) const {
  if (stage == 0) return step_inside(core);
  const int block = static_cast<int>(stage - 1) / (depth_ - 1);
  step_borders(core, block * skew_.columns, ahead_in(stage));
}

// The blocks are named by their first row and column in the first cycle.
void Window::step_inside(WaferCore& core) const {
  core.begin_ahead(begin_, end());
  const Strip& strip = core.strip();
  for (int row = strip.first_row; row < strip.end_row + depth_ - 1; row += skew_.rows) {
    for (int column = 0; column < width_ + depth_ - 1; column += skew_.columns) {
      for (int ahead = 0; ahead < depth_; ++ahead) {
        prefetch(core, row, column, ahead);
        step_area(core, ahead, inside(strip, row, column, ahead, 0, skew_.rows));
      }
    }
  }
}

void Window::step_borders(WaferCore& core, int column, int ahead) const {
  const Strip& strip = core.strip();
  const Rows rows(strip, ahead);
  const int first = std::max(column - ahead, 0);
  const int end = std::min(column - ahead + skew_.columns, width_);
  step_area(core, ahead, {first, end, strip.first_row, rows.first});
  step_area(core, ahead, {first, end, rows.end, strip.end_row});
}

void Window::step_area(WaferCore& core, int ahead, const Area& area) const {
  const Cycle now = begin_ + static_cast<unsigned>(ahead);
  if (!area.empty() && now <= core.failed_at()) core.step_area(now, area);
}

// `rows` rows of a block from its row `first` on, `ahead` cycles later, as far as stage 0 steps them.
Area Window::inside(const Strip& strip, int row, int column, int ahead, int first, int rows) const {
  const int top = row + first - ahead;
  const Rows inside(strip, ahead);
  return {std::max(column - ahead, 0), std::min(column - ahead + skew_.columns, width_),
          std::max(top, inside.first), std::min(top + rows, inside.end)};
}

// What the block enters in the cycle after `ahead`, its top row, and a part of what the next block begins with.
void Window::prefetch(const WaferCore& core, int row, int column, int ahead) const {
  const Strip& strip = core.strip();
  core.prefetch_operands(inside(strip, row, column, ahead, 0, 1));
  core.prefetch_operations(inside(strip, row, column, ahead + 1, 0, 1));
  core.prefetch(inside(strip, row, column, ahead + 2, 0, 1));
  const int next = column + skew_.columns;
  for (int r = ahead; r < skew_.rows; r += depth_) core.prefetch(inside(strip, row, next, 0, r, 1));
  for (int r = ahead - 1; r >= 0 && r < skew_.rows; r += depth_)
    core.prefetch_operations(inside(strip, row, next, 0, r, 1));
  for (int r = ahead - 2; r >= 0 && r < skew_.rows; r += depth_)
    core.prefetch_operands(inside(strip, row, next, 0, r, 1));
}

}  // namespace tessera::wafer
