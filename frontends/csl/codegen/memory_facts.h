// What loads, stores, calls and DSD operations may touch.
//
// A global or local is open if its address gets anywhere but into the address of a load or a store:
// into a descriptor, a DSD operation, an argument, memory. Only open variables change through pointers
// and by DSD operations. An index outside an array is an error of the program, so that accesses to
// different variables do not meet.
#pragma once

#include <optional>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// By VariableId: whether it is open. Later variables are not.
class OpenVariables {
 public:
  explicit OpenVariables(const ir::Module& module);
  bool operator[](ir::VariableId v) const { return v < open_.size() && open_[v]; }

 private:
  std::vector<bool> open_;
};

/// The memory of a load or store.
struct Access {
  ir::Value base;  ///< a register or the address of a variable, without its offset
  std::int32_t offset = 0;
  unsigned bytes = 0;
  std::optional<ir::VariableId> variable;  ///< that the address counts from, if it is known

  bool is_plain() const { return base.is_address(); }
  bool same_place(const Access& other) const {
    return base == other.base && offset == other.offset && bytes == other.bytes;
  }
};

class MemoryFacts {
 public:
  MemoryFacts(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
              const ir::Function& function);

  bool is_open(ir::VariableId v) const { return open_[v]; }
  bool is_local(ir::VariableId v) const { return module_.variables[v].owner == id_; }
  Access access_of(const ir::Instruction& load_or_store) const;
  /// `a` and `b` count from registers as they are at one point of the program.
  bool may_overlap(const Access& a, const Access& b) const;
  /// Whether an instruction that is no load and no store may change, or read, what is at `a`.
  bool may_change(const ir::Instruction& in, const Access& a) const;
  bool may_read(const ir::Instruction& in, const Access& a) const;

 private:
  bool is_private(const Access& a) const;

  const ir::Module& module_;
  const OpenVariables& open_;
  ir::FunctionId id_;
  std::vector<std::optional<ir::VariableId>> bases_;  ///< by register
};

}  // namespace tessera::csl::codegen
