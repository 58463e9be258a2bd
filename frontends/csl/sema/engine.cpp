#include "frontends/csl/sema/engine.h"

#include <algorithm>
#include <stdexcept>

#include "frontends/csl/sema/evaluator.h"
#include "frontends/csl/syntax/changed_names.h"
#include "frontends/csl/syntax/mentions.h"
#include "frontends/csl/syntax/parser.h"
#include "frontends/text/stack.h"

namespace tessera::csl {
namespace {

/// `[n]comptime_struct`: the elements keep types of their own, so that the value stays a list.
bool is_list_of_structs(const Type& from, const Type& to) {
  return to.is(TypeKind::kArray) && to.element->is(TypeKind::kAnyStruct) && from.is_tuple;
}

std::int64_t alignment_of(Evaluator& evaluator, const Expr& e) {
  const std::int64_t alignment = evaluator.integer(e, 1, 4096, "an alignment");
  if ((alignment & (alignment - 1)) != 0)
    evaluator.engine().fail(Id::kOutOfRange, e, "an alignment is ", alignment,
                            " instead of a power of two");
  return alignment;
}

constexpr std::size_t kMostLevelsShown = 12;
constexpr std::uint64_t kTrialSteps = 200'000;  // iterations
constexpr unsigned kMostDepth = 3000;           // expressions and blocks inside of each other

}  // namespace

Engine::Engine(Options chosen, std::ostream& messages)
    : converter(types), options(std::move(chosen)), messages_(&messages), version_(options.version),
      most_steps_(options.most_steps) {}

void Engine::fail_at(Id id, std::uint16_t file, Place place, const std::string& problem) const {
  if (asks() && may_become_code(id)) throw NeedsCode();
  const SourceFile& source = *files_.at(file);
  throw UserError(source.name(), to_string(place),
                  problem + tag(id) + text::line_with_caret(source.text(), place) + chain());
}

std::string Engine::where(const Node& at) const {
  return files_.at(at.file)->name() + ":" + to_string(at.place);
}

std::string_view Engine::line_text(const Node& at) const {
  std::string_view rest = files_.at(at.file)->text();
  for (unsigned line = 1; line < at.place.line; ++line) rest.remove_prefix(rest.find('\n') + 1);
  return rest.substr(0, rest.find('\n'));
}

std::string Engine::chain() const {
  std::string text;
  std::size_t shown = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (++shown > kMostLevelsShown && std::next(level) != levels_.rend()) continue;
    text += "\n  " + std::string(level->what);
    if (!level->name.empty()) text += " " + in_quotes(level->name);
    text += level->more + ", " + where(*level->at);
  }
  return text;
}

const Node& Engine::place_of_user(const Node& at) const {
  const auto is_own = [this](const Node& node) {
    return files_.at(node.file)->name().front() == '<';
  };
  if (!is_own(at)) return at;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (!is_own(*level->at)) return *level->at;
  }
  return at;
}

void Engine::warn(Id id, const Node& at, const std::string& problem) {
  had_effect();
  if (is_failing_) return;
  const std::string message = where(place_of_user(at)) + ": warning: " + problem + tag(id);
  if (is_quiet_) {
    has_spoken_ |= warned_.count(message) == 0;
    return;
  }
  if (warned_.insert(message).second) *messages_ << message << '\n';
}

void Engine::remark(const Node& at, const std::string& text) {
  had_effect();
  if (is_failing_) return;
  if (is_quiet_) {
    has_spoken_ |= remarked_.count(text) == 0;
    return;
  }
  if (remarked_.insert(text).second) *messages_ << where(at) << ": note: " << text << '\n';
}

void Engine::saw(Version version, const Node& at) {
  const bool is_own = files_.at(at.file)->name().front() == '<';  // our libraries tell nothing
  if (is_own || options.version != Version::kUnknown) return;
  const Node*& seen_at = version == Version::k1_4 ? seen_1_4_at_ : seen_2_10_at_;
  if (seen_at == nullptr) seen_at = &at;
  if (version_ == Version::kUnknown) version_ = version;
  if (seen_1_4_at_ == nullptr || seen_2_10_at_ == nullptr) return;
  if (version_ == Version::k2_10 && has_code_of_2_10_)
    fail(Id::kVersions, at, "only CSL 1.4 has this, only CSL 2.10 has what ", where(*seen_2_10_at_),
         " uses, and code that depends on the version has been made for 2.10 (--csl-version "
         "chooses one)");
  // Releases between the two had the new modes beside the old constructs.
  version_ = Version::k1_4;
  warn(Id::kVersions, *seen_2_10_at_,
       text::joined("CSL 1.4 has not this, and CSL 2.10 has not what ", where(*seen_1_4_at_),
                    " uses; what depends on the version means what it does in 1.4 (--csl-version "
                    "chooses one)"));
}

