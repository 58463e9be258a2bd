// Decides which kind of core runs a function of a module (reference pto_text.md, attributes of
// functions). pto.kernel_kind decides; without it the sections of the function; without sections the
// kinds of its tiles. A function also runs where the functions run that it calls. In a function with
// tiles of both kinds and no sections, each operation runs on the kind of core that has its pipe.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "frontends/pto/ast.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

class FunctionKinds {
 public:
  /// Throws UserError for a pto.kernel_kind that does not exist.
  explicit FunctionKinds(const Module& module);

  /// Returns nullptr if the module has no such function.
  const Function* find(const std::string& name) const;
  /// Whether the function, or one that it calls, has operations for this kind of core.
  bool runs_on(const Function& function, cluster::CoreKind kind) const {
    return kind == cluster::CoreKind::kAic ? at(function).aic : at(function).aiv;
  }
  /// Whether it has operations for neither kind, so that any core may call it.
  bool is_neutral(const Function& function) const { return !at(function).aic && !at(function).aiv; }
  /// The kind that pto.kernel_kind names.
  std::optional<cluster::CoreKind> declared(const Function& function) const {
    return at(function).declared;
  }
  /// Whether it has operations for both kinds, without sections.
  bool is_mixed(const Function& function) const { return at(function).mixed; }
  bool is_called(const Function& function) const { return at(function).called; }
  /// The kind of core that runs an operation of a mixed function; nothing if both do.
  static std::optional<cluster::CoreKind> kind_of(const Operation& op);

 private:
  struct Facts {
    std::optional<cluster::CoreKind> declared;
    bool aic = false, aiv = false;  // its own operations, and those of functions that it calls
    bool mixed = false;
    bool called = false;
    bool known = false;
  };
  /// What the operations of a function use.
  struct Uses {
    bool cube_section = false, vector_section = false;
    bool cube = false, vector = false;  // operations outside of sections
    bool cube_tile = false, vector_tile = false;
  };

  const Facts& at(const Function& function) const { return facts_.at(&function); }
  void collect(const Region& region, Uses& uses, Facts& facts);
  static void note_operation(const Operation& op, Uses& uses);
  std::optional<cluster::CoreKind> declared_kind(const Function& function) const;
  void learn(const Function& function);

  std::map<std::string, const Function*> by_name_;
  std::map<const Function*, Facts> facts_;
  const std::string file_;
};

}  // namespace tessera::pto
