// What the code of a function was, so that it is found out whether a pass has changed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

/// Parameters and blocks, as numbers that are written and compared in one go. Registers that the code does not name
/// are no part of it.
class Snapshot {
 public:
  /// Becomes the code as it is. Whether it was another one.
  bool take(const Function& function);

 private:
  void write_now(const Function& function);

  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> now_;  ///< while it is written
  /// What words_ names by its address lives, so that nothing else gets the address.
  std::vector<std::shared_ptr<const Machine>> machines_;
};

}  // namespace tessera::csl::ir