void Engine::note_assumed_version() {
  if (version_ != Version::kUnknown || !default_matters_) return;
  *messages_ << files_.front()->name()
             << ": note: nothing tells for which version of CSL the program is written; 2.10 is "
                "assumed, where 16-bit fabric data is packed (--csl-version=1.4|2.10)\n";
}

Engine::Depth::Depth(Engine& engine, const Node& at, bool is_call)
    : engine_(engine), is_call_(is_call) {
  if (engine.depth_ >= kMostDepth)
    engine.fail(Id::kNesting, at, "more than ", kMostDepth,
                " expressions and blocks inside of each other");
  if (text::is_stack_short())
    engine.fail(
        Id::kNesting, at, engine.depth_,
        " expressions and blocks inside of each other are too many for the stack of this thread");
  if (is_call && engine.calls_ >= engine.options.most_calls)
    engine.fail(Id::kLimit, at, "more than ", engine.options.most_calls,
                " functions call each other at compile time (--comptime-func-depth-limit)");
  if (is_call) {
    engine.step(at);
    ++engine.calls_;
  }
  ++engine.depth_;
}

void Engine::step(const Node& at) {
  if (++steps_ > most_steps_)
    fail(Id::kLimit, at, "the loops and calls of the program take more than ", options.most_steps,
         " iterations at compile time");
}

void Engine::check_size(const std::vector<Field>& fields, const Node& at) {
  constexpr std::uint64_t kMostParts = 100'000;
  if (parts_of(fields) > kMostParts)
    fail(Id::kLimit, at, "the struct has more than ", kMostParts,
         " fields, with those of the structs inside of it");
}

Engine::Trial::Trial(Engine& engine)
    : engine_(engine), messages_(engine.messages_), warned_(engine.warned_), steps_(engine.steps_),
      most_steps_(engine.most_steps_) {
  ++engine.trials_;
  engine.messages_ = &printed_;
  engine.most_steps_ = std::min(most_steps_, steps_ + kTrialSteps);
}

Engine::Trial::~Trial() {
  --engine_.trials_;
  engine_.messages_ = messages_;
  engine_.most_steps_ = most_steps_;
  if (is_kept_) {
    *messages_ << printed_.str();
  } else {
    engine_.warned_ = warned_;
    engine_.steps_ = steps_;
  }
}

Engine::Level::Level(Engine& engine, const Node& at, std::string_view what, std::string_view name,
                     std::string more)
    : engine_(engine) {
  engine.levels_.push_back({&at, what, name, std::move(more)});
}

Engine::Level::~Level() {
  engine_.levels_.pop_back();
}

const Value& Engine::known(const Result& value, const Node& at) const {
  if (const auto* run_time = std::get_if<RunTimeOperand>(&value.operand))
    fail(Id::kNotKnown, at, "needs a value that is known at compile time; ", run_time->what,
         " has one only while the program runs");
  return value.value();
}

void Engine::fail_without_code() const {
  if (levels_.empty()) throw std::logic_error("code is made outside of the code of a PE");
  fail(Id::kNotKnown, *levels_.back().at,
       "needs values that are known at compile time; one has a value only while the program runs, "
       "such as a pointer made of a number");
}

Value Engine::undefined_value(const Type& type) const {
  if (type.is(TypeKind::kArray))
    return {AggregateRef(
        std::make_shared<Aggregate>(static_cast<std::size_t>(type.count()), Value{Undefined{}}))};
  if (!type.is(TypeKind::kStruct)) return {Undefined{}};
  std::vector<Value> fields;
  for (const Field& field : type.fields)
    fields.push_back(type.is_union ? Value{Undefined{}} : undefined_value(*field.type));
  return make_aggregate(std::move(fields));
}

