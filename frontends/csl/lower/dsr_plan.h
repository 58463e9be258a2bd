// Which DSRs the operations of a PE get that name none (csl.md 8.3): the program names some, and
// FIFOs keep theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/ir/dsd.h"
#include "frontends/csl/sema/program.h"

namespace tessera::csl {

class DsrPlan {
 public:
  explicit DsrPlan(const Tile& tile);

  const ir::DsrChoice& choice() const { return choice_; }
  /// DSR and extended DSR of a FIFO; nothing: the program and other FIFOs have them all.
  std::optional<std::pair<unsigned, unsigned>> fifo_registers(std::size_t of) const;
  /// Who has what the FIFOs of the tile lack, for messages.
  std::string why_no_fifo() const;
  /// The extended DSR of a descriptor that stays in a DSR: one for all that have its loops, which nothing else loads;
  /// nothing: all are taken.
  std::optional<std::uint8_t> lasting_extended(const pe::Dsd& dsd) const;
  /// The DSR `nth` of a file that nothing else has; nothing: all are taken.
  std::optional<std::uint8_t> unused(std::uint16_t file, unsigned nth) const;

 private:
  bool is_named(std::uint16_t file, unsigned number) const;
  bool is_of_fifo(unsigned number) const;
  bool is_free_pair(unsigned number) const;
  /// Who has the extended registers.
  std::string owners() const;
  void choose_extended();
  void choose_asynchronous(unsigned slot, const std::vector<std::uint8_t>& free);

  const std::set<std::pair<std::string, unsigned>> named_;
  const std::size_t fifos_;
  const Tile& tile_;
  ir::DsrChoice choice_;
  /// What lasting_extended() has given, in the order of the code.
  mutable std::vector<std::pair<pe::Dsd, std::uint8_t>> lasting_;
};

}  // namespace tessera::csl
