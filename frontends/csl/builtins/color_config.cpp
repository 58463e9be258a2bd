// Reads the configuration of a color (csl.md 10, wse.md 1.3).
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "frontends/csl/builtins/builtins.h"

namespace tessera::csl {
namespace {

constexpr std::string_view kFilterKinds[] = {"counter", "sparse_counter", "range"};

/// A field of filters, and the kinds that have it, one bit each in the order of kFilterKinds (wse.md 1.7).
struct FilterField {
  std::string_view name;
  unsigned kinds;
  std::int64_t highest;  ///< 0: true or false
};
constexpr std::int64_t kHighestCount = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kHighestIndex = std::numeric_limits<std::uint16_t>::max();
constexpr FilterField kFilterFields[] = {{"count_data", 3, 0},
                                         {"count_control", 3, 0},
                                         {"filter_control", 1, 0},
                                         {"init_counter", 3, kHighestCount},
                                         {"limit1", 3, kHighestCount},
                                         {"limit2", 2, kHighestCount},
                                         {"max_counter", 3, kHighestCount},
                                         {"min_idx", 4, kHighestIndex},
                                         {"max_idx", 4, kHighestIndex}};

class ColorReader {
 public:
  explicit ColorReader(const BuiltinCall& call) : call_(call) {}

  ColorConfig read(const Result& config) {
    const Result* base = &config;
    std::optional<Result> routes = field_of(config, "routes");
    if (!routes && config.type->find_field("rx") < 0 && config.type->find_field("tx") < 0)
      call_.fail(Id::kColorField, "the configuration has no field .routes");
    if (!routes)
      call_.engine().warn(Id::kRoutesField, call_.node,
                          ".rx and .tx belong into the field .routes");
    if (routes) base = &*routes;
    read_routes(*base, routes.has_value());
    for (const auto& [name, field] : fields_of(config)) {
      if (name == "switches") {
        read_switches(field);
      } else if (name == "filter") {
        read_filter(field);
      } else if (name == "teardown") {
        made_.teardown = boolean(field, name);
      } else if (!routes && (name == "rx" || name == "tx" || read_switch_field(name, field))) {
        continue;
      } else if (name != "routes") {
        call_.fail(Id::kColorField, "the configuration has an unknown field ",
                   text::in_quotes(name));
      }
    }
    for (unsigned i = 0; i < made_.current_position; ++i) {
      if (!made_.positions[i].is_valid)
        call_.fail(Id::kSwitchPosition, "the switch cannot start in position ",
                   made_.current_position, ": .pos", i + 1, " is not given");
    }
    made_.at = &call_.node;
    return made_;
  }

 private:
  bool boolean(const Result& field, const std::string& name) const {
    if (!field.value().holds<bool>())
      call_.fail(Id::kColorField, "the field .", name, " is no bool");
    return field.value().get<bool>();
  }

  std::int64_t integer(const Result& field, std::int64_t highest, const std::string& name) const {
    if (!field.type->is_any_integer() || field.value().is_undefined() ||
        field.value().integer() < 0 || field.value().integer() > highest)
      call_.fail(Id::kOutOfRange, "the field .", name, " is not a number in 0..", highest);
    return static_cast<std::int64_t>(field.value().integer());
  }

  /// A direction, or a list of them.
  Directions directions(const Result& field, const std::string& name) const {
    if (field.value().is_undefined())
      call_.fail(Id::kUndefined, "the field .", name, " is undefined");
    if (field.type->is(TypeKind::kDirection))
      return static_cast<Directions>(1U << static_cast<unsigned>(field.value().integer()));
    const bool is_array =
        field.type->is(TypeKind::kArray) && field.type->element->is(TypeKind::kDirection);
    const bool is_list = is_array || (field.type->is(TypeKind::kStruct) &&
                                      (field.type->is_tuple || field.type->fields.empty()));
    if (!is_list)
      call_.fail(Id::kRoute, "the field .", name, " is no direction and no list of directions");
    Directions all = 0;
    for (std::size_t i = 0; i < field.value().elements().size(); ++i) {
      const Type* type = is_array ? field.type->element : field.type->fields[i].type;
      const Directions one = directions({type, field.value().elements()[i]}, name);
      if ((all & one) != 0) call_.fail(Id::kRoute, "the field .", name, " has a direction twice");
      all = static_cast<Directions>(all | one);
    }
    return all;
  }

  /// wse.md 1.3: inputs merge on WSE-2 only.
  Directions inputs(const Result& field) const {
    const Directions all = directions(field, "rx");
    if ((all & (all - 1)) != 0 && call_.is_wse3())
      call_.fail(Id::kRoute,
                 "the field .rx has several directions; a color of WSE-3 receives from one");
    return all;
  }

