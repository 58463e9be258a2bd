// What a tile loads into the DSRs that its program names, and what its variables of descriptors are given, against the operations
// that use them (csl.md 8.3, wse.md 5.7). Code may use one before what it runs after has been analysed, so uses are judged when the
// tile is complete.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/ir/ir.h"
#include "frontends/csl/sema/engine.h"

namespace tessera::csl {

/// The descriptor that a value is known to be; else nullptr.
inline std::shared_ptr<const Dsd> known_in(const Result& value) {
  return value.is_known() ? value.value().get<std::shared_ptr<const Dsd>>() : nullptr;
}

class DsrUses {
 public:
  /// A load at `at`. `element`: of the array that the descriptor is of; nullptr if only the running program knows it, or on the
  /// fabric. `config` has the extended DSR that the load names.
  void add_load(const pe::Operand& dsr, const Type* element, const pe::OpConfig& config,
                const Node& at) {
    loads_[{dsr.kind, dsr.reg}].push_back({element, config, &at});
  }
  /// A descriptor that a load puts into a DSR, with the options of the load. One of several is unknown, and one in a variable
  /// that is set more than once.
  void add_descriptor(const pe::Operand& dsr, LiveDsd dsd, const Result& from,
                      pe::OpConfig config) {
    descriptors_[{dsr.kind, dsr.reg}].push_back(
        {std::move(dsd), from.type, std::move(config), known_in(from)});
  }
  struct Loaded {
    LiveDsd dsd;
    const Type* kind;
    pe::OpConfig config;
    std::shared_ptr<const Dsd> known;  ///< nullptr: only the running program knows it
  };
  /// What the DSR has when its address is set at `at` (`@set_dsr_base_addr`): that of the loads which have been seen. Fails, there
  /// or when the tile is complete, if there is none, or if they have more than their addresses in which they differ.
  const Loaded& moved(Engine& engine, const pe::Operand& dsr, const Node& at);
  /// An operation at `at` on elements of `bytes`; 0: it takes elements of any width.
  void add_use(const pe::Operand& dsr, unsigned bytes, const pe::OpConfig& config, const Node& at) {
    uses_.push_back({{dsr.kind, dsr.reg}, bytes, config, &at});
  }
  /// A variable that is a descriptor has, or gets, one of an array of such elements; nullptr: only the running program knows.
  void add_value(ir::VariableId variable, const Type* element) {
    values_[variable].push_back(element);
    add_change(variable);
  }
  /// A variable that is a descriptor is set, or changed.
  void add_change(ir::VariableId variable) { ++changes_[variable]; }
  /// A variable that is, or has, descriptors: those of its first value.
  void add_values(ir::VariableId variable, const Type& type, const Value& value);
  /// A descriptor that only the running program knows gets the address of such elements.
  void add_moved(const Type& element) { moved_.insert(&element); }
  /// What the machine is told of elements (pe::Dsd::stated) may not be so for those that have moved.
  void loosen(std::vector<ir::Descriptor>& descriptors) const;
  /// The end of an operation belongs to the load of its DSR (wse.md 5.7): that of the operation has no effect where the load
  /// gives settings.
  void leave_ends_to_loads(std::vector<ir::Function>& functions) const;
  /// A descriptor goes where only the running program knows.
  void add_value_somewhere() { goes_somewhere_ = true; }
  /// An operation at `at` on elements of `bytes` takes what the variable holds.
  void add_use(ir::VariableId variable, unsigned bytes, const Node& at) {
    variable_uses_.push_back({variable, bytes, &at});
  }
  /// Fails at a use that none of the loads of its DSR fits: floating-point elements of another width, or another task
  /// than that of the load at its end. Fails at a load of registers that one of `fifos` keeps.
  void judge(Engine& engine, const std::vector<FifoDeclaration>& fifos) const;

 private:
  using Register = std::pair<std::uint16_t, unsigned>;
  struct Load {
    const Type* element;
    pe::OpConfig config;
    const Node* at;
  };
  struct Use {
    Register dsr;
    unsigned bytes;
    pe::OpConfig config;
    const Node* at;
  };
  struct VariableUse {
    ir::VariableId variable;
    unsigned bytes;
    const Node* at;
  };
  static void judge(Engine& engine, const Use& use, const std::vector<Load>& loads);
  /// Whether all loads of the DSR say how operations on it run.
  bool has_settings(const Register& dsr) const;
  void judge(Engine& engine, const VariableUse& use) const;
  static void judge(Engine& engine, const Load& load, const Register& dsr,
                    const std::vector<FifoDeclaration>& fifos);

  bool is_known(const Loaded& loaded) const;
  void judge_moved(Engine& engine, const Register& dsr, const Node& at) const;

  std::map<Register, std::vector<Load>> loads_;
  std::map<Register, std::vector<Loaded>> descriptors_;
  std::map<Register, const Node*> moved_registers_;
  std::map<ir::VariableId, unsigned> changes_;
  std::vector<Use> uses_;
  std::map<ir::VariableId, std::vector<const Type*>> values_;
  std::vector<VariableUse> variable_uses_;
  std::set<const Type*> moved_;
  bool goes_somewhere_ = false;
};

}  // namespace tessera::csl
