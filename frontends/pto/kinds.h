// Decides which kind of core runs a function of a module (docs/ascend-platform.md, attributes of
// functions). pto.kernel_kind decides; without it the sections of the function; without sections
// the kinds of its tiles. A function also runs where the functions run that it calls. In a function
// with tiles of both kinds and no sections, each operation runs on the core that has its pipe.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "frontends/pto/ast.h"
#include "frontends/pto/operations.h"

namespace tessera::pto {

class FunctionKinds {
 public:
  /// Throws UserError for a pto.kernel_kind that does not exist.
  explicit FunctionKinds(const Module& module);

  struct Facts {
    std::optional<CoreKind> declared;  ///< the kind that pto.kernel_kind names
    bool aic = false, aiv = false;     ///< it, or a function that it calls, has operations for them
    bool mixed = false;                ///< it has operations for both kinds, without sections
    bool called = false;               ///< another function of the module calls it
    bool known = false;

    bool runs_on(CoreKind kind) const { return kind == CoreKind::kAic ? aic : aiv; }
    /// Whether any core may call the function: it has operations for neither kind.
    bool is_neutral() const { return !aic && !aiv; }
  };
  /// Returns nullptr if the module has no such function.
  const Function* find(const std::string& name) const;
  const Facts& of(const Function& function) const { return facts_.at(&function); }
  /// The kind of core that runs an operation of a mixed function; nothing if both do.
  static std::optional<CoreKind> kind_of(const Operation& op);

 private:
  /// What the operations of a function use.
  struct Uses {
    bool cube_section = false, vector_section = false;
    bool cube = false, vector = false;  // operations outside of sections
    bool cube_tile = false, vector_tile = false;
  };

  void collect(const Region& region, Uses& uses, Facts& facts);
  static void note_operation(const Operation& op, Uses& uses);
  std::optional<CoreKind> declared_kind(const Function& function) const;
  void learn(const Function& function);

  std::map<std::string, const Function*> by_name_;
  std::map<const Function*, Facts> facts_;
  const Diagnostics diagnostics_;
};

}  // namespace tessera::pto