Value Engine::variant(const Type& type, const Value& value, std::size_t i, const Node& at) const {
  const Aggregate& fields = value.elements();
  if (!fields[i].is_undefined()) return fields[i];
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (fields[k].is_undefined()) continue;
    const Field &given = type.fields[k], &wanted = type.fields[i];
    if (type.layout == StructLayout::kAutomatic)
      fail(Id::kOtherView, at, "the union has the field ", in_quotes(given.name), ", not ",
           in_quotes(wanted.name), "; an extern or packed union may be read by another field");
    const std::optional<Value> bits = converter.reinterpreted({given.type, fields[k]}, wanted.type);
    if (!bits)
      fail(Id::kOtherView, at, "the bits of the field ", in_quotes(given.name),
           " of the union, of type ", in_quotes(given.type->name), ", are not known as a ",
           in_quotes(wanted.type->name), " at compile time");
    return *bits;
  }
  return fields[i];
}

Result Engine::convert(const Result& from, const Type* to, const Node& at,
                       const std::string& what) {
  const Value& value = known(from, at);
  if (from.type == to && !value.is_undefined()) return from;
  const bool keeps_type = to->is(TypeKind::kAnyStruct) || to->is(TypeKind::kAnytype) ||
                          is_list_of_structs(*from.type, *to) ||
                          (to->is(TypeKind::kFunction) && !value.is_undefined());
  if (value.is_undefined() && !keeps_type) return {to, undefined_value(*to)};
  std::string problem;
  std::optional<Value> converted = converter.implicit(from, to, problem);
  if (!converted)
    fail(Id::kConversion, at, what, " is of type ", in_quotes(to->name), ", which does not take ",
         from.type->is_number() || from.type->is(TypeKind::kEnum)
             ? text_of(*from.type, value, true) + " of type "
             : "a value of type ",
         in_quotes(from.type->name), problem);
  return {keeps_type ? from.type : to, std::move(*converted)};
}

Result Engine::function_value(Instance& instance, const Function& function) {
  Frame frame(instance);
  Evaluator evaluator(*this, frame);
  std::vector<std::string_view> names;
  for (const Parameter& parameter : function.parameters) names.push_back(parameter.name.text);
  // A type that follows from an argument exists for each call only: fn f(n: comptime_int) [n]u16.
  const auto is_open = [&](const Parameter& p) {
    const Keyword* word = if_is<Keyword>(*p.type);
    const NameExpr* name = if_is<NameExpr>(*p.type);
    return p.is_comptime || word != nullptr || (name != nullptr && name->name == "type") ||
           mentions(*p.type, names);
  };
  const Value value{FunctionValue{&instance, &function}};
  if (std::any_of(function.parameters.begin(), function.parameters.end(), is_open) ||
      mentions(*function.result, names))
    return {types.generic_function(), value};
  std::vector<const Type*> parameters;
  for (const Parameter& parameter : function.parameters)
    parameters.push_back(evaluator.type_of_value(*parameter.type));
  const Type* result = evaluator.type_of_value(*function.result);
  return {types.function(std::move(parameters), result, function.is_task), value};
}

const Type* Engine::known_signature(const FunctionValue& function) const {
  const Declaration& declaration = function.instance->of(*function.function);
  const bool is_known = declaration.state == Declaration::State::kDone &&
                        declaration.result.type != nullptr && !declaration.result.type->is_generic;
  return is_known ? declaration.result.type : nullptr;
}

const NodeFacts& Engine::name_facts(const NameExpr& e) {
  NodeFacts& known = facts(e);
  if (!known.is_resolved) {
    known.item = files_[e.file]->find(e.name);
    if (known.item == nullptr) known.type = types.find(e.name);
    known.is_resolved = true;
  }
  return known;
}

Result Engine::mention(Instance& instance, Declaration& declaration, const Node& at) {
  if (declaration.state != Declaration::State::kDone) analyse(instance, declaration, at);
  note(instance, declaration);
  if (!declaration.cell) return declaration.result;
  const Cell& cell = *declaration.cell;
  if (cell.kind == Cell::Kind::kRunTimeVariable)
    return {cell.type, RunTimeOperand{"the variable " + in_quotes(cell.name), {}}};
  return {cell.type, cell.value};
}

std::shared_ptr<Cell> Engine::cell_of(Instance& instance, Declaration& declaration,
                                      const Node& at) {
  if (declaration.state != Declaration::State::kDone) analyse(instance, declaration, at);
  note(instance, declaration);
  return declaration.cell;
}

