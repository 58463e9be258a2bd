// Runs statements: at compile time, or as code of the tile (lower/control.h).
#include <algorithm>

#include "frontends/csl/lower/control.h"
#include "frontends/csl/lower/local_names.h"
#include "frontends/csl/lower/loops.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/sema/statement_runner.h"
#include "frontends/csl/syntax/visit.h"

namespace tessera::csl {

Flow StatementRunner::run(const Stmt& s) {
  const auto run_it = [&] { return visit(s, [this](const auto& node) { return on(node); }); };
  FunctionCode* const code = frame_.code;
  if (code == nullptr) return run_it();
  code->builder.set_place(code->tile.place_of(s));
  const std::size_t locals = frame_.locals.size(), begin = frame_.block_begin,
                    targets = frame_.targets.size();
  Flow flow = Flow::kNext;
  if (engine_.goes_on([&] { flow = run_it(); })) return flow;
  // The next statement is analysed as if this one were right; nobody will run the code.
  frame_.code = code;
  if (code->builder.is_closed()) code->builder.enter(code->builder.new_block());
  frame_.locals.resize(std::min(locals, frame_.locals.size()));
  frame_.targets.resize(std::min(targets, frame_.targets.size()));
  frame_.block_begin = begin;
  frame_.statement = nullptr;
  frame_.target = {};
  if (const Local* local = if_is<Local>(s)) declare_mistaken(local->variable.name.text);
  return s.kind == Return::kKind || s.kind == Break::kKind || s.kind == Continue::kKind
             ? Flow::kLeft
             : Flow::kNext;
}

void StatementRunner::declare_mistaken(std::string_view name) {
  auto cell = std::make_shared<Cell>();
  cell->is_mistaken = true;
  frame_.locals.push_back({name, std::move(cell)});
}

void StatementRunner::declare(std::string_view name, Result value, Cell::Kind kind) {
  auto cell = std::make_shared<Cell>();
  cell->kind = kind;
  cell->type = value.type;
  if (value.is_known()) {
    cell->value = std::move(value.value());
  } else {
    cell->operand = std::get<RunTimeOperand>(value.operand);
  }
  cell->name = name;
  if (frame_.code != nullptr) cell->conditions = frame_.code->conditions;
  frame_.locals.push_back({name, std::move(cell)});
}

Flow StatementRunner::on(const Local& s) {
  const Variable& v = s.variable;
  for (std::size_t i = frame_.block_begin; i < frame_.locals.size(); ++i) {
    if (frame_.locals[i].name == v.name.text)
      engine_.fail_at(Id::kDeclaredTwice, s.file, v.name.place,
                      text::joined("the block declares ", in_quotes(v.name.text), " twice"));
  }
  const Type* type = v.type == nullptr ? engine_.types.anytype : evaluator_.type_of_value(*v.type);
  if (v.value == nullptr && v.type == nullptr)
    engine_.fail(Id::kNoInitialValue, s, in_quotes(v.name.text), " has neither a type nor a value");
  const std::string what = (v.is_var ? "the variable " : "the constant ") + in_quotes(v.name.text);
  FunctionCode* code = v.is_comptime ? nullptr : frame_.code;
  Result value{type, Value{}};
  if (v.value == nullptr) {
    value.operand = engine_.undefined_value(*type);
  } else if (code != nullptr) {
    value = evaluator_.converted(evaluator_.operand(*v.value, type), type, *v.value, what);
  } else {
    const AtCompileTime here(frame_);
    value = engine_.convert(evaluator_.operand(*v.value), type, *v.value, what);
  }
  if (code != nullptr && v.is_var && part_for_compiler(*value.type) != nullptr)
    engine_.fail(
        Id::kComptimeOnly, s, what, " is of type ", in_quotes(value.type->name),
        ", whose values exist at compile time only; write 'comptime var', or give it another type");
  if (code != nullptr && v.is_var && size_of(*value.type) > 0) {
    const bool is_descriptor = value.type->is(TypeKind::kDsd) && value.type->name != "mem4d_dsd" &&
                               value.type->name != "circbuf_dsd";
    const ir::VariableId made = declare_variable(evaluator_, v.name.text, value, s);
    if (is_descriptor && engine_.options.passes_descriptors && value.is_known() &&
        if_is<Builtin>(*v.value) != nullptr && engine_.keeps(frame_.instance, v.name.text))
      code->tile.add_stored(made);
    return Flow::kNext;
  }
  if (code != nullptr && !value.is_known()) {
    value = kept_operand(evaluator_, value, v.name.text, s);
    name_constant(evaluator_, value, v.name.text, s);
  }
  declare(v.name.text, std::move(value),
          v.is_var ? Cell::Kind::kComptimeVariable : Cell::Kind::kConstant);
  frame_.locals.back().cell->takes_any_struct = type->is(TypeKind::kAnyStruct);
  return Flow::kNext;
}

Flow StatementRunner::on(const ExpressionStmt& s) {
  if (const Block* block = if_is<Block>(*s.value)) {
    if (frame_.code != nullptr) return run_block(*this, *block);
    const Flow flow = evaluator_.run(*block);
    const bool leaves =
        flow == Flow::kBreak && !block->label.text.empty() && frame_.target == block->label.text;
    if (leaves) frame_.target = {};
    return leaves ? Flow::kNext : flow;
  }
  frame_.statement = s.value;
  const Result result = evaluator_.operand(*s.value);
  frame_.statement = nullptr;
  return result.type->is(TypeKind::kNoReturn) ? Flow::kLeft : Flow::kNext;
}

Location StatementRunner::target_of(const Assign& s) {
  std::optional<Location> target = evaluator_.locate(*s.target);
  if (target) return *std::move(target);
  evaluator_.operand(*s.target);  // says so if nothing has the name
  engine_.fail(Id::kConstant, *s.target, "this cannot be assigned to");
}

Flow StatementRunner::on(const Assign& s) {
  if (const NameExpr* name = if_is<NameExpr>(*s.target)) {
    if (name->name == "_") {
      evaluator_.operand(*s.value);
      return Flow::kNext;
    }
  }
  if (frame_.code == nullptr) {
    Result value = evaluator_.value(*s.value);
    const Location target = target_of(s);
    if (s.op) value = evaluator_.binary(*s.op, evaluator_.load(target, s), std::move(value), s);
    evaluator_.store(target, value, s);
    return Flow::kNext;
  }
  const Location target = target_of(s);
  Result value;
  if (s.op) {
    Result before = evaluator_.load(target, s);
    const bool is_shift = *s.op == BinaryOp::kShiftLeft || *s.op == BinaryOp::kShiftRight;
    Result by = evaluator_.operand(*s.value, is_shift ? nullptr : before.type);
    value = evaluator_.binary(*s.op, std::move(before), std::move(by), s);
  } else {
    value = evaluator_.operand(*s.value, target.type);
  }
  evaluator_.store(target, value, s);
  return Flow::kNext;
}

Flow StatementRunner::on(const Return& s) {
  if (frame_.code != nullptr) return run_return(*this, s);
  frame_.result = s.value == nullptr ? evaluator_.void_result()
                                     : evaluator_.value(*s.value, frame_.return_type);
  return Flow::kReturn;
}

Flow StatementRunner::on(const Break& s) {
  if (frame_.code != nullptr) return run_break(*this, s);
  frame_.result = s.value == nullptr ? evaluator_.void_result() : evaluator_.value(*s.value);
  frame_.target = s.label.text;
  return Flow::kBreak;
}

Flow StatementRunner::on(const Continue& s) {
  if (frame_.code != nullptr) return run_continue(*this, s);
  frame_.target = s.label.text;
  return Flow::kContinue;
}

Flow StatementRunner::on(const BlockStmt& s) {
  if (frame_.code != nullptr && !s.block->label.text.empty()) return run_block(*this, *s.block);
  const Flow flow = evaluator_.run(*s.block);
  const std::string_view label = s.block->label.text;
  if (flow == Flow::kBreak && !label.empty() && frame_.target == label) {
    frame_.target = {};
    return Flow::kNext;
  }
  return flow;
}

Flow StatementRunner::on(const ComptimeStmt& s) {
  const AtCompileTime here(frame_);
  return evaluator_.run(*s.block);
}

Flow StatementRunner::on(const SwitchStmt& s) {
  if (frame_.code != nullptr) return run_switch(*this, s);
  return run(*evaluator_.chosen(evaluator_.value(*s.subject), s.arms, s)->body);
}

Flow StatementRunner::on(const IfStmt& s) {
  const Engine::Depth guard(engine_, s, false);
  if (frame_.code != nullptr) return run_if(*this, s);
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
  if (frame_.code != nullptr && !s.is_inline) return run_while(*this, s);
  std::optional<UnrolledLoop> unrolled;
  if (frame_.code != nullptr)
    unrolled.emplace(evaluator_, s.label.text, s.is_inline ? engine_.options.most_inlined : 0);
  while (evaluator_.condition(*s.condition, "the condition")) {
    engine_.step(s);
    const Flow flow = evaluator_.run(*s.body);
    if (unrolled) {
      if (!unrolled->after_body(flow, s)) return unrolled->end(false);
    } else if (const std::optional<Flow> end = after_body(flow, s.label)) {
      return *end;
    }
    if (s.step != nullptr) run(*s.step);
  }
  return unrolled ? unrolled->end(true) : Flow::kNext;
}

template <class Declare>
std::optional<Flow> StatementRunner::iteration(const For& s, UnrolledLoop* unrolled,
                                               const Declare& declare_names) {
  engine_.step(s);
  const Scope scope(frame_);
  declare_names();
  const Flow flow = evaluator_.run(*s.body);
  if (unrolled == nullptr) return after_body(flow, s.label);
  if (unrolled->after_body(flow, s)) return std::nullopt;
  return unrolled->end(false);
}

Flow StatementRunner::over_range(const For& s, const Result& range) {
  std::optional<UnrolledLoop> unrolled;
  if (frame_.code != nullptr)
    unrolled.emplace(evaluator_, s.label.text, s.is_inline ? engine_.options.most_inlined : 0);
  const Aggregate& parts = range.value().elements();
  const BigInt stop = parts[1].integer(), step = parts[2].integer();
  std::int64_t number = 0;
  for (BigInt i = parts[0].integer(); step > 0 ? i < stop : i > stop; i += step) {
    const std::optional<Flow> end = iteration(s, unrolled ? &*unrolled : nullptr, [&] {
      declare(s.element.text, {range.type->element, Value{i}}, Cell::Kind::kConstant);
      if (!s.index.text.empty())
        declare(s.index.text, {engine_.types.word("u16"), Value{BigInt(number)}},
                Cell::Kind::kConstant);
    });
    if (end) return *end;
    ++number;
  }
  return unrolled ? unrolled->end(true) : Flow::kNext;
}

Flow StatementRunner::over_elements(const For& s, const Result& range) {
  std::optional<UnrolledLoop> unrolled;
  if (frame_.code != nullptr)
    unrolled.emplace(evaluator_, s.label.text, s.is_inline ? engine_.options.most_inlined : 0);
  const bool is_array = range.type->is(TypeKind::kArray);
  const std::size_t count =
      is_array ? static_cast<std::size_t>(range.type->count()) : range.type->fields.size();
  const bool needs_element = s.element.text != "_";  // the index alone needs no value
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<Flow> end = iteration(s, unrolled ? &*unrolled : nullptr, [&] {
      if (needs_element)
        declare(s.element.text, part_of(evaluator_, range, i, *s.range), Cell::Kind::kConstant);
      if (!s.index.text.empty())
        declare(s.index.text, {engine_.types.word("u16"), Value{BigInt(i)}}, Cell::Kind::kConstant);
    });
    if (end) return *end;
  }
  return unrolled ? unrolled->end(true) : Flow::kNext;
}

