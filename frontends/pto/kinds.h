// Which cores a function of a module runs on (reference pto_text.md, attributes of functions): those
// of pto.kernel_kind, or of its sections, or of its tiles, and those of the functions that it calls.
// In a function with tiles of both kinds and no sections each operation runs where its pipe is.
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

  /// nullptr: the module has no such function.
  const Function* find(const std::string& name) const;
  /// It has something to do on cores of this kind, itself or in functions that it calls.
  bool runs_on(const Function& function, cluster::CoreKind kind) const;
  /// Neither kind has anything to do with tiles in it: a helper that any core may call.
  bool is_neutral(const Function& function) const;
  /// The kind that pto.kernel_kind names.
  std::optional<cluster::CoreKind> declared(const Function& function) const;
  /// Its operations belong to both kinds, with no sections to say so.
  bool is_mixed(const Function& function) const { return at(function).mixed; }
  bool is_called(const Function& function) const { return at(function).called; }
  /// Where an operation of a mixed function runs; nothing: on both.
  static std::optional<cluster::CoreKind> kind_of(const Operation& op);

 private:
  struct Facts {
    std::optional<cluster::CoreKind> declared;
    bool aic = false, aiv = false;  // own and called
    bool mixed = false;
    bool called = false;
    bool known = false;
  };
  struct Uses {
    bool cube_section = false, vector_section = false;
    bool cube = false, vector = false;  // operations outside of sections
    bool cube_tile = false, vector_tile = false;
  };

  const Facts& at(const Function& function) const { return facts_.at(&function); }
  void collect(const Region& region, Uses& uses, Facts& facts);
  void note_operation(const Operation& op, Uses& uses) const;
  void learn(const Function& function);

  std::map<std::string, const Function*> by_name_;
  std::map<const Function*, Facts> facts_;
  std::string file_;
};

}  // namespace tessera::pto
