// The evaluated program as JSON.
#include <boost/json.hpp>

#include "frontends/csl/sema/program.h"

namespace tessera::csl {
namespace {

namespace json = boost::json;

json::array direction_names(Directions directions) {
  json::array names;
  for (std::size_t i = 0; i < kDirectionNames.size(); ++i) {
    if ((directions >> i & 1) != 0) names.emplace_back(kDirectionNames[i]);
  }
  return names;
}

json::object color_object(const ColorConfig& config) {
  json::object object;
  object["rx"] = direction_names(config.rx);
  object["tx"] = direction_names(config.tx);
  if (config.swap_x) object["color_swap_x"] = true;
  if (config.swap_y) object["color_swap_y"] = true;
  for (std::size_t i = 0; i < config.positions.size(); ++i) {
    const SwitchPosition& position = config.positions[i];
    if (!position.is_valid) continue;
    json::object sides;
    if (position.rx) sides["rx"] = direction_names(*position.rx);
    if (position.tx) sides["tx"] = direction_names(*position.tx);
    object["pos" + std::to_string(i + 1)] = std::move(sides);
  }
  if (config.current_position != 0) object["current_switch_pos"] = config.current_position;
  if (config.ring_mode) object["ring_mode"] = true;
  if (config.pop_mode != "no_pop") object["pop_mode"] = config.pop_mode;
  if (config.teardown) object["teardown"] = true;
  if (config.messages) object["messages"] = true;
  if (!config.filter.empty()) {
    json::object filter;
    for (const auto& [name, value] : config.filter) filter[name] = value;
    object["filter"] = std::move(filter);
  }
  return object;
}

json::object colors_object(const std::map<unsigned, ColorConfig>& colors) {
  json::object object;
  for (const auto& [color, config] : colors) object[std::to_string(color)] = color_object(config);
  return object;
}

json::object options_object(const std::vector<std::pair<std::string, Result>>& options) {
  json::object object;
  for (const auto& [name, value] : options)
    object[name] = text_of(*value.type, value.value(), true);
  return object;
}

json::array task_array(const Tile& tile) {
  constexpr std::array<const char*, 3> kKinds = {"local", "data", "control"};
  json::array tasks;
  for (const TaskBinding& task : tile.tasks)
    tasks.push_back({{"kind", kKinds[static_cast<std::size_t>(task.kind)]},
                     {"id", task.id},
                     {"task", std::string(task.task.function->name.text)}});
  return tasks;
}

json::array queue_array(const Tile& tile) {
  json::array queues;
  for (const QueueBinding& queue : tile.queues) {
    json::object object{{"queue", queue.is_input ? "input" : "output"}, {"id", queue.id}};
    for (auto& [name, value] : options_object(queue.options)) object[name] = value;
    queues.push_back(std::move(object));
  }
  return queues;
}

json::array export_array(const Tile& tile) {
  json::array exports;
  for (const ExportedSymbol& symbol : tile.exports) {
    json::object object{{"name", symbol.name}, {"type", symbol.type->name}};
    if (symbol.variable) {
      object["variable"] = symbol.variable->name;
      object["value"] = text_of(*symbol.variable->type, symbol.variable->value, true);
    } else {
      object["function"] = std::string(symbol.function.function->name.text);
    }
    exports.push_back(std::move(object));
  }
  return exports;
}

json::object handlers_object(const std::map<unsigned, FunctionValue>& handlers) {
  json::object object;
  for (const auto& [id, handler] : handlers)
    object[std::to_string(id)] = std::string(handler.function->name.text);
  return object;
}

json::object tile_object(const Tile& tile) {
  json::object object;
  object["tasks"] = task_array(tile);
  object["queues"] = queue_array(tile);
  object["colors"] = colors_object(tile.colors);
  object["exports"] = export_array(tile);
  json::array start, dsrs, fifos;
  for (const StartState& state : tile.start)
    start.push_back({{"action", state.action}, {"handle", state.handle->name}, {"id", state.id}});
  for (const DsrLoad& load : tile.dsrs) {
    json::object made{{"dsr", load.dsr->name},
                      {"id", load.id},
                      {"dsd", text_of(*load.dsd.type, load.dsd.value(), true)},
                      {"options", options_object(load.options)}};
    if (load.extended) made["xdsr"] = *load.extended;
    if (!load.strides.empty()) made["srs"] = json::value_from(load.strides);
    dsrs.push_back(std::move(made));
  }
  for (const FifoDeclaration& fifo : tile.fifos)
    fifos.push_back({{"buffer", fifo.buffer->name}, {"options", options_object(fifo.options)}});
  object["start"] = std::move(start);
  object["dsrs"] = std::move(dsrs);
  object["fifos"] = std::move(fifos);
  object["teardown_handlers"] = handlers_object(tile.teardown_handlers);
  object["empty_queue_handlers"] = handlers_object(tile.empty_queue_handlers);
  json::object configuration;
  for (const auto& [address, word] : tile.configuration)
    configuration[std::to_string(address)] = word.value;
  object["configuration"] = std::move(configuration);
  if (tile.control_table)
    object["control_table"] = {{"instructions", tile.control_table->instructions},
                               {"stride", tile.control_table->stride}};
  return object;
}

}  // namespace

std::string layout_json(const Program& program, const std::string& arch) {
  json::object root{{"arch", arch}, {"width", program.width}, {"height", program.height}};
  json::array exports, codes, pes;
  for (const ExportedName& name : program.exports)
    exports.push_back({{"name", name.name},
                       {"type", name.type->name},
                       {"mutable", name.has_mutability && name.is_mutable}});
  for (const auto& variant : program.variants) {
    json::object code = tile_object(variant->tile);
    code["file"] = variant->file;
    code["params"] = text_of(*variant->bindings.type, variant->bindings.value(), true);
    codes.push_back(std::move(code));
  }
  for (std::size_t i = 0; i < program.pes.size(); ++i)
    pes.push_back({{"x", i % program.width},
                   {"y", i / program.width},
                   {"code", program.pes[i].variant},
                   {"colors", colors_object(program.pes[i].colors)}});
  root["exports"] = std::move(exports);
  root["codes"] = std::move(codes);
  root["pes"] = std::move(pes);
  return json::serialize(root);
}

}  // namespace tessera::csl
