#include "models/wafer/plan/cuts.h"

#include <algorithm>

#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::wafer {

namespace {

// What a row costs where all of it is busy: an engine takes about as long as ten routers.
std::uint64_t weight_of_row(const Plan& plan, int y) {
  const std::uint32_t begin = plan.place_of({0, y});
  const std::uint32_t end = plan.place_of({0, y + 1});
  std::uint64_t weight = plan.tile_routes_begin[end] - plan.tile_routes_begin[begin];
  for (std::uint32_t place = begin; place < end; ++place)
    weight += plan.image_of_tile[place] >= 0 ? 10 : 0;
  return weight;
}

}  // namespace

std::uint64_t weight_of_edges(const Plan& plan) {
  constexpr std::uint64_t kWeightOfEdge =
      9;  // an edge takes as long as nine hops in examples/stream_rows
  const auto count = std::count_if(plan.ports.begin(), plan.ports.end(), [](const PortPlan& port) {
    return port.side != Direction::kRamp;
  });
  return kWeightOfEdge * static_cast<std::uint64_t>(count);
}

std::vector<int> cut_into_strips(const Strip& rows, unsigned strips, std::uint64_t other_work) {
  // Before each row; one more for a row, so that none is free.
  std::vector<std::uint64_t> weight_before = {0};
  for (int y = rows.first_row; y < rows.end_row; ++y)
    weight_before.push_back(weight_before.back() + weight_of_row(rows.plan, y) + 1);
  std::vector<int> cuts = {rows.first_row};
  const auto count = static_cast<int>(strips);
  const std::uint64_t all = weight_before.back();
  const std::uint64_t share = (all + other_work) / strips;
  const std::uint64_t first = std::max(share - std::min(share, other_work), all / strips / 2);
  for (int i = 1; i < count; ++i) {
    const std::uint64_t wanted =
        first + (all - first) * static_cast<unsigned>(i - 1) / (strips - 1);
    const auto at = std::lower_bound(weight_before.begin(), weight_before.end(), wanted);
    cuts.push_back(std::clamp(rows.first_row + static_cast<int>(at - weight_before.begin()),
                              cuts.back() + 1, rows.end_row - (count - i)));
  }
  cuts.push_back(rows.end_row);
  return cuts;
}

}  // namespace tessera::wafer
