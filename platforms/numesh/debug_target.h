// What a debugger sees of a scheduled mesh. A place is a node; it stands at the operators of its phase, and a line is that of an
// operator in the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/observe/place_watch.h"
#include "platforms/debug/target.h"
#include "platforms/numesh/compiled_program.h"
#include "platforms/numesh/debug_points.h"
#include "platforms/numesh/machine.h"
#include "platforms/run/driver.h"

namespace tessera::numesh {

class DebugTarget final : public debug::Target {
 public:
  /// All must outlive it.
  DebugTarget(Machine& machine, run::View& view, const CompiledProgram& program);

  std::size_t place_count() const override { return machine_.view().size(); }
  std::vector<int> coordinates(std::uint32_t place) const override {
    return view_.coordinates(place);
  }
  std::optional<std::uint32_t> place_at(const std::vector<int>& coordinates) const override;
  std::string name_of(std::uint32_t place) const override;
  std::optional<std::uint32_t> program_of(std::uint32_t place) const override {
    return points_.region_of(place);
  }

  const std::vector<debug::ProgramText>& programs() const override { return points_.texts(); }
  std::string instruction_text(std::uint32_t program, std::uint32_t pc) const override;
  /// Nodes go from phase to phase, and a step is one.
  debug::Flow flow_of(std::uint32_t, std::uint32_t) const override { return debug::Flow::kEnd; }
  std::optional<std::string> library_text(const std::string&) const override { return {}; }

  void set_stops(observe::PlaceWatch& watch, const std::vector<observe::StopSet>& stops) override;
  void follow(observe::PlaceWatch& watch, std::optional<std::uint32_t> place) override;
  void look_closely(std::uint32_t /*place*/) override {}  // nodes put nothing off

  /// Tells where nodes have come to in this cycle: a change of the phase takes more than one.
  void set_now(Cycle now) override;
  std::optional<std::uint32_t> pc(std::uint32_t place) override;
  std::vector<std::uint32_t> stands_at(std::uint32_t place) override;
  std::vector<debug::Frame> frames(std::uint32_t place) override;
  std::string at_rest(std::uint32_t place) override;
  std::vector<std::string> state(std::uint32_t place) override;
  std::vector<std::string> scopes() const override { return {"Task", "Arrays", "Queues"}; }
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
  const scheduled::ProcessorCore& processor(std::uint32_t place) const {
    return machine_.view().processor(place);
  }
  /// The turn that a node is in; no value: it is through.
  std::optional<std::size_t> turn(std::uint32_t place) const;
  void note_turns();
  /// First word and words of an array. Throws UserError.
  std::pair<std::uint32_t, std::uint32_t> array(const std::string& name) const;
  std::uint32_t word_of(const debug::Name& name) const;
  debug::Variable shown(std::uint32_t place, std::size_t array) const;
  std::vector<debug::Variable> tasks(std::uint32_t place) const;
  std::vector<debug::Variable> queues(std::uint32_t place) const;

  Machine& machine_;
  run::View& view_;
  const CompiledProgram& program_;
  const DebugPoints points_;
  observe::ToldPlaces told_;
  std::vector<std::optional<std::size_t>> seen_;  // by node: its turn when it was looked at last
  bool is_asked_ = false;                         // somebody hears of nodes
  Cycle now_ = 0;
};

}  // namespace tessera::numesh
