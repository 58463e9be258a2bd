// Builtins of layouts, and those that name symbols for the host (csl.md 7.1).
#include <algorithm>

#include "frontends/csl/builtins/builtins.h"
#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::csl {
namespace {

constexpr std::int64_t kLargest = 4096;  // PEs in a row or column of a fabric
constexpr std::int64_t kColors = 24;

/// The PE that the first two arguments name.
Pe& pe_of(const BuiltinCall& call) {
  Program& program = call.engine().program();
  if (program.width == 0) call.fail(Id::kRectangle, "the layout has not called @set_rectangle yet");
  call.check_range(0, call.value(0), 0, program.width - 1);
  call.check_range(1, call.value(1), 0, program.height - 1);
  return program.at(static_cast<unsigned>(call.number(0)), static_cast<unsigned>(call.number(1)));
}

unsigned color_of(const BuiltinCall& call, std::size_t i) {
  const unsigned color = call.handle(i);
  if (color >= kColors)
    call.fail(Id::kOutOfRange, "the color ", color, " is not in 0..", kColors - 1);
  return color;
}

Result set_rectangle(const BuiltinCall& call) {
  Program& program = call.engine().program();
  if (program.width != 0) call.fail(Id::kSetTwice, "the layout calls it twice");
  // Both are read before one is kept: the layout is evaluated on after a mistake.
  const auto width = static_cast<unsigned>(call.number(0));
  const auto height = static_cast<unsigned>(call.number(1));
  program.width = width;
  program.height = height;
  program.pes.resize(std::size_t{program.width} * program.height);
  return call.nothing();
}

Result set_tile_code(const BuiltinCall& call) {
  Pe& pe = pe_of(call);
  if (pe.variant >= 0) call.fail(Id::kSetTwice, "this PE has its code already");
  const Instance& here = call.evaluator.frame().instance;
  const std::string& path = call.size() < 3
                                ? here.file->name()
                                : call.engine().resolved(call.text(2), here, call.expr(2));
  pe.variant = call.engine().variant(path, call.structure(3), call.node);
  call.engine().begins_part();
  return call.nothing();
}

Result set_color_config(const BuiltinCall& call) {
  Pe& pe = pe_of(call);
  const unsigned color = color_of(call, 2);
  if (!pe.colors.emplace(color, read_color_config(call, call.structure(3))).second)
    call.fail(Id::kSetTwice, "the color ", color, " of this PE is configured twice");
  call.engine().begins_part();
  return call.nothing();
}

Result configure_locally(const BuiltinCall& call, ColorConfig config) {
  const unsigned color = color_of(call, 0);
  if (!call.tile().colors.emplace(color, std::move(config)).second)
    call.fail(Id::kSetTwice, "the color ", color, " of this PE is configured twice");
  const Program& program = call.engine().program();
  for (const std::uint32_t pe : call.engine().variant().pes) {
    if (program.pes[pe].colors.count(color) != 0)
      call.fail(Id::kSetTwice, "the layout has configured the color ", color,
                " of a PE with this code");
  }
  return call.nothing();
}

Result set_local_color_config(const BuiltinCall& call) {
  return configure_locally(call, read_color_config(call, call.structure(1)));
}

/// Messages may come from all sides and go to all, as their headers say.
Result carry_messages(const BuiltinCall& call) {
  constexpr Directions kAll = (1U << kDirectionCount) - 1;
  ColorConfig config;
  config.rx = config.tx = kAll;
  config.messages = true;
  config.at = &call.node;
  return configure_locally(call, std::move(config));
}

Result extents(const BuiltinCall& call, std::pair<unsigned, unsigned> size) {
  const Type* u16 = call.types().word("u16");
  return {call.types().structure({{"width", u16}, {"height", u16}}, false),
          make_aggregate({Value{BigInt(size.first)}, Value{BigInt(size.second)}})};
}

Result get_rectangle(const BuiltinCall& call) {
  const Program& program = call.engine().program();
  if (program.width == 0) call.fail(Id::kRectangle, "the layout has not called @set_rectangle yet");
  const Options& options = call.engine().options;
  const Result own = extents(call, {program.width, program.height});
  const std::pair<unsigned, unsigned> least{options.offsets.first + program.width,
                                            options.offsets.second + program.height};
  const Result fabric = extents(call, options.fabric.first != 0 ? options.fabric : least);
  const Result offsets = extents(call, options.offsets);
  std::vector<Field> fields = own.type->fields;
  fields.push_back({"fabric", fabric.type});
  fields.push_back({"offsets", offsets.type});
  return {call.types().structure(std::move(fields), false),
          make_aggregate({own.value().elements()[0], own.value().elements()[1], fabric.value(),
                          offsets.value()})};
}

Result import_module(const BuiltinCall& call) {
  if (call.evaluator.frame().function != nullptr)
    call.fail(Id::kBuiltinPlace,
              "a module is imported by a constant of the file, not by a function");
  const std::string path = call.text(0);
  Recorder* const recorder = call.engine().recorder();
  Recorder::Part part(recorder);
  const Result parameters = call.structure(1);
  if (recorder != nullptr) {
    const AnswersRef made_of = part.take();
    if (call.size() > 1) recorder->add_parameters(call.expr(1), parameters, made_of);
  }
  Instance* instance =
      call.engine().import(call.evaluator.frame().instance, path, parameters, call.node);
  return {call.types().module, Value{instance}};
}

ExportedName* find_name(Program& program, const std::string& name) {
  const auto found = std::find_if(program.exports.begin(), program.exports.end(),
                                  [&](const ExportedName& e) { return e.name == name; });
  return found == program.exports.end() ? nullptr : &*found;
}

/// A function that the host launches gets numbers (csl.md 5). The host ignores a result.
void check_launched(const BuiltinCall& call, const ExportedName& name) {
  if (name.type->element->is_aggregate())
    call.fail(Id::kExportType, "the host gets no result of ", text::in_quotes(name.name),
              "; its type has ", text::in_quotes(name.type->element->name), " instead of 'void'");
  for (const Type* parameter : name.type->parameters) {
    if (parameter->is_aggregate())
      call.fail(Id::kExportType, "the host launches ", text::in_quotes(name.name),
                " with numbers, and a parameter is of type ", text::in_quotes(parameter->name));
  }
}

/// Integers that the host can copy: of whole bytes, as NumPy has them.
void check_data(const BuiltinCall& call, const ExportedName& name) {
  const Type& element = *name.type->element;
  const bool is_odd = element.is(TypeKind::kInteger) && element.bits != 8 && element.bits != 16 &&
                      element.bits != 32 && element.bits != 64;
  if (is_odd || part_for_compiler(element) != nullptr)
    call.fail(Id::kExportType, "the host cannot copy elements of type ",
              text::in_quotes(element.name), " of ", text::in_quotes(name.name));
}

/// Code finds such a variable by its number (`@get_symbol_value`); the host copies nothing to or from it.
bool is_exported_scalar(const Type& type) {
  switch (type.kind) {
  case TypeKind::kInteger:
  case TypeKind::kFloat:
  case TypeKind::kBool:
  case TypeKind::kHandle:
    return part_for_compiler(type) == nullptr;
  default:
    return false;
  }
}

[[noreturn]] void fail_unknown_export(const BuiltinCall& call, const std::string& name) {
  if (call.engine().mistakes.has_any()) throw FollowUp();  // the declaration may have one
  call.fail(Id::kExportName, "the layout declares no name ", text::in_quotes(name),
            " with @export_name");
}

Result export_name(const BuiltinCall& call) {
  ExportedName made;
  made.name = call.text(0);
  made.type = call.type(1);
  made.has_mutability = call.size() > 2;
  made.is_mutable = made.has_mutability && call.boolean(2);
  Program& program = call.engine().program();
  if (const ExportedName* other = find_name(program, made.name)) {
    if (other->type != made.type || other->is_mutable != made.is_mutable)
      call.fail(Id::kExportName, "the name ", text::in_quotes(made.name),
                " is declared twice, with different types or mutability");
    return call.nothing();
  }
  const bool is_scalar = is_exported_scalar(*made.type);
  if (!made.type->is(TypeKind::kFunction) && !made.type->is(TypeKind::kPointer) && !is_scalar)
    call.fail(Id::kExportType, "the type of ", text::in_quotes(made.name), " is ",
              text::in_quotes(made.type->name), " instead of a pointer, a function or a number");
  constexpr std::size_t kMostParameters = 15;
  if (made.type->is(TypeKind::kFunction) && made.type->parameters.size() > kMostParameters)
    call.fail(Id::kExportType, "a function that the host launches has at most ", kMostParameters,
              " parameters");
  if (made.type->is(TypeKind::kFunction))
    check_launched(call, made);
  else if (!is_scalar)
    check_data(call, made);
  if (!made.type->is(TypeKind::kFunction) && !made.has_mutability)
    call.fail(Id::kExportType,
              "data needs a third argument, which says whether the host may change it");
  program.exports.push_back(std::move(made));
  return call.nothing();
}

std::string own_name(const BuiltinCall& call) {
  const Expr& e = call.expr(0);
  if (const NameExpr* name = if_is<NameExpr>(e)) return std::string(name->name);
  if (const Member* member = if_is<Member>(e)) return std::string(member->name.text);
  call.fail(Id::kExportName, "the symbol needs a name as second argument");
}

Result export_symbol(const BuiltinCall& call) {
  ExportedSymbol symbol;
  symbol.at = &call.node;
  symbol.name = call.size() > 1 ? call.text(1) : own_name(call);
  const ExportedName* name = find_name(call.engine().program(), symbol.name);
  if (name == nullptr) fail_unknown_export(call, symbol.name);
  const Result& operand = call.operand(0);
  symbol.type = operand.type;
  if (operand.is_known() && operand.value().holds<FunctionValue>()) {
    symbol.function = operand.value().get<FunctionValue>();
  } else {
    const std::optional<Location> location = call.evaluator.locate(call.expr(0));
    if (!location || !location->path.empty())
      call.fail(Id::kExportName, "only variables and functions can be exported");
    symbol.variable = location->cell;
  }
  std::string problem;
  const bool fits = symbol.type == name->type ||
                    (symbol.type->is(TypeKind::kPointer) && name->type->is(TypeKind::kPointer) &&
                     symbol.type->element == name->type->element);
  if (!fits)
    call.fail(Id::kExportName, text::in_quotes(symbol.name), " is of type ",
              text::in_quotes(symbol.type->name), ", and @export_name declares ",
              text::in_quotes(name->type->name));
  call.tile().exports.push_back(std::move(symbol));
  return call.nothing();
}

/// SDK 0.7 to 1.0 name the server of launches with it, which does not exist here.
Result rpc(const BuiltinCall& call) {
  call.engine().remark(call.node,
                       "@rpc has no effect: the host launches exported functions without a server "
                       "task");
  return call.nothing();
}

/// The name by which the host knows a symbol, or that text itself.
std::string symbol_name(const BuiltinCall& call) {
  const Result& given = call.operand(0);
  if (given.is_known() && given.type->is(TypeKind::kString)) return given.value().text();
  const bool is_function = given.is_known() && given.value().holds<FunctionValue>();
  const std::optional<Location> location =
      is_function ? std::nullopt : call.evaluator.locate(call.expr(0));
  if (call.engine().tile() == nullptr) call.fail(Id::kBuiltinPlace, "the layout knows names only");
  for (const ExportedSymbol& symbol : call.tile().exports) {
    const bool is_it =
        is_function ? symbol.function.function == call.function(0).function &&
                          symbol.function.instance == call.function(0).instance
                    : location && location->path.empty() && symbol.variable == location->cell;
    if (is_it) return symbol.name;
  }
  call.fail(Id::kExportName, "the argument is no symbol that @export_symbol names");
}

Result get_symbol_id(const BuiltinCall& call) {
  const Program& program = call.engine().program();
  const std::string name = symbol_name(call);
  for (std::size_t i = 0; i < program.exports.size(); ++i) {
    if (program.exports[i].name == name)
      return call.number_result("u16", static_cast<std::int64_t>(i));
  }
  fail_unknown_export(call, name);
}

/// Empty where no constant holds the module.
Result constant_name(const BuiltinCall& call) {
  return {call.types().string, Value{call.evaluator.frame().instance.constant_name()}};
}

/// The rank of the color among those of the PE that have a filter (wse.md 1.7).
Result get_filter_id(const BuiltinCall& call) {
  const unsigned color = color_of(call, 0);
  const Program& program = call.engine().program();
  if (call.engine().tile() == nullptr)
    call.fail(Id::kBuiltinPlace, "allowed only in the code of a PE");
  call.engine().cannot_share();  // the code may configure colors too
  std::optional<std::int64_t> id;
  for (const std::uint32_t pe : call.engine().variant().pes) {
    std::map<unsigned, ColorConfig> colors = program.pes[pe].colors;
    colors.insert(call.tile().colors.begin(), call.tile().colors.end());
    if (colors.count(color) == 0 || colors[color].filter.empty())
      call.fail(Id::kFilter, "the color ", color, " has no filter on a PE with this code");
    const auto rank = std::count_if(colors.begin(), colors.find(color),
                                    [](const auto& other) { return !other.second.filter.empty(); });
    if (id && *id != rank)
      call.fail(Id::kFilter, "the color ", color,
                " has filters of different numbers on PEs with this code");
    id = rank;
  }
  return call.number_result("u16", id.value_or(0));
}

Result has_exported_tensors(const BuiltinCall& call) {
  const Program& program = call.engine().program();
  return call.bool_result(
      std::any_of(program.exports.begin(), program.exports.end(),
                  [](const ExportedName& e) { return !e.type->is(TypeKind::kFunction); }));
}

}  // namespace

