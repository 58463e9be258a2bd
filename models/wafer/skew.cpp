#include "models/wafer/skew.h"

#include <algorithm>

#include "models/wafer/wafer_core.h"

namespace tessera::wafer {

void step_skewed(WaferCore& core, const Skew& skew, Cycle begin, Cycle end) {
  const Strip& strip = core.strip();
  const auto depth = static_cast<int>(end - begin);
  const int width = strip.plan.width;
  core.begin_ahead(begin, end);
  for (int row = strip.first_row; row < strip.end_row + depth - 1; row += skew.rows) {
    for (int column = 0; column < width + depth - 1; column += skew.columns) {
      for (int ahead = 0; ahead < depth; ++ahead) {
        const Cycle now = begin + static_cast<unsigned>(ahead);
        if (now > core.failed_at()) break;
        const Area area{std::max(column - ahead, 0), std::min(column - ahead + skew.columns, width),
                        std::max(row - ahead, strip.first_row),
                        std::min(row - ahead + skew.rows, strip.end_row)};
        if (!area.empty()) core.step_area(now, area);
      }
    }
  }
}

}  // namespace tessera::wafer
