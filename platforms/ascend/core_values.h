// The state of an AI core by the names of its text, for a debugger: scalars, tiles, arrays in GM, registers, pipes and flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/cluster/core/ai_core.h"
#include "models/cluster/memory/cluster_data.h"
#include "platforms/debug/target.h"

namespace tessera::ascend {

class CoreValues {
 public:
  /// As all is at the end of cycle `now`. Both must outlive it.
  CoreValues(const cluster::AiCore& core, cluster::ClusterData& data, Cycle now)
      : core_(core), data_(data), now_(now) {}

  std::vector<debug::Variable> scalars() const;
  std::vector<debug::Variable> tiles() const;
  std::vector<debug::Variable> arrays() const;
  std::vector<debug::Variable> registers() const;
  std::vector<debug::Variable> pipes() const;
  std::vector<debug::Variable> flags() const;

  /// Throws UserError for a name that means nothing here.
  debug::Variable variable(const debug::Name& name) const;
  debug::Value value(const debug::Name& name) const;
  /// Elements of a tile or an array; instructions in the queue of a pipe.
  debug::Value length(const std::string& name) const;
  std::vector<debug::Variable> elements(const std::string& name, std::uint32_t first,
                                        std::uint32_t count) const;
  /// Those of a tile without an index, in the address space of memory().
  debug::Bytes bytes_of(const debug::Name& name) const;
  /// The buffers of the core, 16 MB of addresses each, by cluster::Location.
  std::vector<std::byte> memory(std::uint32_t address, std::uint32_t count) const;
  std::vector<std::string> names() const;

  /// The register that a name stands for, and what it holds when the name has `value`; no value: it is an element of a tile or
  /// an array. Throws UserError for what cannot be set, or cannot have the value.
  std::optional<std::pair<unsigned, std::int64_t>> register_of(const debug::Name& name,
                                                               const debug::Value& value) const;
  void set_element(const debug::Name& name, const debug::Value& value) const;
  void set_memory(std::uint32_t address, const std::vector<std::byte>& bytes) const;

 private:
  /// A tile or an array with the registers' values.
  struct Elements {
    std::string name;
    cluster::ResolvedOperand operand;
    bool is_array = false;
    std::uint32_t count = 0;
    std::string type;
  };
  const cluster::NamedValue* find(const std::string& name) const;
  /// The meanings of names at the instruction at which the core stands, the innermost only.
  std::vector<const cluster::NamedValue*> names_here() const;
  bool is_here(const cluster::NamedValue& named) const;
  debug::Value scalar(const cluster::NamedValue& named) const;
  std::optional<Elements> elements_of(const std::string& name) const;
  Elements tile(const cluster::NamedValue& named) const;
  std::optional<Elements> array(const std::string& name) const;
  std::uint32_t index_in(const Elements& of, const debug::Name& name) const;
  std::vector<debug::Value> values(const Elements& of, std::uint32_t first,
                                   std::uint32_t count) const;
  debug::Variable shown(const Elements& of) const;
  std::optional<unsigned> register_in(const std::string& name) const;
  std::optional<debug::Value> state_value(const std::string& name) const;
  [[noreturn]] void refuse(const std::string& name) const;

  const cluster::AiCore& core_;
  cluster::ClusterData& data_;
  const Cycle now_;
};

}  // namespace tessera::ascend
