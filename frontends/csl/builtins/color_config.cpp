// Reads the configuration of a color (csl.md 10, wse.md 1.3).
#include "frontends/csl/builtins/builtins.h"

namespace tessera::csl {
namespace {

bool is_filter_field(std::string_view name) {
  for (const std::string_view known :
       {"kind", "count_data", "count_control", "filter_control", "init_counter", "limit1", "limit2",
        "max_counter", "min_idx", "max_idx"}) {
    if (name == known) return true;
  }
  return false;
}

class ColorReader {
 public:
  explicit ColorReader(const BuiltinCall& call) : call_(call) {}

  ColorConfig read(const Result& config) {
    const Result* base = &config;
    std::optional<Result> routes = field_of(config, "routes");
    if (!routes && config.type->find_field("rx") < 0 && config.type->find_field("tx") < 0)
      call_.fail("the configuration has no field .routes");
    if (!routes) call_.engine().warn(call_.node, ".rx and .tx belong into the field .routes");
    if (routes) base = &*routes;
    read_routes(*base, routes.has_value());
    for (const auto& [name, field] : fields_of(config)) {
      if (name == "switches") {
        read_switches(field);
      } else if (name == "filter") {
        read_filter(field, "");
      } else if (name == "teardown") {
        made_.teardown = boolean(field, name);
      } else if (!routes && (name == "rx" || name == "tx" || read_switch_field(name, field))) {
        continue;
      } else if (name != "routes") {
        call_.fail("the configuration has an unknown field ", text::in_quotes(name));
      }
    }
    for (unsigned i = 0; i < made_.current_position; ++i) {
      if (!made_.positions[i].is_valid)
        call_.fail("the switch cannot start in position ", made_.current_position, ": .pos", i + 1,
                   " is not given");
    }
    made_.at = &call_.node;
    return made_;
  }

 private:
  bool boolean(const Result& field, const std::string& name) const {
    if (!field.value().holds<bool>()) call_.fail("the field .", name, " is no bool");
    return field.value().get<bool>();
  }

  std::int64_t integer(const Result& field, std::int64_t highest, const std::string& name) const {
    if (!field.type->is_any_integer() || field.value().is_undefined() ||
        field.value().integer() < 0 ||
        field.value().integer() > highest)
      call_.fail("the field .", name, " is not a number in 0..", highest);
    return static_cast<std::int64_t>(field.value().integer());
  }

  /// A direction, or a list of them.
  Directions directions(const Result& field, const std::string& name) const {
    if (field.value().is_undefined()) call_.fail("the field .", name, " is undefined");
    if (field.type->is(TypeKind::kDirection))
      return static_cast<Directions>(1U << static_cast<unsigned>(field.value().integer()));
    const bool is_array =
        field.type->is(TypeKind::kArray) && field.type->element->is(TypeKind::kDirection);
    if (!is_array && !field.type->is(TypeKind::kStruct))
      call_.fail("the field .", name, " is no direction and no list of directions");
    Directions all = 0;
    for (std::size_t i = 0; i < field.value().elements().size(); ++i) {
      const Type* type = is_array ? field.type->element : field.type->fields[i].type;
      const Directions one = directions({type, field.value().elements()[i]}, name);
      if ((all & one) != 0) call_.fail("the field .", name, " has a direction twice");
      all = static_cast<Directions>(all | one);
    }
    return all;
  }

  /// `is_own`: the struct is the field .routes and not the configuration as a whole.
  void read_routes(const Result& routes, bool is_own) {
    if (routes.type->is_any_integer()) {
      const std::int64_t bits = integer(routes, 0x3ff, "routes");
      made_.rx = static_cast<Directions>(bits & 31);
      made_.tx = static_cast<Directions>(bits >> 5);
      return;
    }
    for (const auto& [name, field] : fields_of(routes)) {
      if (name == "rx") {
        made_.rx = directions(field, name);
      } else if (name == "tx") {
        made_.tx = directions(field, name);
      } else if (name == "color_swap_x") {
        made_.swap_x = boolean(field, name);
      } else if (name == "color_swap_y") {
        made_.swap_y = boolean(field, name);
      } else if (name == "pop_mode") {
        read_pop_mode(field);
      } else if (is_own) {
        call_.fail("the field .routes has an unknown field ", text::in_quotes(name));
      }
    }
  }

