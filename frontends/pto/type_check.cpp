#include "frontends/pto/type_check.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "frontends/pto/operations.h"
#include "frontends/pto/printer.h"
#include "frontends/pto/use_types.h"
#include "frontends/pto/words.h"

namespace tessera::pto {

namespace {

enum class Class : std::uint8_t { kAny, kBool, kIndex, kI64, kInteger, kWhole, kReal };

const char* name_of(Class c) {
  constexpr const char* kNames[] = {
      "any type",     "i1", "index", "i64", "i1 to i64", "a whole number (i1 to i64, index)",
      "a real number"};
  return kNames[static_cast<unsigned>(c)];
}

Type scalar_type(const std::string& element) {
  Type type;
  type.element = element;
  return type;
}

bool is_in(Class c, const Type& type) {
  const std::string& e = type.element;
  if (c == Class::kAny || e.empty()) return true;
  if (type.kind != Type::Kind::kScalar) return false;
  const bool real = e.find('f') != std::string::npos;
  switch (c) {
  case Class::kBool:
    return e == "i1";
  case Class::kIndex:
    return e == "index";
  case Class::kI64:
    return e == "i64";
  case Class::kInteger:
    return !real && e != "index";
  case Class::kWhole:
    return !real;
  default:
    return real;
  }
}

/// What an operation on scalars takes and gives.
struct Rule {
  std::string_view name;  ///< "": all operations with the meaning
  Meaning meaning;
  Class from, to;
  int widens;  ///< 1: the result has more bits, -1: fewer
};
constexpr Rule kRules[] = {
    {"", Meaning::kArithmetic, Class::kWhole, Class::kWhole, 0},
    {"", Meaning::kCompare, Class::kWhole, Class::kBool, 0},
    {"arith.extsi", Meaning::kCast, Class::kInteger, Class::kInteger, 1},
    {"arith.extui", Meaning::kCast, Class::kInteger, Class::kInteger, 1},
    {"arith.trunci", Meaning::kCast, Class::kInteger, Class::kInteger, -1},
    {"arith.index_cast", Meaning::kCast, Class::kWhole, Class::kWhole, 0},
    {"arith.index_castui", Meaning::kCast, Class::kWhole, Class::kWhole, 0},
    {"arith.fptosi", Meaning::kConvertScalar, Class::kReal, Class::kInteger, 0},
    {"arith.fptoui", Meaning::kConvertScalar, Class::kReal, Class::kInteger, 0},
    {"arith.sitofp", Meaning::kConvertScalar, Class::kInteger, Class::kReal, 0},
    {"arith.uitofp", Meaning::kConvertScalar, Class::kInteger, Class::kReal, 0},
};

const Rule* rule_of(const Operation& op, const OperationInfo& info) {
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) {
    return r.meaning == info.meaning && (r.name.empty() || r.name == op.name);
  });
  return rule == std::end(kRules) ? nullptr : rule;
}

/// What an argument has to be because of its place in the operation.
Class class_of(const Operation& op, const OperationInfo& info, std::size_t n) {
  const Role role = op.arguments[n].role;
  switch (role) {
  case Role::kAddress:
    return Class::kI64;
  case Role::kValidRow:
  case Role::kValidColumn:
  case Role::kShape:
  case Role::kStride:
  case Role::kOffset:
  case Role::kSize:
  case Role::kValid:
    return Class::kIndex;
  case Role::kIndex:  // some instructions on registers take an i32
    return info.form == Form::kRegister ? Class::kWhole : Class::kIndex;
  case Role::kPredicate:
    return Class::kBool;
  default:
    break;
  }
  const bool is_position =
      (info.meaning == Meaning::kAddPointer || info.meaning == Meaning::kGetValue) ? n == 1
      : info.meaning == Meaning::kSetValue                                         ? n == 0
                                                                                   : false;
  if (is_position) return Class::kIndex;
  const bool is_condition = info.meaning == Meaning::kIf || info.meaning == Meaning::kSelect;
  return is_condition && n == 0 ? Class::kBool : Class::kAny;
}

class TypeChecker {
 public:
  explicit TypeChecker(const Module& module) : module_(module), diagnostics_(module.file) {}

  void run() {
    for (const Function& f : module_.functions) {
      if (!f.has_body) continue;
      scopes_.assign(1, {});
      define(f.parameters);
      region(f.body, f.results);
    }
  }

