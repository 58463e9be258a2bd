// What passes on one function ask about the rest of its program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// A DSR: its file and number.
using Dsr = std::pair<std::uint16_t, unsigned>;
Dsr dsr_of(const pe::Operand& o);
bool is_load_of_dsr(const ir::Instruction& in);

/// Elements in memory that a DSR describes.
struct Shape {
  std::uint32_t extent = 0;
  std::int32_t stride = 0;
  unsigned element_bytes = 0;
};

/// Remembers what was asked: a function that is optimized again, in a program that answers the same, becomes the same.
class Questions {
 public:
  struct Answered {
    std::uint8_t about = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::string answer;
  };

  Questions(const ir::Module& module, const OpenVariables& open) : module_(module), open_(open) {}

  /// Whether every operation on `dsr` follows a load of it: what it holds after an operation does not matter.
  bool is_reloaded(const Dsr& dsr);
  /// Whether stores change nothing of a global but its address, if it is a record, so that the rest is as at the start.
  bool only_moves(ir::VariableId v);
  /// What a descriptor of memory with one loop describes; none for others.
  std::optional<Shape> shape_of(std::uint32_t descriptor);
  /// nullptr: there is no such descriptor.
  const ir::Descriptor* descriptor(std::uint32_t number);

  const std::vector<Answered>& asked() const { return asked_; }
  /// Whether this program gives the same answers.
  bool agrees(const std::vector<Answered>& asked) const;

 private:
  enum About : std::uint8_t { kReloaded, kOnlyMoves, kShape, kDescriptor };
  std::string answer(std::uint8_t about, std::uint32_t a, std::uint32_t b) const;
  const std::string& ask(About about, std::uint32_t a, std::uint32_t b = 0);

  const ir::Module& module_;
  const OpenVariables& open_;
  std::vector<Answered> asked_;
};

}  // namespace tessera::csl::codegen
