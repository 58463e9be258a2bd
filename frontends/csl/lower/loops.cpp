#include "frontends/csl/lower/loops.h"

#include "frontends/csl/lower/control.h"
#include "frontends/csl/lower/local_names.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/sema/statement_runner.h"
#include "frontends/csl/syntax/operators.h"

namespace tessera::csl {
namespace {

using text::in_quotes;

JumpTarget& find_target(Evaluator& evaluator, std::string_view label, const Node& at) {
  std::vector<JumpTarget*>& targets = evaluator.frame().targets;
  for (auto target = targets.rbegin(); target != targets.rend(); ++target) {
    if (label.empty() ? (*target)->is_loop : (*target)->label == label) return **target;
  }
  if (label.empty()) evaluator.engine().fail(Id::kLabel, at, "there is no loop around this");
  evaluator.engine().fail(Id::kLabel, at, "no loop or block around this is called ",
                          in_quotes(label));
}

}  // namespace

namespace {

const Result kNothing{};

/// The body of a loop of the running program, and its step after it. Goes on after the loop.
template <class Step>
Flow loop_body(StatementRunner& runner, const Block& body, JumpTarget& target, ir::BlockId header,
               const Step& step) {
  Evaluator& evaluator = runner.evaluator();
  ir::Builder& builder = code_of(evaluator).builder;
  const Result nothing{evaluator.engine().types.void_type, Value{Void{}}};
  {
    const WithTarget with(evaluator.frame(), target);
    if (evaluator.run(body) == Flow::kNext) target.continues.add(builder.current(), nothing);
  }
  if (!target.continues.empty()) {
    target.continues.join(builder);
    step();
    builder.jump(header);
  }
  if (target.breaks.empty()) return Flow::kLeft;
  target.breaks.join(builder);
  return Flow::kNext;
}

}  // namespace

Flow run_while(StatementRunner& runner, const While& s) {
  Evaluator& evaluator = runner.evaluator();
  FunctionCode& code = code_of(evaluator);
  ir::Builder& builder = code.builder;
  const Result nothing{evaluator.engine().types.void_type, Value{Void{}}};
  const ir::BlockId header = builder.new_block(), body = builder.new_block(),
                    exit = builder.new_block();
  builder.jump(header);
  builder.enter(header);
  JumpTarget target;
  target.label = s.label.text;
  const UnderCondition condition(code);
  const std::optional<bool> known = branch_on(evaluator, *s.condition, body, exit);
  if (known && !*known) return Flow::kNext;
  if (known) {
    builder.jump(body);
  } else {
    target.breaks.add(exit, nothing);
  }
  builder.enter(body);
  return loop_body(runner, *s.body, target, header, [&] {
    if (s.step != nullptr) runner.run(*s.step);
  });
}

namespace {

/// What is declared meanwhile is known to the last line of a block.
class BlockLines {
 public:
  BlockLines(Frame& frame, const Block& block) : frame_(frame), before_(frame.last_line) {
    frame.last_line = block.last_line;
  }
  ~BlockLines() { frame_.last_line = before_; }
  BlockLines(const BlockLines&) = delete;
  BlockLines& operator=(const BlockLines&) = delete;

 private:
  Frame& frame_;
  const std::uint32_t before_;
};

/// A counter of the running program.
struct Counter {
  const Type* type = nullptr;
  ir::Value address;

