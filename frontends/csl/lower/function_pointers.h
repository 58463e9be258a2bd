// Functions as values of the running program (csl.md 2). Such a value is a number: 0 is none, the others count the
// functions whose address is taken. A call through a pointer is a call of a function that compares the number with those
// of the functions of its type.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "frontends/csl/ir/ir.h"
#include "frontends/csl/sema/value.h"

namespace tessera::csl {

class TileCode;

/// Where arguments and the result of a call lie that no register holds: structs, integers of 64 bits, descriptors.
struct PassedInMemory {
  std::vector<std::optional<Storage>> arguments;  ///< by parameter; nothing: in a register
  std::optional<Storage> result;
  bool is_used() const {
    return result || std::any_of(arguments.begin(), arguments.end(),
                                 [](const auto& argument) { return argument.has_value(); });
  }
};

class FunctionPointers {
 public:
  struct Caller {
    ir::FunctionId id;
    const Node* at;
    PassedInMemory passed;
  };

  explicit FunctionPointers(TileCode& tile) : tile_(tile) {}

  /// The number of a function, which is known.
  std::uint32_t number_of(const Result& function, const Node& at);
  /// The function that calls a function of the type by its number, which is the first argument.
  const Caller& caller(const Type& type, const Node& at);
  /// Asks for the code of the functions that a caller may reach; false: all was asked for before.
  bool require_functions();
  /// Makes the bodies of the callers.
  void make_callers();

 private:
  struct Target {
    FunctionValue function;
    const Type* type;
    const Node* at;
    std::optional<ir::FunctionId> id;
  };
  void make(const Type& type, const Caller& caller);
  Storage memory_of(const Type& type, const char* what, const Node& at);

  TileCode& tile_;
  std::vector<Target> targets_;
  std::map<const Type*, Caller> callers_;
};

}  // namespace tessera::csl