  bool swaps(const Result& field, const std::string& name) const {
    const bool is_on = boolean(field, name);
    if (is_on && call_.is_wse3())
      call_.fail(Id::kOtherMachine, "the field .", name,
                 " is one of WSE-2 only; WSE-3 swaps no colors");
    return is_on;
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
        made_.rx = inputs(field);
      } else if (name == "tx") {
        made_.tx = directions(field, name);
      } else if (name == "color_swap_x") {
        made_.swap_x = swaps(field, name);
      } else if (name == "color_swap_y") {
        made_.swap_y = swaps(field, name);
      } else if (name == "pop_mode") {
        read_pop_mode(field);
      } else if (name == "p2p") {
        call_.engine().remark(call_.node, "the field .p2p of SDK 0.5 has no effect: a route "
                                          "leads wherever its directions say");
      } else if (is_own) {
        call_.fail(Id::kColorField, "the field .routes has an unknown field ",
                   text::in_quotes(name));
      }
    }
  }

  void read_pop_mode(const Result& mode) {
    for (const auto& [name, field] : fields_of(mode)) {
      const bool is_known = name == "no_pop" || name == "always_pop" || name == "pop_on_advance" ||
                            name == "pop_on_advance_nop";
      if (!is_known)
        call_.fail(Id::kSwitchPosition, "there is no pop mode ", text::in_quotes(name));
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
    if (!switches.type->is(TypeKind::kStruct))
      call_.fail(Id::kColorField, "the field .switches is no struct");
    for (const auto& [name, field] : fields_of(switches)) {
      if (!read_switch_field(name, field))
        call_.fail(Id::kColorField, "the field .switches has an unknown field ",
                   text::in_quotes(name));
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
    if (!field.type->is(TypeKind::kStruct))
      call_.fail(Id::kColorField, "the field .", name, " is no struct");
    for (const auto& [side, value] : fields_of(field)) {
      if (side == "invalid") {
        if (boolean(value, side)) return;
      } else if (side == "rx") {
        position.rx = directions(value, side);
      } else if (side == "tx") {
        position.tx = directions(value, side);
      } else {
        call_.fail(Id::kColorField, "the field .", name, " has an unknown field ",
                   text::in_quotes(side));
      }
    }
    if (position.rx && position.tx && !call_.is_wse3())
      call_.fail(Id::kSwitchPosition, "the field .", name,
                 " sets .rx and .tx; a switch position of WSE-2 changes one of them");
    position.is_valid = position.rx || position.tx;
  }

  void read_filter(const Result& filter) {
    if (!filter.type->is(TypeKind::kStruct))
      call_.fail(Id::kColorField, "the field .filter is no struct");
    const std::optional<Result> kinds = field_of(filter, "kind");
    const unsigned kind = kinds ? filter_kind(*kinds) : std::size(kFilterKinds);
    if (kind == std::size(kFilterKinds))
      call_.fail(Id::kFilter, "a filter has one kind: .counter, .sparse_counter or .range");
    made_.filter["kind." + std::string(kFilterKinds[kind])] = "true";
    std::map<std::string, std::int64_t> numbers;
    for (const auto& [name, field] : fields_of(filter)) {
      if (name == "kind" || name == "fast_mode") continue;
      const auto known = std::find_if(std::begin(kFilterFields), std::end(kFilterFields),
                                      [&name = name](const auto& f) { return f.name == name; });
      if (known == std::end(kFilterFields))
        call_.fail(Id::kColorField, "the field .filter has an unknown field ",
                   text::in_quotes(name));
      std::int64_t& number = numbers[name];
      number = known->highest == 0 ? static_cast<std::int64_t>(boolean(field, name))
                                   : integer(field, known->highest, name);
      if ((known->kinds >> kind & 1U) == 0 && number != 0)
        call_.fail(Id::kFilter, "a filter of the kind .", kFilterKinds[kind], " has no field .",
                   name);
      made_.filter[name] = text_of(*field.type, field.value());
    }
    const bool counts = numbers["count_data"] != 0 || numbers["count_control"] != 0;
    if (counts && numbers["init_counter"] > numbers["limit1"])
      call_.fail(Id::kFilter, "the counter of the filter runs from .init_counter to .limit1, and ",
                 numbers["init_counter"], " is above ", numbers["limit1"]);
  }

  /// The one that is true; the number after the last kind: none is.
  unsigned filter_kind(const Result& kinds) const {
    if (!kinds.type->is(TypeKind::kStruct))
      call_.fail(Id::kColorField, "the field .kind is no struct");
    unsigned found = std::size(kFilterKinds);
    for (const auto& [name, field] : fields_of(kinds)) {
      const auto kind = std::find(std::begin(kFilterKinds), std::end(kFilterKinds), name);
      if (kind == std::end(kFilterKinds))
        call_.fail(Id::kFilter, "there is no filter ", text::in_quotes(name));
      if (!boolean(field, name)) continue;
      if (found != std::size(kFilterKinds))
        call_.fail(Id::kFilter, "a filter has one kind, and this one has .", kFilterKinds[found],
                   " and .", name);
      found = static_cast<unsigned>(kind - std::begin(kFilterKinds));
    }
    return found;
  }

  const BuiltinCall& call_;
  ColorConfig made_;
};

}  // namespace

ColorConfig read_color_config(const BuiltinCall& call, const Result& config) {
  return ColorReader(call).read(config);
}

}  // namespace tessera::csl
