// Calls at compile time whose value is known from an earlier one. A function reads its parameters, constants of
// its file and its own variables, nothing else that can change: a call that had no effect, with arguments that are
// no places in memory, has the same value again. Layouts ask for the same few directions, colors and parts of structs
// for each PE.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontends/csl/sema/value.h"

namespace tessera::csl {

struct Answers;

/// Those of the functions of a module instance.
class CallMemo {
 public:
  /// A call: the function, and what its value depends on beside the arguments.
  struct Call {
    const Function& function;
    const std::vector<Result>& arguments;
    unsigned mode = 0;
  };
  struct Kept {
    Result value;
    std::shared_ptr<const Answers> asked;  ///< what the call asked, if somebody recorded it
  };
  /// nothing: calls of this kind are not remembered.
  std::optional<std::size_t> key_of(const Call& call);
  /// nullptr: no such call is remembered. `key` is what key_of() gave.
  const Kept* find(std::size_t key, const Call& call);
  void keep(std::size_t key, const Call& call, Kept kept);

 private:
  struct Known {
    const Function* function;
    unsigned mode;
    std::vector<std::pair<const Type*, Value>> arguments;
    Kept kept;
  };
  /// How often it was worth the trouble.
  struct Use {
    std::uint32_t asked = 0;
    std::uint32_t found = 0;
  };
  static bool is_of(const Known& known, const Call& call);

  std::unordered_multimap<std::size_t, Known> known_;
  std::unordered_map<const Function*, Use> uses_;
};

}  // namespace tessera::csl
