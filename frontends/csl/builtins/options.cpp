#include "frontends/csl/builtins/options.h"

#include <algorithm>

#include "frontends/csl/builtins/builtins.h"

namespace tessera::csl {

bool has(Machines machines, bool is_wse3) {
  return machines == Machines::kBoth || (machines == Machines::kWse3) == is_wse3;
}

std::string fifo_kind(std::string_view kind) {
  constexpr std::string_view kPrefix = "dsr_";
  if (kind.substr(0, kPrefix.size()) != kPrefix) return std::string(kind);
  return "dsr_fifo_" + std::string(kind.substr(kPrefix.size()));
}

namespace {

using Of = FieldKind;

std::string type_text(const FieldRow& row, bool is_wse3) {
  switch (row.kind) {
  case Of::kFlag:
    return "'bool'";
  case Of::kNumber:
    return "an integer type";
  case Of::kIndex:
    return "an integer type";
  case Of::kHandle:
  case Of::kDsr:
    return text::in_quotes(row.handle);
  case Of::kLocalTask:
    return "'local_task_id' or a task that is bound as a local one";
  case Of::kUnblocked:
    return is_wse3 ? "'input_queue', 'data_task_id', 'local_task_id' or a task (WSE-3)"
                   : "'color', 'data_task_id', 'local_task_id' or a task (WSE-2)";
  case Of::kChoice:
    return "a struct with one true field";
  case Of::kStruct:
  case Of::kShape:
    break;
  }
  return "a struct";
}

bool is_task(const Result& value) {
  return value.is_known() && value.value().holds<FunctionValue>() &&
         value.value().get<FunctionValue>().function->is_task;
}

bool fits(const FieldRow& row, const Result& value, bool is_wse3) {
  const Type& type = *value.type;
  switch (row.kind) {
  case Of::kFlag:
    return type.is(TypeKind::kBool);
  case Of::kNumber:
  case Of::kIndex:
    return type.is_any_integer();
  case Of::kHandle:
    return type.is_handle(row.handle);
  case Of::kDsr:
    return type.is(TypeKind::kDsr) &&
           (type.name == row.handle || type.name == fifo_kind(row.handle));
  case Of::kLocalTask:
    // Until SDK 1.0 the color of its number.
    return type.is_handle("local_task_id") || is_task(value) ||
           (!is_wse3 && type.is_handle("color"));
  case Of::kUnblocked:
    return type.is_handle("local_task_id") || type.is_handle("data_task_id") ||
           type.is_handle(is_wse3 ? "input_queue" : "color") || is_task(value);
  case Of::kChoice:
  case Of::kStruct:
  case Of::kShape:
    break;
  }
  return type.is(TypeKind::kStruct);
}

/// Checks the options of one struct.
class Check {
 public:
  Check(const Engine& engine, const OptionsTable& table, const Node& at, const std::string& prefix)
      : engine_(engine), table_(table), at_(at), prefix_(prefix),
        is_wse3_(engine.options.arch == "wse3") {}

  void all(const Fields& given) const {
    for (const auto& [name, value] : given) one(name, value);
    const std::string_view* first = nullptr;
    for (const std::string_view& name : table_.at_most_one) {
      const auto found = std::find_if(given.begin(), given.end(),
                                      [&](const auto& field) { return field.first == name; });
      const bool is_off = found != given.end() && found->second.type->is(TypeKind::kBool) &&
                          found->second.is_known() && !found->second.value().get<bool>();
      if (found == given.end() || is_off) continue;
      if (first != nullptr)
        fail(Id::kOptionChoice, table_.whose, " has .", *first, " or .", name, ", not both");
      first = &name;
    }
  }