  void read_pop_mode(const Result& mode) {
    for (const auto& [name, field] : fields_of(mode)) {
      const bool is_known = name == "no_pop" || name == "always_pop" || name == "pop_on_advance" ||
                            name == "pop_on_advance_nop";
      if (!is_known) call_.fail("there is no pop mode ", text::in_quotes(name));
      if (boolean(field, name)) made_.pop_mode = name;
    }
  }

  /// False: it is no field of .switches.
  bool read_switch_field(const std::string& name, const Result& field) {
    if (name == "pos1" || name == "pos2" || name == "pos3") {
      read_position(made_.positions[static_cast<std::size_t>(name[3] - '1')], field, name);
    } else if (name == "current_switch_pos") {
      made_.current_position = static_cast<unsigned>(integer(field, 3, name));
    } else if (name == "ring_mode") {
      made_.ring_mode = boolean(field, name);
    } else if (name == "pop_mode") {
      read_pop_mode(field);
    } else {
      return false;
    }
    return true;
  }

  void read_switches(const Result& switches) {
    if (!switches.type->is(TypeKind::kStruct)) call_.fail("the field .switches is no struct");
    for (const auto& [name, field] : fields_of(switches)) {
      if (!read_switch_field(name, field))
        call_.fail("the field .switches has an unknown field ", text::in_quotes(name));
    }
  }

  void read_position(SwitchPosition& position, const Result& field, const std::string& name) {
    if (field.type->is_any_integer()) {
      const std::int64_t bits = integer(field, 0x3ff, name);
      position.is_valid = bits != 0;
      if ((bits & 31) != 0) position.rx = static_cast<Directions>(bits & 31);
      if ((bits >> 5) != 0) position.tx = static_cast<Directions>(bits >> 5);
      return;
    }
    if (!field.type->is(TypeKind::kStruct)) call_.fail("the field .", name, " is no struct");
    for (const auto& [side, value] : fields_of(field)) {
      if (side == "invalid") {
        if (boolean(value, side)) return;
      } else if (side == "rx") {
        position.rx = directions(value, side);
      } else if (side == "tx") {
        position.tx = directions(value, side);
      } else {
        call_.fail("the field .", name, " has an unknown field ", text::in_quotes(side));
      }
    }
    if (position.rx && position.tx && !call_.is_wse3())
      call_.fail("the field .", name,
                 " sets .rx and .tx; a switch position of WSE-2 changes one of them");
    position.is_valid = position.rx || position.tx;
  }

  void read_filter(const Result& filter, const std::string& prefix) {
    if (!filter.type->is(TypeKind::kStruct)) call_.fail("the field .filter is no struct");
    for (const auto& [name, field] : fields_of(filter)) {
      if (name == "fast_mode") continue;
      const bool is_kind = prefix == "kind.";
      if (is_kind && name != "counter" && name != "sparse_counter" && name != "range")
        call_.fail("there is no filter ", text::in_quotes(name));
      if (!is_kind && !is_filter_field(name))
        call_.fail("the field .filter has an unknown field ", text::in_quotes(name));
      if (field.type->is(TypeKind::kStruct) && !field.type->is_tuple) {
        read_filter(field, prefix + name + ".");
      } else {
        made_.filter[prefix + name] = text_of(*field.type, field.value());
      }
    }
  }

  const BuiltinCall& call_;
  ColorConfig made_;
};

}  // namespace

ColorConfig read_color_config(const BuiltinCall& call, const Result& config) {
  return ColorReader(call).read(config);
}

}  // namespace tessera::csl
