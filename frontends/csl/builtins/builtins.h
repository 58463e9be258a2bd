// The builtin functions of CSL (csl.md 7): one row for each. A row says which operands a builtin takes
// and where it may stand; its handler reads them, checks what no row can say, and then gives a value
// or, in code of the running program, makes code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/csl/builtins/options.h"
#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {

/// What an operand is.
enum class Takes : std::uint8_t {
  kAny,       ///< any value, also an undefined one
  kValue,     ///< a value
  kInteger,   ///< an integer; if it is known, one of `lowest`..`highest` if they differ
  kBool,      ///< a bool
  kText,      ///< a comptime_string
  kType,      ///< a type
  kStruct,    ///< a struct
  kFunction,  ///< a function or a task
  kHandle,    ///< a value of one of the types `of`
  kTaskId,    ///< the same, or a task that is bound to an id
  kDsd,       ///< a descriptor of one of the kinds `of`; of any kind if there are none
  kDsr,       ///< a DSR of one of the kinds `of`
  kFifo,      ///< a FIFO
  kPlace,     ///< an array or a pointer; the handler asks where it lies
  kFields,    ///< `.{ .. }`, whose fields the handler reads one by one
  kUnread     ///< only its type counts, or whether it is known: nothing of it is carried out
};

struct OperandRow {
  Takes takes = Takes::kValue;
  std::string_view name;      ///< on the page of builtins
  std::vector<ChoiceRow> of;  ///< types, and the generation that takes them
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  bool may_run = false;  ///< in code of the running program it may be known to that program only
  bool is_optional = false;
  bool repeats = false;  ///< stands for any number of operands, up to `kMostOperands`
};

inline constexpr std::size_t kMostOperands = 64;

// Operands of rows.
OperandRow takes(Takes takes, std::string_view name);
OperandRow integer(std::string_view name, std::int64_t lowest, std::int64_t highest);
OperandRow one_of(Takes takes, std::string_view name, std::vector<ChoiceRow> of);
/// The running program may be the only one to know it.
OperandRow live(OperandRow row);
OperandRow optional(OperandRow row);
OperandRow repeated(OperandRow row);

/// Where a builtin may stand; several are or-ed.
enum Where : std::uint8_t {
  kInLayout = 1,     ///< layout blocks, and functions that they call
  kInTile = 2,       ///< comptime blocks of the code of a PE
  kInCode = 4,       ///< functions and tasks that run on the PE
  kInConstants = 8,  ///< all else that is evaluated at compile time
  kAnywhere = 15,
  /// Anywhere; its value follows from its operands alone and nothing else happens, so that a call with the
  /// same operands need not be carried out again (call_memo.h).
  kOfOperands = 31
};

class BuiltinCall;

struct BuiltinRow {
  std::string_view name;
  std::uint8_t where;
  std::vector<OperandRow> operands;
  Result (*handler)(const BuiltinCall&);  ///< nullptr: documented and not taken, for `about`
  std::string_view about;                 ///< one line of the page of builtins
  Machines machines = Machines::kBoth;
};

/// A call of a builtin, for its handler. An operand is read when it is first asked for, once, and is
/// then what its row says; a handler cannot ask for what the row does not say.
class BuiltinCall {
 public:
  BuiltinCall(Evaluator& caller, const Builtin& call, const BuiltinRow& of)
      : evaluator(caller), node(call), row(of), read_(call.arguments.size()) {}

  Evaluator& evaluator;
  const Builtin& node;
  const BuiltinRow& row;

  Engine& engine() const { return evaluator.engine(); }
  Types& types() const { return engine().types; }
  Tile& tile() const { return *engine().tile(); }
  bool is_wse3() const { return engine().options.arch == "wse3"; }
  /// Whether code is made for what the running program has to do.
  bool makes_code() const { return evaluator.frame().code != nullptr; }

  std::size_t size() const { return node.arguments.size(); }
  const Expr& expr(std::size_t i) const { return *node.arguments[i]; }
  /// An operand; it is known unless its row says that it may belong to the running program.
  const Result& operand(std::size_t i) const;
  /// An operand that has to be known.
  const Result& value(std::size_t i) const;
  std::int64_t number(std::size_t i) const;
  bool boolean(std::size_t i) const { return value(i).value().get<bool>(); }
  const std::string& text(std::size_t i) const { return value(i).value().text(); }
  const Type* type(std::size_t i) const { return value(i).value().get<const Type*>(); }
  FunctionValue function(std::size_t i) const { return value(i).value().get<FunctionValue>(); }
  unsigned handle(std::size_t i) const { return static_cast<unsigned>(number(i)); }
  /// A struct; an empty one if the operand is missing.
  Result structure(std::size_t i) const;
  /// "the first argument of @get_color".
  std::string what(std::size_t i) const;
  /// Fails if a known integer lies outside.
  void check_range(std::size_t i, const Result& value, std::int64_t lowest,
                   std::int64_t highest) const;

  Result number_result(const char* type, std::int64_t value) const {
    return {types().word(type), Value{BigInt(value)}};
  }
  Result bool_result(bool value) const { return {types().bool_type, Value{value}}; }
  Result nothing() const { return evaluator.void_result(); }

  template <class... Parts>
  [[noreturn]] void fail(Id id, const Parts&... problem) const {
    engine().fail(id, node, "@", std::string(node.name), ": ", problem...);
  }
  template <class... Parts>
  [[noreturn]] void fail_operand(Id id, std::size_t i, const Parts&... problem) const {
    engine().fail(id, expr(i), what(i), problem...);
  }

 private:
  const OperandRow& operand_row(std::size_t i) const;
  Result read(std::size_t i) const;
  void check(std::size_t i, const OperandRow& row, const Result& value) const;

  mutable std::vector<std::optional<Result>> read_;
};

// The rows of each file.
const std::vector<BuiltinRow>& value_builtins();
const std::vector<BuiltinRow>& array_builtins();
const std::vector<BuiltinRow>& program_builtins();
const std::vector<BuiltinRow>& id_builtins();
const std::vector<BuiltinRow>& dsd_builtins();
const std::vector<BuiltinRow>& register_builtins();
const std::vector<BuiltinRow>& dsd_operation_builtins();
const std::vector<BuiltinRow>& machine_builtins();
const std::vector<BuiltinRow>& json_builtins();
/// All of them, in the order of the files.
const std::vector<const BuiltinRow*>& all_builtins();
/// nullptr: nothing is called so.
const BuiltinRow* find_builtin(std::string_view name);
/// What a message adds where an array, or a pointer to one, stands in the place of a descriptor; else nothing.
std::string descriptor_hint(const Type& type);
/// The table as the page docs/csl-builtins.md has it.
std::string builtins_page();

Result call_builtin(Evaluator& evaluator, const Builtin& node);

/// The number of an operand that is a handle or a task.
unsigned task_id(const BuiltinCall& call, std::size_t i);
/// The field of a struct; nothing if it has none of that name.
std::optional<Result> field_of(const Result& structure, std::string_view name);
/// The fields of a struct in their order.
Fields fields_of(const Result& structure);
/// The same of a struct of which the running program may know some fields.
Fields fields_of(Evaluator& evaluator, const Result& structure, const Node& at);
/// Reads the configuration of a color (csl.md 10).
ColorConfig read_color_config(const BuiltinCall& call, const Result& config);

}  // namespace tessera::csl
