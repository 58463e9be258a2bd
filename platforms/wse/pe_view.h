// The state of a PE by names and as text, for a debugger: symbols, registers, descriptors, queues and tasks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/pe/compute_engine_core.h"
#include "platforms/debug/target.h"
#include "platforms/wse/symbol_values.h"

namespace tessera::wse {

class PeView {
 public:
  /// `aliases`: further names of symbols; nullptr: none. All must outlive it.
  PeView(pe::ComputeEngineCore& engine, const std::map<std::string, std::string>* aliases,
         Cycle now)
      : engine_(engine), pe_(engine.state()), aliases_(aliases), now_(now) {}

  /// Memory whose value is in registers now.
  void set_elsewhere(std::vector<Elsewhere> all) { elsewhere_ = std::move(all); }

  const pe::Symbol* find_symbol(const std::string& name) const;
  debug::Value element(const pe::Symbol& symbol, std::uint32_t index) const;
  void set_element(const pe::Symbol& symbol, std::uint32_t index, const debug::Value& value);
  debug::Variable symbol_variable(const std::string& name, const pe::Symbol& symbol) const;
  /// Throws UserError for one that there is not.
  std::uint32_t index_in(const pe::Symbol& symbol, std::int64_t index) const;

  /// r0 .. r15, d0 .. d14, flag, pc, and descriptors as "s1ds2.length"; no value: it is none of these.
  std::optional<debug::Value> state_value(const std::string& name) const;
  bool set_register(const std::string& name, const debug::Value& value);
  std::optional<debug::Value> queue_length(const std::string& name) const;

  std::vector<debug::Variable> globals() const;
  std::vector<debug::Variable> registers() const;
  std::vector<debug::Variable> descriptors() const;
  std::vector<debug::Variable> queues() const;
  std::vector<debug::Variable> tasks() const;
  std::vector<debug::Frame> frames(const debug::ProgramText& text) const;
  std::vector<std::string> names() const;

 private:
  std::vector<pe::Operand> used_descriptors() const;
  std::string describe(const pe::Dsr& dsr) const;
  std::optional<std::uint32_t> return_address_of(const debug::ProgramText& text,
                                                 const debug::ProgramText::Function& function,
                                                 std::uint32_t pc) const;

  pe::ComputeEngineCore& engine_;
  pe::EngineState& pe_;
  const std::map<std::string, std::string>* aliases_;
  const Cycle now_;
  std::vector<Elsewhere> elsewhere_;
};

}  // namespace tessera::wse