void Engine::analyse(Instance& instance, Declaration& declaration, const Node& at) {
  const Item& item = *declaration.item;
  if (declaration.state == Declaration::State::kInProgress)
    fail(Id::kSelfReference, at, "the value of this name depends on itself");
  declaration.state = Declaration::State::kInProgress;
  const AtSite no_site(*this, Site::kNone);
  Recorder::Part part(recorder());
  try {
    if (const Param* param = if_is<Param>(item)) {
      const Level level(*this, at, "the parameter", param->name.text, " is used");
      analyse_param(instance, *param, declaration, at);
    } else if (const Global* global = if_is<Global>(item)) {
      const Level level(*this, at, "the declaration of", global->variable.name.text, " is used");
      analyse_variable(instance, *global, declaration);
    } else {
      const Level level(*this, at, "the function", as<Function>(item).name.text, " is used");
      declaration.result = function_value(instance, as<Function>(item));
    }
  } catch (...) {
    declaration.state = Declaration::State::kUnseen;
    throw;
  }
  declaration.state = Declaration::State::kDone;
  if (recorder_) declaration.asked = recorder_->of(instance, declaration, part.take());
}

void Engine::analyse_param(Instance& instance, const Param& param, Declaration& declaration,
                           const Node& at) {
  Frame frame(instance);
  Evaluator evaluator(*this, frame);
  const std::string name(param.name.text);
  const std::string what = "the parameter " + in_quotes(name);
  const Type* type = param.is_color          ? types.word("color")
                     : param.type != nullptr ? evaluator.type(*param.type)
                                             : types.anytype;
  Result value;
  const int given = instance.bindings.type->find_field(name);
  const auto gives_none = [&] {  // SDK 1.0 and 1.1: a color that the host has not
    const Type& bound = *instance.bindings.type->fields[static_cast<std::size_t>(given)].type;
    return bound.is(TypeKind::kVoid) && type->is_handle("color") && param.value != nullptr;
  };
  if (given >= 0 && !gives_none()) {
    const auto i = static_cast<std::size_t>(given);
    value = {instance.bindings.type->fields[i].type, instance.bindings.value().elements()[i]};
    const bool from_command_line = instance.importer == nullptr && instance.tile == nullptr;
    std::string problem;
    if (from_command_line && type->is(TypeKind::kBool)) {
      value = {type, *converter.as_type(value, type, problem)};
    } else if (from_command_line && value.type->is_any_integer() && type->is(TypeKind::kHandle)) {
      value.type = type;
    }
  } else if (param.value != nullptr) {
    value = evaluator.value(*param.value);
  } else {
    fail(Id::kNoValue, at, what, " has no value: it has no default and ",
         instance.importer != nullptr || instance.tile != nullptr
             ? "who uses the file gives none"
             : "the command line gives none with --params or --colors");
  }
  const Result converted = convert(value, type, param, what);
  declaration.cell = std::make_shared<Cell>();
  declaration.cell->type = converted.type;
  declaration.cell->value = converted.value();
  declaration.cell->name = name;
  declaration.cell->instance = &instance;
}

bool Engine::keeps(const Instance& instance, std::string_view name) {
  const auto [known, is_new] = changed_names_.try_emplace(instance.file.get());
  if (is_new) known->second = changed_names(*instance.file);
  return known->second.count(name) == 0;
}

// Nobody else can name a variable of the file of a PE's code, so one that this file does not change stays what it is.
bool Engine::is_constant_descriptor(const Instance& instance, const Variable& variable,
                                    const Result& value) {
  if (!variable.is_var || !value.type->is(TypeKind::kDsd) || value.value().is_undefined())
    return false;
  if (instance.importer != nullptr || instance.tile == nullptr ||
      variable.linkage != Linkage::kNone || !variable.attributes.empty())
    return false;
  return keeps(instance, variable.name.text);
}