  /// `loop`: where its name is known.
  Counter(Evaluator& evaluator, std::string_view name, const Type* of, const ir::Value& start,
          const For& loop)
      : type(of) {
    FunctionCode& code = code_of(evaluator);
    const std::string called = name == "_" || name.empty() ? "counter" : std::string(name);
    const ir::VariableId variable = code.builder.local(called, *register_type(*of));
    const BlockLines lines(evaluator.frame(), *loop.body);
    name_variable(evaluator, variable, name, *of, loop);
    address = ir::address_of(variable);
    code.builder.store(address, start);
  }
  ir::Value load(FunctionCode& code) const {
    return code.builder.load(*register_type(*type), address);
  }
  void add(FunctionCode& code, const ir::Value& step) const {
    const ir::Value sum = code.builder.binary(ir::Op::kAdd, load(code), step);
    code.builder.store(address, wrapped_to(code.builder, *type, sum));
  }
};

void declare_counter(StatementRunner& runner, std::string_view name, const Counter& counter) {
  if (name.empty() || name == "_") return;
  // The name is a constant of the body: it reads the counter when it is mentioned.
  runner.declare(name, operand_at(counter.type, {counter.address, 0}), Cell::Kind::kConstant);
}

/// Whether the last step of a range whose parts are known leaves its type.
bool wraps(const Type& type, const BigInt& start, const BigInt& stop, const BigInt& step) {
  const BigInt distance = step > 0 ? BigInt(stop - start) : BigInt(start - stop);
  const BigInt size = step > 0 ? step : BigInt(-step);
  if (distance <= 0) return false;
  const BigInt trips = (distance + size - 1) / size;
  return !fits(type, start + trips * step);
}

}  // namespace

Flow run_for_range(StatementRunner& runner, const For& s, const Result& range) {
  Evaluator& evaluator = runner.evaluator();
  FunctionCode& code = code_of(evaluator);
  ir::Builder& builder = code.builder;
  const Scope scope(evaluator.frame());
  const Type* type = range.type->element;
  const Result start = part_of(evaluator, range, 0, *s.range),
               stop = part_of(evaluator, range, 1, *s.range),
               step = part_of(evaluator, range, 2, *s.range);
  bool leaves_type = false;
  if (range.is_known()) {
    const BigInt &a = start.value().integer(), &b = stop.value().integer(),
                 &c = step.value().integer();
    if (c > 0 ? a >= b : a <= b) return Flow::kNext;
    leaves_type = wraps(*type, a, b, c);
  }
  const ir::Value first = scalar(evaluator, start, *s.range);
  const ir::Value last = scalar(evaluator, stop, *s.range);
  const ir::Value distance = scalar(evaluator, step, *s.range);
  const Counter counter(evaluator, s.element.text, type, first, s);
  const bool has_index = !s.index.text.empty() && s.index.text != "_";
  const Type* u16 = evaluator.engine().types.word("u16");
  std::optional<Counter> index;
  if (has_index) index.emplace(evaluator, s.index.text, u16, ir::constant(ir::Type::kU16, 0), s);
  const ir::BlockId header = builder.new_block(), body = builder.new_block(),
                    exit = builder.new_block();
  builder.jump(leaves_type ? body : header);
  builder.enter(header);
  const UnderCondition condition(code);
  const ir::Value now = counter.load(code);
  if (leaves_type) {
    // The trips are known, at least one: the value after the last one ends the loop, wrapped as the sum is. It may be the first.
    const BigInt &a = start.value().integer(), &b = stop.value().integer(),
                 &c = step.value().integer();
    const BigInt trips = c > 0 ? BigInt((b - a + c - 1) / c) : BigInt((a - b - c - 1) / -c);
    const Value end{wrapped(*type, a + trips * c)};
    builder.branch(ir::Condition::kNe, now, scalar(evaluator, {type, end}, *s.range), body, exit);
  } else if (step.is_known()) {
    const bool is_up = step.value().integer() > 0;
    builder.branch(is_up ? ir::Condition::kLt : ir::Condition::kGt, now, last, body, exit);
  } else {
    const ir::BlockId up = builder.new_block(), down = builder.new_block();
    builder.branch(ir::Condition::kGt, distance, ir::constant(distance.type, 0), up, down);
    builder.enter(up);
    builder.branch(ir::Condition::kLt, now, last, body, exit);
    builder.enter(down);
    builder.branch(ir::Condition::kGt, now, last, body, exit);
  }
  JumpTarget target;
  target.label = s.label.text;
  target.breaks.add(exit, {evaluator.engine().types.void_type, Value{Void{}}});
  builder.enter(body);
  declare_counter(runner, s.element.text, counter);
  if (index) declare_counter(runner, s.index.text, *index);
  return loop_body(runner, *s.body, target, header, [&] {
    counter.add(code, distance);
    if (index) index->add(code, ir::constant(ir::Type::kU16, 1));
  });
}

Flow run_for_array(StatementRunner& runner, const For& s, const Result& array) {
  Evaluator& evaluator = runner.evaluator();
  FunctionCode& code = code_of(evaluator);
  ir::Builder& builder = code.builder;
  const Scope scope(evaluator.frame());
  const Type* element = array.type->element;
  Storage base;
  if (s.element.text != "_") {
    const auto* place = std::get_if<RunTimeOperand>(&array.operand);
    const auto* storage = place == nullptr ? nullptr : std::get_if<Storage>(&place->place);
    base = storage != nullptr ? *storage : in_memory(evaluator, array, "table", *s.range);
  }
  const Counter counter(evaluator, s.index.text, evaluator.engine().types.word("u16"),
                        ir::constant(ir::Type::kU16, 0), s);
  const ir::BlockId header = builder.new_block(), body = builder.new_block(),
                    exit = builder.new_block();
  builder.jump(header);
  builder.enter(header);
  const UnderCondition condition(code);
  builder.branch(ir::Condition::kLt, counter.load(code),
                 ir::constant(ir::Type::kU16, static_cast<std::uint32_t>(array.type->count())),
                 body, exit);
  JumpTarget target;
  target.label = s.label.text;
  target.breaks.add(exit, {evaluator.engine().types.void_type, Value{Void{}}});
  builder.enter(body);
  if (s.element.text != "_") {
    const Storage place{builder.element(base.address, counter.load(code),
                                        static_cast<unsigned>(size_of(*element)), 0),
                        base.offset};
    Result value = load_operand(evaluator, element, place, s);
    const BlockLines lines(evaluator.frame(), *s.body);
    name_constant(evaluator, value, s.element.text, s);
    runner.declare(s.element.text, std::move(value), Cell::Kind::kConstant);
  }
  declare_counter(runner, s.index.text, counter);
  return loop_body(runner, *s.body, target, header,
                   [&] { counter.add(code, ir::constant(ir::Type::kU16, 1)); });
}

Flow run_break(StatementRunner& runner, const Break& s) {
  Evaluator& evaluator = runner.evaluator();
  JumpTarget& target = find_target(evaluator, s.label.text, s);
  const Result value =
      s.value == nullptr ? evaluator.void_result() : evaluator.operand(*s.value, target.expected);
  target.breaks.add(code_of(evaluator).builder.current(), value);
  return Flow::kLeft;
}

Flow run_continue(StatementRunner& runner, const Continue& s) {
  Evaluator& evaluator = runner.evaluator();
  JumpTarget& target = find_target(evaluator, s.label.text, s);
  target.continues.add(code_of(evaluator).builder.current(), evaluator.void_result());
  return Flow::kLeft;
}

UnrolledLoop::UnrolledLoop(Evaluator& evaluator, std::string_view label, std::uint64_t most)
    : evaluator_(evaluator), most_(most) {
  target_.label = label;
  evaluator.frame().targets.push_back(&target_);
}

UnrolledLoop::~UnrolledLoop() {
  evaluator_.frame().targets.pop_back();
}

bool UnrolledLoop::after_body(Flow flow, const Node& at) {
  if (++count_ > most_ && most_ != 0)
    evaluator_.engine().fail(Id::kLimit, at, "the inline loop has more than ", most_,
                             " iterations (--max-inlined-iterations)");
  ir::Builder& builder = code_of(evaluator_).builder;
  if (flow == Flow::kNext) target_.continues.add(builder.current(), evaluator_.void_result());
  if (target_.continues.empty()) return false;
  target_.continues.join(builder);
  target_.continues = {};
  return true;
}

Flow UnrolledLoop::end(bool goes_on) {
  ir::Builder& builder = code_of(evaluator_).builder;
  if (goes_on) target_.breaks.add(builder.current(), evaluator_.void_result());
  if (target_.breaks.empty()) return Flow::kLeft;
  target_.breaks.join(builder);
  return Flow::kNext;
}

}  // namespace tessera::csl