const std::vector<BuiltinRow>& program_builtins() {
  const OperandRow x = integer("x", 0, kLargest), y = integer("y", 0, kLargest),
                   color = one_of(Takes::kHandle, "color", {{"color"}}),
                   configuration = takes(Takes::kStruct, "configuration"),
                   parameters = optional(takes(Takes::kStruct, "parameters")),
                   name = takes(Takes::kText, "name");
  static const std::vector<BuiltinRow> kRows = {
      {"set_rectangle",
       kInLayout,
       {integer("width", 1, kLargest), integer("height", 1, kLargest)},
       set_rectangle,
       "the size of the program in PEs"},
      {"set_tile_code",
       kInLayout,
       {x, y, optional(takes(Takes::kText, "file")), parameters},
       set_tile_code,
       "the code of a PE"},
      {"set_color_config",
       kInLayout,
       {x, y, color, configuration},
       set_color_config,
       "routes, switches and filter of a color of a PE"},
      {"set_local_color_config",
       kInTile,
       {color, configuration},
       set_local_color_config,
       "the same in the code of the PE"},
      {"tessera_carry_messages",
       kInTile,
       {color},
       carry_messages,
       "the color carries the messages of <message_passing>"},
      {"get_rectangle", kOfOperands, {}, get_rectangle, "the size of program and fabric"},
      {"import_module",
       kAnywhere,
       {takes(Takes::kText, "file"), parameters},
       import_module,
       "a module, or \"<name>\" of the library"},
      {"export_name",
       kInLayout,
       {name, takes(Takes::kType, "type"), optional(takes(Takes::kBool, "is mutable"))},
       export_name,
       "a name that the host knows"},
      {"export_symbol",
       kInTile,
       {takes(Takes::kUnread, "symbol"), optional(name)},
       export_symbol,
       "the variable or function of such a name"},
      {"get_symbol_id",
       kAnywhere,
       {takes(Takes::kUnread, "symbol: an exported one, or its name")},
       get_symbol_id,
       "the number that it has for the host"},
      {"has_exported_tensors",
       kAnywhere,
       {},
       has_exported_tensors,
       "whether the host sees variables"},
      {"get_filter_id", kAnywhere, {color}, get_filter_id, "the number of the filter of a color"},
      {"tessera_constant_name",
       kAnywhere,
       {},
       constant_name,
       "the constant that holds the module of this call"},
      {"rpc",
       kInTile,
       {takes(Takes::kAny, "server")},
       rpc,
       "no effect; until SDK 1.0 the task that takes launches"}};
  return kRows;
}

}  // namespace tessera::csl
