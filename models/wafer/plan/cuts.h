// Where a wafer is cut into strips, so that all threads have about the same work (docs/architecture.md#strips). Costs are
// weights: that of a router that forwards a wavelet is 1.
#pragma once

#include <cstdint>
#include <vector>

#include "models/wafer/plan/plan.h"

namespace tessera::wafer {

/// What the host edges at the rim cost while all of them are busy. Those at the side RAMP do not count, because
/// few of them are busy at a time.
std::uint64_t weight_of_edges(const Plan& plan);

/// The first row of every strip, and the end of the last one: strips of about one weight, each of a row at least. The
/// first strip is smaller by `other_work` of its thread, but not by more than half, for the time when that rests.
/// Requires at least one strip, and as many rows.
std::vector<int> cut_into_strips(const Strip& rows, unsigned strips, std::uint64_t other_work);

}  // namespace tessera::wafer
