#include "frontends/csl/builtins/builtins.h"

#include "frontends/csl/lower/builtins.h"

#include <algorithm>
#include <array>
#include <map>

namespace tessera::csl {
namespace {

/// Builtins of run-time code only: operations on descriptors, and a few more.
constexpr std::string_view kRunTimeBuiltins[] = {"mov16",
                                                 "mov32",
                                                 "fmovh",
                                                 "fmovs",
                                                 "add16",
                                                 "addc16",
                                                 "and16",
                                                 "or16",
                                                 "xor16",
                                                 "sll16",
                                                 "slr16",
                                                 "sar16",
                                                 "sub16",
                                                 "clz",
                                                 "ctz",
                                                 "popcnt",
                                                 "fadds",
                                                 "fsubs",
                                                 "fmuls",
                                                 "fmaxs",
                                                 "faddh",
                                                 "fsubh",
                                                 "fmulh",
                                                 "fmaxh",
                                                 "faddhs",
                                                 "fnegs",
                                                 "fnegh",
                                                 "fabss",
                                                 "fabsh",
                                                 "fmacs",
                                                 "fmach",
                                                 "fmachs",
                                                 "fh2s",
                                                 "fs2h",
                                                 "xp162fh",
                                                 "xp162fs",
                                                 "fh2xp16",
                                                 "fs2xp16",
                                                 "fnormh",
                                                 "fnorms",
                                                 "fscaleh",
                                                 "fscales",
                                                 "dfilt",
                                                 "map",
                                                 "ptrcast",
                                                 "random16",
                                                 "set_active_prng",
                                                 "queue_flush",
                                                 "set_fifo_read_length",
                                                 "set_fifo_write_length",
                                                 "get_config",
                                                 "get_config_unchecked",
                                                 "get_symbol_value",
                                                 "get_tensor_ptr"};

/// Documented builtins that are not taken, and why.
constexpr std::pair<std::string_view, std::string_view> kNotTaken[] = {
    {"rpc", "the host launches exported functions without a server task"},
    {"export", "there are no object files; 'export var' gives a variable a name for the host"}};

const BuiltinRow* find_row(std::string_view name) {
  static const std::map<std::string_view, const BuiltinRow*> kRows = [] {
    std::map<std::string_view, const BuiltinRow*> rows;
    for (const auto* part : {&value_builtins(), &array_builtins(), &program_builtins(),
                             &id_builtins(), &dsd_builtins(), &json_builtins()}) {
      for (const BuiltinRow& row : *part) rows.emplace(row.name, &row);
    }
    return rows;
  }();
  const auto found = kRows.find(name);
  return found == kRows.end() ? nullptr : found->second;
}

template <std::size_t N>
bool is_among(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void check_site(const BuiltinCall& call, Where where) {
  const Site site = call.engine().site();
  if (where == Where::kLayout && site != Site::kLayout)
    call.fail("allowed only in a layout block and in functions that it calls");
  if (where == Where::kTile && site != Site::kTile)
    call.fail("allowed only in a comptime block of the code of a PE");
}

}  // namespace

Result call_builtin(Evaluator& evaluator, const Builtin& node) {
  if (evaluator.frame().code != nullptr) {
    if (std::optional<Result> made = run_time_builtin(evaluator, node)) return *std::move(made);
  }
  const BuiltinCall call(evaluator, node);
  const BuiltinRow* row = find_row(node.name);
  if (row == nullptr && is_among(node.name, kRunTimeBuiltins))
    call.fail("belongs to code that runs on the PE; here a value is needed that is known at "
              "compile time");
  for (const auto& [name, reason] : kNotTaken) {
    if (name == node.name) call.fail("not taken: ", reason);
  }
  if (row == nullptr) call.engine().fail(node, "there is no builtin '@", node.name, "'");
  if (call.size() < row->fewest || call.size() > row->most)
    call.fail("takes ", row->fewest == row->most ? "" : std::to_string(row->fewest) + " to ",
              text::plural(row->most, "argument"), " instead of ", call.size());
  check_site(call, row->where);
  try {
    return row->handler(call);
  } catch (const std::bad_variant_access&) {  // the handlers look at types only
    call.fail("a value that it needs is undefined");
  }
}

std::string BuiltinCall::what(std::size_t i) const {
  constexpr std::array<const char*, 5> kOrdinals = {"first", "second", "third", "fourth", "fifth"};
  return std::string("the ") + (i < kOrdinals.size() ? kOrdinals[i] : "last") + " argument of @" +
         std::string(node.name);
}

std::string BuiltinCall::text(std::size_t i) const {
  const Result result = value(i);
  if (!result.value().holds<std::string>())
    engine().fail(expr(i), what(i), " is of type ", text::in_quotes(result.type->name),
                  " instead of 'comptime_string'");
  return result.value().text();
}

Result BuiltinCall::structure(std::size_t i) const {
  if (i >= size()) return {types().structure({}, false), make_aggregate({})};
  Result result = value(i);
  if (!result.type->is(TypeKind::kStruct))
    engine().fail(expr(i), what(i), " is of type ", text::in_quotes(result.type->name),
                  " instead of a struct");
  return result;
}

unsigned BuiltinCall::handle(std::size_t i, const std::vector<std::string_view>& allowed) const {
  const Result result = value(i);
  std::vector<std::string> names;
  for (const std::string_view name : allowed) {
    if (result.type->is_handle(name)) return static_cast<unsigned>(result.value().integer());
    names.push_back(text::in_quotes(name));
  }
  engine().fail(expr(i), what(i), " is of type ", text::in_quotes(result.type->name),
                " instead of ", text::alternatives(names));
}

FunctionValue BuiltinCall::function(std::size_t i) const {
  const Result result = value(i);
  if (!result.value().holds<FunctionValue>())
    engine().fail(expr(i), what(i), " is of type ", text::in_quotes(result.type->name),
                  " instead of a function or task");
  return result.value().get<FunctionValue>();
}

std::optional<Result> field_of(const Result& structure, std::string_view name) {
  const int index = structure.type->find_field(name);
  if (index < 0) return std::nullopt;
  const auto i = static_cast<std::size_t>(index);
  return Result{structure.type->fields[i].type, structure.value().elements()[i]};
}

std::vector<std::pair<std::string, Result>> fields_of(const Result& structure) {
  std::vector<std::pair<std::string, Result>> all;
  for (std::size_t i = 0; i < structure.type->fields.size(); ++i) {
    const Field& field = structure.type->fields[i];
    all.emplace_back(field.name, Result{field.type, structure.value().elements()[i]});
  }
  return all;
}

}  // namespace tessera::csl
