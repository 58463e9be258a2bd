#include "frontends/csl/builtins/builtins.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "frontends/csl/builtins/emit.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/sema/foreign_names.h"

namespace tessera::csl {

// Rows

OperandRow takes(Takes takes, std::string_view name) {
  OperandRow row;
  row.takes = takes;
  row.name = name;
  return row;
}

OperandRow integer(std::string_view name, std::int64_t lowest, std::int64_t highest) {
  OperandRow row = takes(Takes::kInteger, name);
  row.lowest = lowest;
  row.highest = highest;
  return row;
}

OperandRow one_of(Takes kind, std::string_view name, std::vector<ChoiceRow> of) {
  OperandRow row = takes(kind, name);
  row.of = std::move(of);
  return row;
}

OperandRow live(OperandRow row) {
  row.may_run = true;
  return row;
}

OperandRow optional(OperandRow row) {
  row.is_optional = true;
  return row;
}

OperandRow repeated(OperandRow row) {
  row.repeats = row.is_optional = true;
  return row;
}

const std::vector<const BuiltinRow*>& all_builtins() {
  static const std::vector<const BuiltinRow*> kAll = [] {
    std::vector<const BuiltinRow*> rows;
    for (const auto* part : {&value_builtins(), &array_builtins(), &program_builtins(),
                             &id_builtins(), &dsd_builtins(), &register_builtins(),
                             &dsd_operation_builtins(), &machine_builtins(), &json_builtins()}) {
      for (const BuiltinRow& row : *part) rows.push_back(&row);
    }
    return rows;
  }();
  return kAll;
}

const BuiltinRow* find_builtin(std::string_view name) {
  static const std::map<std::string_view, const BuiltinRow*> kByName = [] {
    std::map<std::string_view, const BuiltinRow*> rows;
    for (const BuiltinRow* row : all_builtins()) rows.emplace(row->name, row);
    return rows;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? nullptr : found->second;
}

// Calls

namespace {

Where where_of(const BuiltinCall& call) {
  if (call.makes_code()) return kInCode;
  const Site site = call.engine().site();
  return site == Site::kLayout ? kInLayout : site == Site::kTile ? kInTile : kInConstants;
}

void check_place(const BuiltinCall& call) {
  if ((call.row.where & where_of(call)) != 0) return;
  switch (call.row.where) {
  case kInLayout:
    call.fail(Id::kBuiltinPlace, "allowed only in a layout block and in functions that it calls");
  case kInTile:
    call.fail(Id::kBuiltinPlace, "allowed only in a comptime block of the code of a PE");
  case kInCode:
    call.fail(Id::kBuiltinPlace,
              "belongs to code that runs on the PE; here a value is needed that is known at "
              "compile time");
  default:
    call.fail(Id::kBuiltinPlace,
              "allowed only in the code of a PE, in a function or a comptime block");
  }
}

void check_count(const BuiltinCall& call) {
  const std::vector<OperandRow>& operands = call.row.operands;
  const auto fewest = static_cast<std::size_t>(std::count_if(
      operands.begin(), operands.end(), [](const OperandRow& o) { return !o.is_optional; }));
  const bool repeats = !operands.empty() && operands.back().repeats;
  const std::size_t most = repeats ? kMostOperands : operands.size();
  if (call.size() < fewest || call.size() > most)
    call.fail(Id::kBuiltinCount, "takes ", fewest == most ? "" : std::to_string(fewest) + " to ",
              text::plural(most, "argument"), " instead of ", call.size());
}

/// Builtins of our own modules; for others they do not exist.
bool is_hidden(const Evaluator& evaluator, std::string_view name) {
  constexpr std::string_view kPrefix = "tessera_";
  return name.substr(0, kPrefix.size()) == kPrefix &&
         evaluator.frame().instance.file->name().front() != '<';
}

/// What an operand of a row may be, for messages.
std::string wanted(const OperandRow& row, bool is_wse3) {
  std::vector<std::string> names;
  for (const ChoiceRow& type : row.of) {
    if (has(type.machines, is_wse3)) names.push_back(text::in_quotes(type.name));
  }
  if (row.takes == Takes::kTaskId) names.emplace_back("a task");
  if (!names.empty()) return text::alternatives(names);
  switch (row.takes) {
  case Takes::kInteger:
    return "an integer type";
  case Takes::kBool:
    return "'bool'";
  case Takes::kText:
    return "'comptime_string'";
  case Takes::kType:
    return "a type";
  case Takes::kStruct:
    return "a struct";
  case Takes::kFunction:
    return "a function or task";
  case Takes::kDsd:
    return "a descriptor";
  case Takes::kDsr:
    return "a DSR";
  case Takes::kFifo:
    return "a FIFO";
  default:
    return "a value";
  }
}

bool is_among(const OperandRow& row, const Type& type, bool is_wse3) {
  return row.of.empty() || std::any_of(row.of.begin(), row.of.end(), [&](const ChoiceRow& one) {
           return one.name == type.name && has(one.machines, is_wse3);
         });
}

bool fits(const OperandRow& row, const Result& value, bool is_wse3) {
  const Type& type = *value.type;
  switch (row.takes) {
  case Takes::kInteger:
    return type.is_any_integer();
  case Takes::kBool:
    return type.is(TypeKind::kBool);
  case Takes::kText:
    return value.is_known() && value.value().holds<std::string>();
  case Takes::kType:
    return value.is_known() && value.value().holds<const Type*>();
  case Takes::kStruct:
    return type.is(TypeKind::kStruct);
  case Takes::kFunction:
    return value.is_known() && value.value().holds<FunctionValue>();
  case Takes::kHandle:
    return type.is(TypeKind::kHandle) && is_among(row, type, is_wse3);
  case Takes::kTaskId:
    return (type.is(TypeKind::kHandle) && is_among(row, type, is_wse3)) ||
           (value.is_known() && value.value().holds<FunctionValue>() &&
            value.value().get<FunctionValue>().function->is_task);
  case Takes::kDsd:
    return type.is(TypeKind::kDsd) && is_among(row, type, is_wse3);
  case Takes::kDsr:
    return type.is(TypeKind::kDsr) && is_among(row, type, is_wse3);
  case Takes::kFifo:
    return type.is(TypeKind::kFifo);
  default:
    return true;
  }
}

}  // namespace

Result call_builtin(Evaluator& evaluator, const Builtin& node) {
  const BuiltinRow*& row = evaluator.engine().facts(node).row;
  if (row == nullptr) row = find_builtin(node.name);
  if (row == nullptr || is_hidden(evaluator, node.name)) {
    std::vector<std::string> names;
    for (const BuiltinRow* one : all_builtins()) {
      if (!is_hidden(evaluator, one->name)) names.push_back("@" + std::string(one->name));
    }
    const std::string name = "@" + std::string(node.name);
    const std::string advice = advice_on_builtin(node.name);
    evaluator.engine().fail(Id::kUnknownBuiltin, node, "there is no builtin '", name, "'",
                            advice.empty() ? did_you_mean(name, names) : advice);
  }
  const BuiltinCall call(evaluator, node, *row);
  if (row->handler == nullptr) call.fail(Id::kNotTaken, "not taken: ", row->about);
  check_count(call);
  if (!has(row->machines, call.is_wse3()))
    call.fail(Id::kOtherMachine, "only WSE-", call.is_wse3() ? "2" : "3", " has it");
  check_place(call);
  if (row->where != kOfOperands) evaluator.engine().had_effect();
  try {
    return row->handler(call);
  } catch (const ir::NoRegister& error) {
    call.fail(Id::kRegistersTaken, error.what());
  }
}

std::string descriptor_hint(const Type& type) {
  const Type& array = type.is(TypeKind::kPointer) ? *type.element : type;
  if (!array.is(TypeKind::kArray)) return "";
  return text::joined("; elements of an array have a descriptor, as @get_dsd(mem1d_dsd, .{ "
                      ".base_address = &array, .extent = ",
                      array.count(), " })");
}

/// For an id in whose place the program names the task or function itself.
std::string task_hint(const OperandRow& operand, const Type& type) {
  const bool is_id = wanted(operand, true).find("task_id") != std::string::npos;
  return is_id && type.is(TypeKind::kFunction)
             ? "; a task is started by the id that @bind_local_task gives it"
             : "";
}

const OperandRow& BuiltinCall::operand_row(std::size_t i) const {
  return row.operands[std::min(i, row.operands.size() - 1)];
}

void BuiltinCall::check(std::size_t i, const OperandRow& operand, const Result& value) const {
  const bool may_run = operand.may_run && makes_code();
  if (!may_run) engine().known(value, expr(i));
  const bool is_undefined = value.is_known() && value.value().is_undefined();
  if (is_undefined && operand.takes != Takes::kAny)
    fail_operand(Id::kUndefined, i, " is undefined");
  if (!fits(operand, value, is_wse3()))
    fail_operand(Id::kOperandType, i, " is of type ", text::in_quotes(value.type->name),
                 " instead of ", wanted(operand, is_wse3()),
                 operand.takes == Takes::kDsd ? descriptor_hint(*value.type)
                                              : task_hint(operand, *value.type));
  if (operand.takes == Takes::kInteger && operand.lowest < operand.highest)
    check_range(i, value, operand.lowest, operand.highest);
}

void BuiltinCall::check_range(std::size_t i, const Result& value, std::int64_t lowest,
                              std::int64_t highest) const {
  if (!value.is_known()) return;
  const BigInt& number = value.value().integer();
  if (number < lowest || number > highest)
    fail_operand(Id::kOutOfRange, i, " is ", number.str(), ", which is not in ", lowest, "..",
                 highest);
}

Result BuiltinCall::read(std::size_t i) const {
  const OperandRow& operand = operand_row(i);
  if (operand.takes == Takes::kPlace || operand.takes == Takes::kFields)
    throw std::logic_error("@" + std::string(node.name) + " reads an operand that has no value");
  if (operand.takes == Takes::kUnread) {
    const Unreachable here(evaluator);
    return evaluator.operand(expr(i));
  }
  if (operand.takes == Takes::kType) return evaluator.type_result(evaluator.type(expr(i)));
  Result value = evaluator.operand(expr(i));
  check(i, operand, value);
  return value;
}

const Result& BuiltinCall::operand(std::size_t i) const {
  std::optional<Result>& value = read_.at(i);
  if (!value) value = read(i);
  return *value;
}

const Result& BuiltinCall::value(std::size_t i) const {
  const Result& result = operand(i);
  engine().known(result, expr(i));
  return result;
}

std::int64_t BuiltinCall::number(std::size_t i) const {
  return static_cast<std::int64_t>(value(i).value().integer());
}

std::string BuiltinCall::what(std::size_t i) const {
  constexpr std::array<const char*, 5> kOrdinals = {"first", "second", "third", "fourth", "fifth"};
  return std::string("the ") + (i < kOrdinals.size() ? kOrdinals[i] : "last") + " argument of @" +
         std::string(node.name);
}

Result BuiltinCall::structure(std::size_t i) const {
  if (i >= size()) return {types().structure({}, false), make_aggregate({})};
  return operand(i);
}

unsigned task_id(const BuiltinCall& call, std::size_t i) {
  const Value& value = call.value(i).value();
  if (!value.holds<FunctionValue>()) return call.handle(i);
  const FunctionValue& task = value.get<FunctionValue>();
  for (const TaskBinding& binding : call.tile().tasks) {
    if (binding.task.function == task.function && binding.task.instance == task.instance)
      return binding.id;
  }
  call.engine().fail(Id::kNoTask, call.expr(i), text::in_quotes(task.function->name.text),
                     " is not bound to a task id");
}

// Structs

std::optional<Result> field_of(const Result& structure, std::string_view name) {
  const int index = structure.type->find_field(name);
  if (index < 0) return std::nullopt;
  const auto i = static_cast<std::size_t>(index);
  return Result{structure.type->fields[i].type, structure.value().elements()[i]};
}

Fields fields_of(const Result& structure) {
  Fields all;
  for (std::size_t i = 0; i < structure.type->fields.size(); ++i) {
    const Field& field = structure.type->fields[i];
    all.emplace_back(field.name, Result{field.type, structure.value().elements()[i]});
  }
  return all;
}

Fields fields_of(Evaluator& evaluator, const Result& structure, const Node& at) {
  Fields all;
  for (std::size_t i = 0; i < structure.type->fields.size(); ++i)
    all.emplace_back(structure.type->fields[i].name, part_of(evaluator, structure, i, at));
  return all;
}

}  // namespace tessera::csl
