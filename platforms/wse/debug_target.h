// What a debugger sees of a WSE machine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/compiled/program.h"
#include "models/pe/engine_state.h"
#include "platforms/debug/target.h"
#include "platforms/wse/observed_machine.h"
#include "platforms/wse/pe_locals.h"
#include "platforms/wse/pe_view.h"
#include "platforms/wse/workload.h"

namespace tessera::wse {

class DebugTarget final : public debug::Target {
 public:
  /// All must outlive it. `compiled`: the program if it is in CSL; nullptr: it is none.
  DebugTarget(ObservedMachine& observed, const Workload& workload,
              const compiled::Program* compiled);

  std::size_t place_count() const override { return layout_.tile_count(); }
  /// Those of the program, as "PE (3, 0)" has them everywhere: its first PE is (0, 0), wherever in the machine it lies.
  std::vector<int> coordinates(std::uint32_t place) const override;
  std::optional<std::uint32_t> place_at(const std::vector<int>& coordinates) const override;
  std::string name_of(std::uint32_t place) const override;
  std::optional<std::uint32_t> program_of(std::uint32_t place) const override;

  const std::vector<debug::ProgramText>& programs() const override { return texts_; }
  std::string instruction_text(std::uint32_t program, std::uint32_t pc) const override;
  debug::Flow flow_of(std::uint32_t program, std::uint32_t pc) const override;
  std::optional<std::string> library_text(const std::string& file) const override;

  void set_stops(observe::PlaceWatch& watch, const std::vector<observe::StopSet>& stops) override;
  void follow(observe::PlaceWatch& watch, std::optional<std::uint32_t> place) override;
  void look_closely(std::uint32_t place) override;

  void set_now(Cycle now) override { now_ = now; }
  std::optional<std::uint32_t> pc(std::uint32_t place) override;
  std::vector<debug::Frame> frames(std::uint32_t place) override;
  std::vector<std::string> state(std::uint32_t place) override;
  std::vector<std::string> scopes() const override;
  std::vector<debug::Variable> variables(std::uint32_t place, const std::string& scope) override;
  std::vector<debug::Variable> elements(std::uint32_t place, const std::string& name,
                                        std::uint32_t first, std::uint32_t count) override;
  debug::Variable variable(std::uint32_t place, const debug::Name& name) override;
  debug::Value value(std::uint32_t place, const debug::Name& name) override;
  debug::Value length(std::uint32_t place, const std::string& name) override;
  debug::Bytes bytes_of(std::uint32_t place, const debug::Name& name) override;
  void assign(std::uint32_t place, const debug::Name& name, const debug::Value& value) override;
  std::vector<std::byte> read(std::uint32_t place, std::uint32_t address,
                              std::uint32_t count) override;
  void write(std::uint32_t place, std::uint32_t address,
             const std::vector<std::byte>& bytes) override;
  std::vector<std::string> names(std::uint32_t place) override;
  std::vector<std::string> routes(std::uint32_t place) override;
  std::vector<std::string> why() override;

 private:
  /// The engine, up to date; throws UserError where there is none.
  pe::ComputeEngineCore& engine(std::uint32_t place);
  pe::ComputeEngineCore* engine_at(std::uint32_t place) const;
  TileCoord tile_of(std::uint32_t place) const;
  void attach(observe::PlaceWatch& watch, std::uint32_t place);
  const pe::Listeners* listeners_of(std::uint32_t place) const;
  /// Its state by names. Throws UserError where there is no program.
  PeView view(std::uint32_t place);
  /// Numbers of variables of the file that are in registers now.
  std::vector<LocalHere> globals_elsewhere(std::uint32_t place);
  /// The locals of the function in which the place stands.
  std::vector<LocalHere> locals(std::uint32_t place);
  std::optional<LocalHere> find_local(std::uint32_t place, const std::string& name);
  /// A local in memory or a variable of the file; nullptr: it is none.
  const pe::Symbol* find_symbol(std::uint32_t place, const std::string& name);

  Machine& machine_;
  ObservedMachine& observed_;
  const Workload& workload_;
  const layout::Layout& layout_;
  const compiled::Program* compiled_;
  std::vector<debug::ProgramText> texts_;
  std::vector<pe::Listeners> listeners_;  // by program
  std::vector<bool> in_use_;              // by program: has stops
  pe::Listeners of_followed_;
  std::optional<std::uint32_t> followed_;
  Cycle now_ = 0;
  pe::Symbol of_local_;  ///< the last one that find_symbol() has given of a local
};

}  // namespace tessera::wse
