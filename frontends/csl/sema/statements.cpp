// Runs statements at compile time.
#include "frontends/csl/sema/evaluator.h"
#include "frontends/csl/visit.h"

namespace tessera::csl {

class StatementRunner {
 public:
  explicit StatementRunner(Evaluator& evaluator)
      : evaluator_(evaluator), engine_(evaluator.engine_), frame_(evaluator.frame_) {}

  Flow run(const Stmt& s) {
    return visit(s, [this](const auto& node) { return on(node); });
  }

 private:
  /// Names that a statement declares are gone when it ends.
  class Scope {
   public:
    explicit Scope(Frame& frame) : frame_(frame), size_(frame.locals.size()) {}
    ~Scope() { frame_.locals.resize(size_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Frame& frame_;
    const std::size_t size_;
  };

  Flow on(const Local& s);
  Flow on(const ExpressionStmt& s);
  Flow on(const Assign& s);
  Flow on(const Return& s);
  Flow on(const Break& s);
  Flow on(const Continue& s);
  Flow on(const BlockStmt& s);
  Flow on(const IfStmt& s);
  Flow on(const While& s);
  Flow on(const For& s);
  Flow on(const SwitchStmt& s) { return run(*evaluator_.chosen(*s.subject, s.arms, s)->body); }
  Flow on(const ComptimeStmt& s) { return evaluator_.run(*s.block); }

  void declare(std::string_view name, Result value, Cell::Kind kind);
  /// What a loop does when its body ends so: nothing means the next iteration.
  std::optional<Flow> after_body(Flow flow, const Name& label);
  Flow over_range(const For& s, const Result& range);

  Evaluator& evaluator_;
  Engine& engine_;
  Frame& frame_;
};

void StatementRunner::declare(std::string_view name, Result value, Cell::Kind kind) {
  auto cell = std::make_shared<Cell>();
  cell->kind = kind;
  cell->type = value.type;
  cell->value = std::move(value.value());
  cell->name = name;
  frame_.locals.push_back({name, std::move(cell)});
}

Flow StatementRunner::on(const Local& s) {
  const Variable& v = s.variable;
  const Type* type = v.type == nullptr ? engine_.types.anytype : evaluator_.type(*v.type);
  if (v.value == nullptr && v.type == nullptr)
    engine_.fail(s, in_quotes(v.name.text), " has neither a type nor a value");
  Result value = v.value == nullptr
                     ? Result{type, engine_.undefined_value(*type)}
                     : engine_.convert(evaluator_.operand(*v.value), type, *v.value,
                                       (v.is_var ? "the variable " : "the constant ") +
                                           in_quotes(v.name.text));
  declare(v.name.text, std::move(value),
          v.is_var ? Cell::Kind::kComptimeVariable : Cell::Kind::kConstant);
  frame_.locals.back().cell->takes_any_struct = type->is(TypeKind::kAnyStruct);
  return Flow::kNext;
}

Flow StatementRunner::on(const ExpressionStmt& s) {
  if (const Block* block = if_is<Block>(*s.value)) {
    const Flow flow = evaluator_.run(*block);
    const bool leaves =
        flow == Flow::kBreak && !block->label.text.empty() && frame_.target == block->label.text;
    if (leaves) frame_.target = {};
    return leaves ? Flow::kNext : flow;
  }
  evaluator_.operand(*s.value);
  return Flow::kNext;
}

Flow StatementRunner::on(const Assign& s) {
  Result value = evaluator_.value(*s.value);
  if (const NameExpr* name = if_is<NameExpr>(*s.target)) {
    if (name->name == "_") return Flow::kNext;
  }
  const std::optional<Location> target = evaluator_.locate(*s.target);
  if (!target) engine_.fail(*s.target, "this cannot be assigned to");
  if (s.op) value = evaluator_.binary(*s.op, evaluator_.load(*target, s), std::move(value), s);
  evaluator_.store(*target, value, s);
  return Flow::kNext;
}

Flow StatementRunner::on(const Return& s) {
  frame_.result = s.value == nullptr ? evaluator_.void_result() : evaluator_.value(*s.value);
  return Flow::kReturn;
}

Flow StatementRunner::on(const Break& s) {
  frame_.result = s.value == nullptr ? evaluator_.void_result() : evaluator_.value(*s.value);
  frame_.target = s.label.text;
  return Flow::kBreak;
}

Flow StatementRunner::on(const Continue& s) {
  frame_.target = s.label.text;
  return Flow::kContinue;
}

Flow StatementRunner::on(const BlockStmt& s) {
  const Flow flow = evaluator_.run(*s.block);
  const std::string_view label = s.block->label.text;
  if (flow == Flow::kBreak && !label.empty() && frame_.target == label) {
    frame_.target = {};
    return Flow::kNext;
  }
  return flow;
}

Flow StatementRunner::on(const IfStmt& s) {
  const Scope scope(frame_);
  if (evaluator_.condition(*s.condition, "the condition")) return run(*s.then);
  return s.otherwise == nullptr ? Flow::kNext : run(*s.otherwise);
}

std::optional<Flow> StatementRunner::after_body(Flow flow, const Name& label) {
  if (flow == Flow::kNext) return std::nullopt;
  if (flow == Flow::kReturn) return flow;
  const bool is_ours =
      frame_.target.empty() || (!label.text.empty() && frame_.target == label.text);
  if (!is_ours) return flow;
  frame_.target = {};
  if (flow == Flow::kContinue) return std::nullopt;
  return Flow::kNext;
}

Flow StatementRunner::on(const While& s) {
  while (evaluator_.condition(*s.condition, "the condition")) {
    engine_.step(s);
    if (const std::optional<Flow> end = after_body(evaluator_.run(*s.body), s.label)) return *end;
    if (s.step != nullptr) run(*s.step);
  }
  return Flow::kNext;
}

Flow StatementRunner::over_range(const For& s, const Result& range) {
  const Aggregate& parts = range.value().elements();
  const BigInt stop = parts[1].integer(), step = parts[2].integer();
  std::int64_t number = 0;
  for (BigInt i = parts[0].integer(); step > 0 ? i < stop : i > stop; i += step) {
    engine_.step(s);
    const Scope scope(frame_);
    declare(s.element.text, {range.type->element, Value{i}}, Cell::Kind::kConstant);
    if (!s.index.text.empty())
      declare(s.index.text, {engine_.types.word("u16"), Value{BigInt(number)}},
              Cell::Kind::kConstant);
    ++number;
    if (const std::optional<Flow> end = after_body(evaluator_.run(*s.body), s.label)) return *end;
  }
  return Flow::kNext;
}

Flow StatementRunner::on(const For& s) {
  const Result range = evaluator_.operand(*s.range);
  if (range.type->is(TypeKind::kRange)) {
    engine_.known(range, *s.range);
    return over_range(s, range);
  }
  if (!range.type->is_aggregate())
    engine_.fail(*s.range, "a loop does not run over a value of type ",
                 in_quotes(range.type->name));
  const bool is_array = range.type->is(TypeKind::kArray);
  const std::size_t count =
      is_array ? static_cast<std::size_t>(range.type->count()) : range.type->fields.size();
  const bool needs_element = s.element.text != "_";  // the index alone needs no value
  for (std::size_t i = 0; i < count; ++i) {
    engine_.step(s);
    const Scope scope(frame_);
    if (needs_element)
      declare(s.element.text,
              {is_array ? range.type->element : range.type->fields[i].type,
               engine_.known(range, *s.range).elements()[i]},
              Cell::Kind::kConstant);
    if (!s.index.text.empty())
      declare(s.index.text, {engine_.types.word("u16"), Value{BigInt(i)}}, Cell::Kind::kConstant);
    if (const std::optional<Flow> end = after_body(evaluator_.run(*s.body), s.label)) return *end;
  }
  return Flow::kNext;
}

Flow Evaluator::run(const Block& block) {
  const Engine::Depth depth(engine_, block, false);
  const std::size_t outer = frame_.locals.size();
  StatementRunner runner(*this);
  Flow flow = Flow::kNext;
  for (const Stmt* statement : block.statements) {
    flow = runner.run(*statement);
    if (flow != Flow::kNext) break;
  }
  frame_.locals.resize(outer);
  return flow;
}

void run_top_block(Engine& engine, Instance& instance, const Block& block) {
  Frame frame(instance);
  Evaluator(engine, frame).run(block);
}

}  // namespace tessera::csl
