// Variables at addresses of the command line (`linksection` and `--link-section-start-address-bytes`).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// The variables of sections by their addresses. Those of one section lie one after the other.
class DataSections {
 public:
  struct Placed {
    ir::VariableId variable = 0;
    pe::Symbol symbol;
    std::uint32_t address = 0;
  };

  /// `file`: of the code, for messages. Task table, code and frames end at `first`.
  DataSections(std::string file, std::uint32_t first) : file_(std::move(file)), first_(first) {}

  /// Throws UserError if the section does not lie in free memory of the PE.
  void add(const std::string& section, std::uint32_t start, ir::VariableId id, pe::Symbol symbol);
  bool empty() const { return placed_.empty(); }
  bool begins_before(std::uint32_t address) const {
    return !placed_.empty() && placed_.begin()->first < address;
  }
  /// The one with the lowest address.
  Placed take();

 private:
  const std::string file_;
  const std::uint32_t first_;
  std::map<std::string, std::uint32_t> ends_;  ///< of sections
  std::map<std::uint32_t, Placed> placed_;     ///< by address
};

}  // namespace tessera::csl::codegen