Flow StatementRunner::on(const For& s) {
  const Result range = evaluator_.operand(*s.range);
  const bool makes_loop = frame_.code != nullptr && !s.is_inline;
  if (range.type->is(TypeKind::kRange)) {
    if (makes_loop && register_type(*range.type->element)) return run_for_range(*this, s, range);
    engine_.known(range, *s.range);
    return over_range(s, range);
  }
  if (!range.type->is_aggregate())
    engine_.fail(Id::kRange, *s.range, "a loop does not run over a value of type ",
                 in_quotes(range.type->name));
  const bool is_array = range.type->is(TypeKind::kArray);
  if (makes_loop && is_array && register_type(*range.type->element))
    return run_for_array(*this, s, range);
  return over_elements(s, range);
}

Flow Evaluator::run(const Block& block) {
  const Engine::Depth depth(engine_, block, false);
  const std::size_t outer = frame_.locals.size(), outer_begin = frame_.block_begin;
  const std::uint32_t outer_line = frame_.last_line;
  frame_.block_begin = outer;
  frame_.last_line = block.last_line;
  StatementRunner runner(*this);
  Flow flow = Flow::kNext;
  for (const Stmt* statement : block.statements) {
    flow = runner.run(*statement);
    if (flow != Flow::kNext) break;
  }
  frame_.locals.resize(outer);
  frame_.block_begin = outer_begin;
  frame_.last_line = outer_line;
  return flow;
}

void run_top_block(Engine& engine, Instance& instance, const Block& block) {
  Frame frame(instance);
  Evaluator evaluator(engine, frame);
  // A mistake in one statement of a comptime or layout block says nothing of the others, but those of a layout need a
  // rectangle.
  StatementRunner runner(evaluator);
  for (const Stmt* statement : block.statements) {
    if (engine.goes_on([&] { runner.run(*statement); })) continue;
    if (const Local* local = if_is<Local>(*statement)) {
      runner.declare_mistaken(local->variable.name.text);
    } else if (engine.tile() != nullptr) {
      engine.tile()->lacks_declarations = true;
    } else if (engine.program().width == 0) {
      break;
    }
  }
}

}  // namespace tessera::csl