  void one(const std::string& name, const Result& value) const {
    const FieldRow& row = row_of(name);
    if (!has(row.machines, is_wse3_))
      fail(Id::kOtherMachine, "the ", table_.noun, " .", name, " is one of WSE-",
           is_wse3_ ? "2" : "3", " only", row.instead.empty() ? "" : "; ", row.instead);
    if ((value.is_known() || (row.kind != Of::kIndex && !row.may_run)) &&
        engine_.known(value, at_).is_undefined())
      fail(Id::kUndefined, "the ", table_.noun, " .", name, " is undefined");
    if (!fits(row, value, is_wse3_))
      fail(Id::kOptionType, "the ", table_.noun, " .", name, " is of type ",
           text::in_quotes(value.type->name), " instead of ", type_text(row, is_wse3_));
    if (row.kind == Of::kNumber) check_number(row, value.value().integer());
    if (row.kind == Of::kChoice) check_choice(row, value);
    if (row.kind == Of::kStruct)
      Check(engine_, *row.fields, at_, prefix_).all(fields_of_option(engine_, value, at_));
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(Id id, const Parts&... problem) const {
    engine_.fail(id, at_, prefix_, problem...);
  }

  const FieldRow& row_of(const std::string& name) const {
    std::vector<std::string> names;
    for (const FieldRow& row : table_.rows) {
      if (row.name == name) return row;
      if (has(row.machines, is_wse3_)) names.emplace_back(row.name);
    }
    const std::string nearest = did_you_mean(name, names);
    fail(Id::kUnknownOption, table_.whose, " has no ", table_.noun, " ", text::in_quotes(name),
         nearest.empty() ? "; it has " + text::alternatives(names) : nearest);
  }

  void check_number(const FieldRow& row, const BigInt& number) const {
    if (number < row.lowest || number > row.highest)
      fail(Id::kOutOfRange, "the ", table_.noun, " .", row.name, " is ", number.str(),
           ", which is not in ", row.lowest, "..", row.highest);
  }

  void check_choice(const FieldRow& row, const Result& value) const {
    std::vector<std::string> names;
    for (const ChoiceRow& choice : row.choices) {
      if (has(choice.machines, is_wse3_)) names.emplace_back("." + std::string(choice.name));
    }
    unsigned count = 0;
    for (const auto& [name, is_it] : fields_of(value)) {
      const bool is_known = std::find(names.begin(), names.end(), "." + name) != names.end();
      if (!is_known)
        fail(Id::kOptionChoice, "the ", table_.noun, " .", row.name, " has no choice ",
             text::in_quotes(name), is_wse3_ ? " on WSE-3" : " on WSE-2", "; it is one of ",
             text::alternatives(names));
      if (!is_it.value().holds<bool>())
        fail(Id::kOptionType, "the choice .", name, " of .", row.name, " is of type ",
             text::in_quotes(is_it.type->name), " instead of 'bool'");
      if (is_it.value().get<bool>()) ++count;
    }
    if (count != 1)
      fail(Id::kOptionChoice, "the ", table_.noun, " .", row.name, " is one of ",
           text::alternatives(names), ", and ", count == 0 ? "none" : "more than one", " is true");
  }

  const Engine& engine_;
  const OptionsTable& table_;
  const Node& at_;
  const std::string& prefix_;
  const bool is_wse3_;
};

const char* kind_text(TaskKind kind) {
  return kind == TaskKind::kLocal ? "local" : kind == TaskKind::kData ? "data" : "control";
}

const TaskBinding* binding_of(const Tile& tile, const FunctionValue& task) {
  for (const TaskBinding& binding : tile.tasks) {
    if (binding.task.function == task.function && binding.task.instance == task.instance)
      return &binding;
  }
  return nullptr;
}

/// The binding that a task as a value has.
const TaskBinding& bound(const Engine& engine, const Tile& tile, const FunctionValue& task,
                         const Node& at) {
  const TaskBinding* binding = binding_of(tile, task);
  if (binding == nullptr)
    engine.fail(Id::kNoTask, at, text::in_quotes(task.function->name.text),
                " is not bound to a task id");
  return *binding;
}

}  // namespace

void check_load_options(const Engine& engine, const Type& kind, const Fields& options,
                        const Node& at) {
  const bool is_fabric = kind.name == "fabin_dsd" || kind.name == "fabout_dsd";
  for (const auto& [name, value] : options) {
    const bool is_off = value.type->is(TypeKind::kBool) && !value.value().get<bool>();
    if (name == "single_step" || is_off || (name == "save_address") != is_fabric) continue;
    engine.fail(Id::kLoadOptions, at, "the load of a ", kind.name, " has no option .", name,
                "; it is one of descriptors ", is_fabric ? "in memory" : "of the fabric");
  }
}

void check_options(const Engine& engine, const OptionsTable& table, const Fields& given,
                   const Node& at, const std::string& prefix) {
  Check(engine, table, at, prefix).all(given);
}

void check_option(const Engine& engine, const OptionsTable& table, const std::string& name,
                  const Result& value, const Node& at, const std::string& prefix) {
  Check(engine, table, at, prefix).one(name, value);
}

std::string choice_of(const Result& option) {
  for (const auto& [name, is_it] : fields_of(option)) {
    if (is_it.value().get<bool>()) return name;
  }
  return "";
}

Fields fields_of_option(const Engine& engine, const Result& option, const Node& at) {
  const auto* operand = std::get_if<RunTimeOperand>(&option.operand);
  const auto* parts = operand == nullptr ? nullptr : std::get_if<Parts>(&operand->place);
  if (parts == nullptr) {
    engine.known(option, at);
    return fields_of(option);
  }
  Fields all;
  for (std::size_t i = 0; i < option.type->fields.size(); ++i)
    all.emplace_back(option.type->fields[i].name, (**parts)[i]);
  return all;
}

std::set<unsigned> ids_of_tasks(const Tile& tile, bool with_data_tasks) {
  std::set<unsigned> ids;
  for (const TaskBinding& task : tile.tasks) {
    if (task.kind == TaskKind::kLocal || (with_data_tasks && task.kind == TaskKind::kData))
      ids.insert(task.id);
  }
  return ids;
}

bool activate_color(Tile& tile, unsigned id) {
  for (TaskBinding& task : tile.tasks) {
    if (task.id != id || !task.by_color || task.kind == TaskKind::kControl) continue;
    if (task.kind == TaskKind::kData) tile.activated_colors.insert(id);
    task.kind = TaskKind::kLocal;
    return true;
  }
  return false;
}

unsigned activated_id(const Engine& engine, const Tile& tile, const Result& value, const Node& at,
                      const std::string& name) {
  const Value& known = engine.known(value, at);
  if (known.holds<FunctionValue>()) {
    const TaskBinding& binding = bound(engine, tile, known.get<FunctionValue>(), at);
    activate_color(*engine.tile(), binding.id);
    if (binding.kind != TaskKind::kLocal)
      engine.fail(Id::kActivatedKind, at, "the option .", name, " names ",
                  text::in_quotes(binding.task.function->name.text), ", which is bound as a ",
                  kind_text(binding.kind), " task; only local tasks are activated");
    return binding.id;
  }
  const auto id = static_cast<unsigned>(known.integer());
  activate_color(*engine.tile(), id);
  const bool is_bound = std::any_of(tile.tasks.begin(), tile.tasks.end(), [&](const auto& task) {
    return task.kind == TaskKind::kLocal && task.id == id;
  });
  if (!is_bound)
    engine.fail(Id::kNoTask, at, "the option .", name, " names the local task id ", id,
                ", and no local task is bound to it");
  return id;
}

unsigned unblocked_id(const Engine& engine, const Tile& tile, const Result& value, const Node& at,
                      const std::string& name) {
  const Value& known = engine.known(value, at);
  if (known.holds<FunctionValue>()) {
    const TaskBinding& binding = bound(engine, tile, known.get<FunctionValue>(), at);
    if (binding.kind == TaskKind::kControl)
      engine.fail(Id::kActivatedKind, at, "the option .", name, " names ",
                  text::in_quotes(binding.task.function->name.text),
                  ", which is bound as a control task; local and data tasks are unblocked");
    return binding.id;
  }
  const auto id = static_cast<unsigned>(known.integer());
  const bool is_bound = std::any_of(tile.tasks.begin(), tile.tasks.end(), [&](const auto& task) {
    return task.kind != TaskKind::kControl && task.id == id;
  });
  if (value.type->is_handle("local_task_id") && !is_bound)
    engine.fail(Id::kNoTask, at, "the option .", name, " names the local task id ", id,
                ", and no task is bound to it");
  return id;
}

}  // namespace tessera::csl