 private:
  using Types = std::vector<Type>;

  /// A region whose terminator gives values of these types to the operation around it.
  void region(const Region& region, const Types& given) {
    scopes_.emplace_back();
    define(region.parameters);
    for (const Operation& op : region.operations) {
      const OperationInfo& info = operation_info(op.name);
      operation(op, info);
      if (info.meaning == Meaning::kTerminator) check_values(op, Role::kOperand, given);
    }
    scopes_.pop_back();
  }

  void operation(const Operation& op, const OperationInfo& info) {
    if (info.meaning == Meaning::kUnknown) return;
    const std::vector<const Type*> stated = stated_types(op, info);
    for (std::size_t i = 0; i < op.arguments.size(); ++i) {
      const Argument& a = op.arguments[i];
      if (a.kind != Argument::Kind::kValue) continue;
      if (stated[i] != nullptr) use(op, a, *stated[i]);
      const Class c = class_of(op, info, i);
      const Type& type = type_of(a);
      if (!is_in(c, type))
        diagnostics_.fail(a.place, a.text, " is ", to_string(type), ", and ", op.name,
                          " takes it as ", name_of(c));
    }
    check_rule(op, info);
    const bool moves = info.meaning == Meaning::kAddPointer && !op.result_types.empty();
    if (moves) use(op, op.arguments[0], op.result_types[0]);
    check_element(op, info);
    if (info.meaning == Meaning::kCall) check_call(op);
    regions(op, info);
    const Types results = result_types(op, info);
    std::size_t n = 0;
    for (const Result& r : op.results)
      for (unsigned k = 0; k < r.count; ++k, ++n) {
        const std::string name = r.count > 1 ? r.name + "#" + std::to_string(k) : r.name;
        scopes_.back()[name] = n < results.size() ? results[n] : Type();
      }
  }

