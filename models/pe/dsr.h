// Data structure registers (reference wse.md 5.11): the descriptors as the vector instructions see
// them.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

struct Dsr {
  Dsd dsd;                    ///< base, extent and stride are updated in place
  std::uint32_t load = 0;     ///< counts what the program put into the register; 0: nothing yet
  bool save_address = false;  ///< wse.md 5.11
  Cycle ready_at = 0;         ///< load-to-use (wse.md 6.5)
};

/// The three files dest, src0, src1. Each is as long as the program uses it.
class DsrFiles {
 public:
  explicit DsrFiles(const Image& image) {
    for (const Instruction& instruction : image.code) {
      for (const Operand& operand : instruction.operands) {
        if (!operand.is_dsr()) continue;
        auto& file = files_[file_of(operand.kind)];
        if (file.size() <= operand.reg) file.resize(operand.reg + 1U);
      }
    }
  }
  /// Requires operand.is_dsr() and that the operand occurs in the image.
  Dsr& operator[](const Operand& operand) {
    auto& file = files_[file_of(operand.kind)];
    assert(operand.reg < file.size());
    return file[operand.reg];
  }
  const Dsr& operator[](const Operand& operand) const {
    return const_cast<DsrFiles&>(*this)[operand];
  }

 private:
  static unsigned file_of(OperandKind kind) { return kind == kDest ? 0 : kind == kSrc0 ? 1 : 2; }
  std::array<std::vector<Dsr>, 3> files_;
};

}  // namespace tessera::pe
