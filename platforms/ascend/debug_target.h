// What a debugger sees of AI cores. A place is a core; its instructions are those of its scalar unit, and a line is one of the
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/observe/place_watch.h"
#include "platforms/ascend/cluster_view.h"
#include "platforms/ascend/core_values.h"
#include "platforms/ascend/machine.h"
#include "platforms/debug/target.h"

namespace tessera::ascend {

class DebugTarget final : public debug::Target {
 public:
  /// All must outlive it. `told` is attached to the cores, and the kernel has been launched.
  DebugTarget(Machine& machine, ClusterView& view, cluster::ClusterData& data,
              observe::ToldPlaces& told);

  std::size_t place_count() const override { return view_.place_count(); }
  std::vector<int> coordinates(std::uint32_t place) const override {
    return view_.coordinates(place);
  }
  std::optional<std::uint32_t> place_at(const std::vector<int>& coordinates) const override;
  std::string name_of(std::uint32_t place) const override;
  std::optional<std::uint32_t> program_of(std::uint32_t place) const override;

  const std::vector<debug::ProgramText>& programs() const override { return texts_; }
  std::string instruction_text(std::uint32_t program, std::uint32_t pc) const override;
  debug::Flow flow_of(std::uint32_t program, std::uint32_t pc) const override;
  std::optional<std::string> library_text(const std::string&) const override { return {}; }

  void set_stops(observe::PlaceWatch& watch, const std::vector<observe::StopSet>& stops) override;
  void follow(observe::PlaceWatch& watch, std::optional<std::uint32_t> place) override;
  void look_closely(std::uint32_t /*place*/) override {}  // cores put nothing off

  void set_now(Cycle now) override { now_ = now; }
  std::optional<std::uint32_t> pc(std::uint32_t place) override;
  std::vector<debug::Frame> frames(std::uint32_t place) override;
  std::string at_rest(std::uint32_t place) override;
  std::vector<std::string> state(std::uint32_t place) override;
  std::vector<std::string> scopes() const override;
  std::vector<debug::Variable> variables(std::uint32_t place, const std::string& scope) override;
  std::vector<debug::Variable> elements(std::uint32_t place, const std::string& name,
                                        std::uint32_t first, std::uint32_t count) override {
    return values(place).elements(name, first, count);
  }
  debug::Variable variable(std::uint32_t place, const debug::Name& name) override {
    return values(place).variable(name);
  }
  debug::Value value(std::uint32_t place, const debug::Name& name) override {
    return values(place).value(name);
  }
  debug::Value length(std::uint32_t place, const std::string& name) override {
    return values(place).length(name);
  }
  debug::Bytes bytes_of(std::uint32_t place, const debug::Name& name) override {
    return values(place).bytes_of(name);
  }
  void assign(std::uint32_t place, const debug::Name& name, const debug::Value& value) override;
  std::vector<std::byte> read(std::uint32_t place, std::uint32_t address,
                              std::uint32_t count) override {
    return values(place).memory(address, count);
  }
  void write(std::uint32_t place, std::uint32_t address,
             const std::vector<std::byte>& bytes) override;
  std::vector<std::string> names(std::uint32_t place) override { return values(place).names(); }
  std::vector<std::string> routes(std::uint32_t place) override;
  std::vector<std::string> why() override;

 private:
  const cluster::AiCore* core_at(std::uint32_t place) const;
  /// Throws UserError where there is no core.
  CoreValues values(std::uint32_t place) const;

  Machine& machine_;
  ClusterView& view_;
  cluster::ClusterData& data_;
  observe::ToldPlaces& told_;
  std::vector<const cluster::Program*> programs_;
  std::vector<debug::ProgramText> texts_;
  Cycle now_ = 0;
};

}  // namespace tessera::ascend
