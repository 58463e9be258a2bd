// The builtin functions of CSL that work at compile time (csl.md 7).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {

/// A call of a builtin, for its handler.
class BuiltinCall {
 public:
  BuiltinCall(Evaluator& caller, const Builtin& call) : evaluator(caller), node(call) {}

  Evaluator& evaluator;
  const Builtin& node;

  Engine& engine() const { return evaluator.engine(); }
  Types& types() const { return engine().types; }
  std::size_t size() const { return node.arguments.size(); }
  const Expr& expr(std::size_t i) const { return *node.arguments[i]; }
  Result value(std::size_t i) const { return evaluator.value(expr(i)); }
  const Type* type(std::size_t i) const { return evaluator.type(expr(i)); }
  /// "the first argument of @get_color".
  std::string what(std::size_t i) const;
  std::int64_t integer(std::size_t i, std::int64_t lowest, std::int64_t highest) const {
    return evaluator.integer(expr(i), lowest, highest, what(i));
  }
  std::string text(std::size_t i) const;
  /// A struct; an empty one if the argument is missing.
  Result structure(std::size_t i) const;
  /// The number of a handle of one of some types.
  unsigned handle(std::size_t i, const std::vector<std::string_view>& allowed) const;
  FunctionValue function(std::size_t i) const;
  Result number(const char* type, std::int64_t value) const {
    return {types().word(type), Value{BigInt(value)}};
  }
  Result boolean(bool value) const { return {types().bool_type, Value{value}}; }
  Result nothing() const { return evaluator.void_result(); }
  Tile& tile() const { return *engine().tile(); }
  bool is_wse3() const { return engine().options.arch == "wse3"; }
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... problem) const {
    engine().fail(node, "@", std::string(node.name), ": ", problem...);
  }
};

/// Where a builtin is allowed.
enum class Where : std::uint8_t {
  kAnywhere,
  kLayout,
  kTile,     ///< comptime blocks of a tile, and functions that they call
  kRunTime,  ///< only in code that runs on the tile
};

struct BuiltinRow {
  std::string_view name;
  Where where;
  std::size_t fewest;  ///< arguments
  std::size_t most;
  Result (*handler)(const BuiltinCall&);
};

// The rows of each file.
const std::vector<BuiltinRow>& value_builtins();
const std::vector<BuiltinRow>& array_builtins();
const std::vector<BuiltinRow>& program_builtins();
const std::vector<BuiltinRow>& id_builtins();
const std::vector<BuiltinRow>& dsd_builtins();
const std::vector<BuiltinRow>& json_builtins();

Result call_builtin(Evaluator& evaluator, const Builtin& node);

/// The field of a struct; nothing if it has none of that name.
std::optional<Result> field_of(const Result& structure, std::string_view name);
/// The fields of a struct in their order.
std::vector<std::pair<std::string, Result>> fields_of(const Result& structure);
/// Fails if a descriptor of this kind has no such field or the field is of another type.
void check_dsd_field(const BuiltinCall& call, const Type& kind, const std::string& name,
                     const Result& value);
/// The DSRs that `@load_to_dsr`, `@load_to_dsr_xdsr` or `@load_to_dsr_xdsr_sr` names.
DsrLoad named_dsrs(const BuiltinCall& call);
/// The number of the argument of these that is the descriptor; its options follow.
std::size_t dsd_argument(const BuiltinCall& call);
/// Fails if the builtin does not load descriptors of this kind.
void check_loaded_kind(const BuiltinCall& call, const std::string& kind);
/// Reads the configuration of a color (csl.md 10).
ColorConfig read_color_config(const BuiltinCall& call, const Result& config);

}  // namespace tessera::csl