void Engine::analyse_variable(Instance& instance, const Global& global, Declaration& declaration) {
  const Variable& variable = global.variable;
  Frame frame(instance);
  Evaluator evaluator(*this, frame);
  const std::string what =
      (variable.is_var ? "the variable " : "the constant ") + in_quotes(variable.name.text);
  if (variable.value == nullptr && variable.type == nullptr)
    fail(Id::kNoInitialValue, global, what, " has neither a type nor a value");
  if (variable.value == nullptr && !variable.is_var && variable.linkage != Linkage::kExtern)
    fail(Id::kNoInitialValue, global, what, " has no value");
  const Type* type =
      variable.type == nullptr ? types.anytype : evaluator.type_of_value(*variable.type);
  if (variable.linkage == Linkage::kExtern) {
    declaration.cell = exported_cell(instance, global, *type);
    return;
  }
  auto cell = std::make_shared<Cell>();
  cell->kind = variable.is_var ? Cell::Kind::kRunTimeVariable : Cell::Kind::kConstant;
  cell->name = variable.name.text;
  cell->instance = &instance;
  cell->declaration = &variable;
  if (variable.value == nullptr) {
    cell->type = type;
    cell->value = undefined_value(*type);
  } else {
    const ExprKind kind = variable.value->kind;
    if (kind == ExprKind::kContainer || kind == ExprKind::kEnum)
      frame.type_name = variable.name.text;
    const Result value = convert(evaluator.value(*variable.value), type, *variable.value, what);
    cell->type = value.type;
    cell->value = value.value();
    if (is_constant_descriptor(instance, variable, value)) {
      cell->kind = Cell::Kind::kConstant;
      if (value.type->name != "mem4d_dsd") {
        Dsd dsd = *value.value().get<std::shared_ptr<const Dsd>>();
        dsd.is_variable = true;
        cell->value = Value{std::make_shared<const Dsd>(std::move(dsd))};
      }
    }
  }
  for (const Attribute& attribute : variable.attributes) {
    if (attribute.name.text == "align") cell->alignment = alignment_of(evaluator, *attribute.value);
    if (attribute.name.text == "linksection") {
      const Result name = evaluator.value(*attribute.value);
      if (!name.value().holds<std::string>())
        fail(Id::kOperandType, *attribute.value, "the name of a section is a string");
      cell->section = name.value().text();
    }
    if (attribute.name.text != "linkname") continue;
    cell->link_name = symbol_name(instance, variable.attributes, variable.name.text);
  }
  declaration.cell = std::move(cell);
}

std::string Engine::symbol_name(Instance& instance, const List<Attribute>& attributes,
                                std::string_view name) {
  for (const Attribute& attribute : attributes) {
    if (attribute.name.text != "linkname") continue;
    Frame frame(instance);
    const Result given = Evaluator(*this, frame).value(*attribute.value);
    if (!given.value().holds<std::string>())
      fail(Id::kOperandType, *attribute.value, "the name of a symbol is a string");
    return given.value().text();
  }
  return std::string(name);
}

std::shared_ptr<Cell> Engine::exported_cell(Instance& instance, const Global& global,
                                            const Type& type) {
  const Variable& variable = global.variable;
  const std::string symbol = symbol_name(instance, variable.attributes, variable.name.text);
  for (Instance* other : instances_of(instance)) {
    for (const Item* item : other->file->items()) {
      const Global* there = if_is<Global>(*item);
      if (there == nullptr || there->variable.linkage != Linkage::kExport) continue;
      const Variable& exported = there->variable;
      if (symbol_name(*other, exported.attributes, exported.name.text) != symbol) continue;
      std::shared_ptr<Cell> cell = cell_of(*other, *other->find(exported.name.text), global);
      if (cell->type != &type || exported.is_var != variable.is_var)
        fail(Id::kExtern, global, "the extern ", variable.is_var ? "variable " : "constant ",
             in_quotes(variable.name.text), " is of type ", in_quotes(type.name), ", and ",
             exported.is_var ? "the variable" : "the constant", " that is exported as ",
             in_quotes(symbol), " is of type ", in_quotes(cell->type->name));
      return cell;
    }
  }
  fail(Id::kExtern, global, "nothing in the code of the PE is exported as ", in_quotes(symbol),
       ", as which the extern variable ", in_quotes(variable.name.text),
       " is declared; there are no other object files");
}

FunctionValue Engine::exported_function(Instance& instance, const Function& function,
                                        const Node& at) {
  const std::string symbol = symbol_name(instance, function.attributes, function.name.text);
  for (Instance* other : instances_of(instance)) {
    for (const Item* item : other->file->items()) {
      const Function* there = if_is<Function>(*item);
      if (there == nullptr || there->linkage != Linkage::kExport) continue;
      if (symbol_name(*other, there->attributes, there->name.text) == symbol) return {other, there};
    }
  }
  fail(Id::kExtern, at, "nothing in the code of the PE is exported as ", in_quotes(symbol),
       ", as which the extern function ", in_quotes(function.name.text),
       " is declared; there are no other object files");
}

const std::vector<Instance*>& Engine::instances_of(const Instance& instance) const {
  static const std::vector<Instance*> kNone;
  const auto found = instances_in_.find(instance.tile);
  return found == instances_in_.end() ? kNone : found->second;
}

}  // namespace tessera::csl
