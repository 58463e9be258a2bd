// What the options of an operation on descriptors, or of the load of a DSR, say to the machine (csl.md 8.2).
#include "frontends/csl/builtins/dsd_values.h"

namespace tessera::csl {
namespace {

void read_on_control(TileCode& tile, pe::OpConfig& config, const Result& value, const Node& at) {
  const auto target = [&](pe::OnControl action, unsigned id) {
    config.on_control = action;
    config.on_control_target = TaskId(id);
  };
  for (const auto& [name, field] : fields_of(value)) {
    if (name == "terminate" && field.value().get<bool>())
      config.on_control = pe::OnControl::kTerminate;
    if (name == "activate")
      target(pe::OnControl::kActivate,
             activated_id(tile.engine(), tile.tile(), field, at, "on_control"));
    if (name == "unblock")
      target(pe::OnControl::kUnblock,
             unblocked_id(tile.engine(), tile.tile(), field, at, "on_control"));
  }
  // Public programs read it with their next operation.
  config.leaves_control = config.on_control != pe::OnControl::kNone;
}

}  // namespace

pe::OpConfig operation_options(TileCode& tile, const OptionsTable& table, const Fields& options,
                               const Node& at, Result* index) {
  const Engine& engine = tile.engine();
  check_options(engine, table, options, at);
  pe::OpConfig config;
  for (const auto& [name, value] : options) {
    if (name == "async") config.async = value.value().get<bool>();
    if (name == "save_address") config.save_address = value.value().get<bool>();
    if (name == "single_step") config.single_step = value.value().get<bool>();
    if (name == "activate")
      config.activate = TaskId(activated_id(engine, tile.tile(), value, at, name));
    if (name == "unblock")
      config.unblock = TaskId(unblocked_id(engine, tile.tile(), value, at, name));
    if (name == "on_control") read_on_control(tile, config, value, at);
    if (name == "ut_id") config.ut = MicrothreadId(static_cast<unsigned>(value.value().integer()));
    if (name == "priority") config.priority = priority_of(choice_of(value));
    if (name == "index") *index = value;
  }
  return config;
}

}  // namespace tessera::csl