  void regions(const Operation& op, const OperationInfo& info) {
    if (op.regions.empty()) return;
    const bool is_while = info.meaning == Meaning::kWhile;
    scopes_.emplace_back();
    if (info.meaning == Meaning::kFor) {
      const Type counter = op.types.empty() ? scalar_type("index") : op.types[0];
      for (std::size_t i = 1; i < 4; ++i) use(op, op.arguments[i], counter);
      scopes_.back()[op.arguments[0].text] = counter;
      carry(op, op.result_types);
    } else if (is_while) {
      carry(op, op.types);
    }
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
      const bool is_body = is_while && i == 1;
      check_parameters(op.regions[i].parameters, is_body ? op.result_types : op.types);
      region(op.regions[i], is_body ? op.types : op.result_types);
    }
    scopes_.pop_back();
  }

  /// Defines the values that a loop carries, which begin with values of the same types.
  void carry(const Operation& op, const Types& types) {
    check_values(op, Role::kInit, types);
    std::size_t n = 0;
    for (const Argument& a : op.arguments)
      if (a.role == Role::kCarried) {
        scopes_.back()[a.text] = n < types.size() ? types[n] : Type();
        ++n;
      }
  }

  void check_values(const Operation& op, Role role, const Types& types) {
    std::size_t n = 0;
    for (const Argument& a : op.arguments)
      if (a.role == role && n < types.size()) use(op, a, types[n++]);
  }

  void check_parameters(const std::vector<Parameter>& parameters, const Types& types) const {
    for (std::size_t i = 0; i < parameters.size() && i < types.size(); ++i)
      if (contradict(types[i], parameters[i].type))
        diagnostics_.fail(parameters[i].place, parameters[i].name, " is ",
                          to_string(parameters[i].type), " and gets ", to_string(types[i]),
                          ": expected one type");
  }

  void check_call(const Operation& op) {
    const auto callee = std::find_if(op.arguments.begin(), op.arguments.end(),
                                     [](const Argument& a) { return a.role == Role::kCallee; });
    for (const Function& f : module_.functions) {
      if (callee == op.arguments.end() || callee->text != "@" + f.name) continue;
      Types types;
      for (const Parameter& p : f.parameters) types.push_back(p.type);
      check_values(op, Role::kOperand, types);
      for (std::size_t i = 0; i < f.results.size() && i < op.result_types.size(); ++i)
        if (contradict(f.results[i], op.result_types[i]))
          diagnostics_.fail(op.result_types[i].place, "@", f.name, " gives ",
                            to_string(f.results[i]), ", and the call takes it as ",
                            to_string(op.result_types[i]), ": expected one type");
    }
  }

  void check_rule(const Operation& op, const OperationInfo& info) const {
    const Rule* rule = rule_of(op, info);
    if (rule == nullptr || op.types.empty()) return;
    const Type& from = op.types[0];
    const Type& to = op.result_types.empty() ? from : op.result_types[0];
    require(op, from, rule->from);
    if (!op.result_types.empty()) require(op, to, rule->to);
    if (op.result_types.empty() || info.meaning != Meaning::kCast) return;
    const int change = static_cast<int>(integer_type_of(to.element).bits) -
                       static_cast<int>(integer_type_of(from.element).bits);
    const bool wrong = rule->widens == 0 ? is_in(Class::kIndex, from) == is_in(Class::kIndex, to)
                                         : change * rule->widens <= 0;
    if (wrong)
      diagnostics_.fail(to.place, op.name, " from ", to_string(from), " to ", to_string(to),
                        rule->widens == 0  ? ": one of the two has to be index"
                        : rule->widens > 0 ? ": the result needs more bits"
                                           : ": the result needs fewer bits");
  }

  void require(const Operation& op, const Type& type, Class c) const {
    if (!is_in(c, type))
      diagnostics_.fail(type.place, op.name, " of ", to_string(type), ", expected ", name_of(c));
  }

  /// What goes to memory, or comes from it, has the type of the elements there.
  void check_element(const Operation& op, const OperationInfo& info) const {
    const std::vector<Type>&types = op.types, &results = op.result_types;
    if (info.meaning == Meaning::kStoreScalar && types.size() > 1)
      check_element(op, types[1], types[0]);
    if (info.meaning == Meaning::kGetValue && !types.empty() && !results.empty())
      check_element(op, results[0], types[0]);
    if (info.meaning == Meaning::kSetValue && types.size() == 3)
      check_element(op, types[1], types[2]);
  }

  void check_element(const Operation& op, const Type& value, const Type& memory) const {
    if (contradict(value, scalar_type(memory.element)))
      diagnostics_.fail(value.place, op.name, " of ", to_string(value), ", and the elements are ",
                        memory.element, ": expected one type");
  }

  Types result_types(const Operation& op, const OperationInfo& info) const {
    if (info.meaning == Meaning::kCompare) return {scalar_type("i1")};
    if (!op.result_types.empty()) return op.result_types;
    if (info.meaning == Meaning::kSizeOf) return {2, scalar_type("index")};
    const bool of_last = info.meaning == Meaning::kArithmetic || info.meaning == Meaning::kSelect;
    const bool of_first = info.form == Form::kConstant || info.form == Form::kAllocTile ||
                          info.form == Form::kTensorView || info.form == Form::kNullary;
    if (op.types.empty()) {
      if (info.meaning == Meaning::kSpecial) return {scalar_type("i64")};
      const bool keeps = info.meaning == Meaning::kAddPointer;
      return keeps ? Types{type_of(op.arguments[0])} : Types{};
    }
    return of_last ? Types{op.types.back()} : of_first ? Types{op.types[0]} : Types{};
  }

  void define(const std::vector<Parameter>& parameters) {
    for (const Parameter& p : parameters) scopes_.back()[p.name] = p.type;
  }

  /// A type without elements: nobody knows it.
  const Type& type_of(const Argument& a) const {
    static const Type kUnknown;
    const bool is_first = a.text.size() > 2 && a.text.compare(a.text.size() - 2, 2, "#0") == 0;
    const std::string other = is_first ? a.text.substr(0, a.text.size() - 2) : a.text + "#0";
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      for (const std::string& name : {a.text, other})
        if (const auto entry = scope->find(name); entry != scope->end()) return entry->second;
    return kUnknown;
  }

  void use(const Operation& op, const Argument& a, const Type& used) const {
    if (a.kind != Argument::Kind::kValue) return;
    const Type& defined = type_of(a);
    if (contradict(defined, used))
      diagnostics_.fail(a.place, a.text, " is defined as ", to_string(defined), ", and ", op.name,
                        " takes it as ", to_string(used), ": expected one type");
  }

  const Module& module_;
  const Diagnostics diagnostics_;
  std::vector<std::map<std::string, Type>> scopes_;
};

}  // namespace

void check_types(const Module& module) {
  TypeChecker(module).run();
}

}  // namespace tessera::pto
