// What an instruction names, a queue or an id of a task, where only the running program knows which: the
// instruction is made once for each that it may be, and the program goes to the one that it is.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "frontends/csl/ir/builder.h"

namespace tessera::csl {

/// A number of the running program, and those that it may be.
struct Alternative {
  ir::Value number;
  std::vector<std::uint32_t> of;
};

/// Calls `make` for all combinations, each in the block where the numbers are those. The run stops if a number is none of
/// its own. Without alternatives `make` is called once.
void for_each_alternative(ir::Builder& builder, const std::vector<Alternative>& all,
                          const std::function<void(const std::vector<std::uint32_t>&)>& make);

}  // namespace tessera::csl
