#include "frontends/csl/lower/control.h"

#include <algorithm>
#include <set>

#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"
#include "frontends/csl/sema/statement_runner.h"
#include "frontends/csl/syntax/operators.h"

namespace tessera::csl {
namespace {

using text::in_quotes;

bool is_valueless(const Result& value) {
  return value.type->is(TypeKind::kVoid) || value.type->is(TypeKind::kNoReturn);
}

/// A type that takes the values of all ways.
const Type* common_of(Evaluator& evaluator, const std::vector<std::pair<ir::BlockId, Result>>& ends,
                      const Node& at) {
  Result all = ends.front().second;
  for (const auto& [block, value] : ends) {
    const Type* common = common_type(evaluator.engine(), all, value);
    if (common == nullptr)
      evaluator.engine().fail(Id::kBranches, at, "the branches have values of the types ",
                              in_quotes(all.type->name), " and ", in_quotes(value.type->name));
    if (common != all.type) all = value.type == common ? value : all;
    if (all.type != common) all.type = common;
  }
  return all.type;
}

/// Numbers without a type of their own get one when the running program chooses among them.
const Type* run_time_type(Evaluator& evaluator, const Type* type, const Type* expected) {
  const bool is_open = type->is(TypeKind::kComptimeInt) || type->is(TypeKind::kComptimeFloat);
  if (!is_open) return type;
  if (expected != nullptr && (expected->is(TypeKind::kInteger) || expected->is(TypeKind::kFloat)))
    return expected;
  return evaluator.engine().types.word(type->is(TypeKind::kComptimeInt) ? "i16" : "f32");
}

}  // namespace

void Ends::join(ir::Builder& builder) {
  if (ends_.size() == 1) return builder.enter(ends_[0].first);
  const ir::BlockId join = builder.new_block();
  for (const auto& [block, value] : ends_) {
    builder.enter(block);
    builder.jump(join);
  }
  builder.enter(join);
}

Result Ends::join(Evaluator& evaluator, const Type* type, const Node& at) {
  FunctionCode& code = code_of(evaluator);
  ir::Builder& builder = code.builder;
  if (ends_.size() == 1 || std::all_of(ends_.begin(), ends_.end(),
                                       [](const auto& end) { return is_valueless(end.second); })) {
    const Result value = ends_[0].second;
    join(builder);
    if (type != nullptr && !is_valueless(value))
      return evaluator.converted(value, type, at, "the value");
    return value;
  }
  const bool is_given =
      type != nullptr && part_for_compiler(*type) == nullptr && !type->is(TypeKind::kAnytype);
  const Type* common =
      is_given ? type : run_time_type(evaluator, common_of(evaluator, ends_, at), type);
  const std::optional<ir::Type> in_register = register_type(*common);
  ir::Value result;
  Storage storage;
  if (in_register) {
    result = ir::reg(*in_register, builder.new_register(*in_register));
  } else {
    const auto words = static_cast<std::uint32_t>((size_of(*common) + 1) / 2);
    if (words == 0)
      evaluator.engine().fail(Id::kComptimeOnly, at,
                              "the running program chooses among values of type ",
                              in_quotes(common->name), ", which exist at compile time only");
    storage.address = ir::address_of(builder.local("choice", ir::Type::kU16, words));
  }
  const ir::BlockId join = builder.new_block();
  for (const auto& [block, value] : ends_) {
    builder.enter(block);
    const Result converted = evaluator.converted(value, common, at, "the value of a branch");
    if (in_register) {
      builder.assign(result, scalar(evaluator, converted, at));
    } else {
      store_operand(evaluator, *common, storage, converted, at);
    }
    builder.jump(join);
  }
  builder.enter(join);
  return in_register ? operand_of(common, result) : load_operand(evaluator, common, storage, at);
}

// Conditions

namespace {

Result bool_operand(Evaluator& evaluator, const Expr& e, const std::string& what) {
  Result value = evaluator.operand(e);
  if (!value.type->is(TypeKind::kBool))
    evaluator.engine().fail(Id::kNotBool, e, what, " is of type ", in_quotes(value.type->name),
                            " instead of 'bool'");
  return value;
}

}  // namespace

std::optional<bool> branch_on(Evaluator& evaluator, const Expr& e, ir::BlockId yes,
                              ir::BlockId no) {
  const Engine::Depth depth(evaluator.engine(), e, false);
  FunctionCode& code = code_of(evaluator);
  if (const Unary* unary = if_is<Unary>(e); unary != nullptr && unary->op == UnaryOp::kNot) {
    const std::optional<bool> known = branch_on(evaluator, *unary->operand, no, yes);
    return known ? std::optional<bool>(!*known) : std::nullopt;
  }
  const Binary* binary = if_is<Binary>(e);
  const bool is_and = binary != nullptr && binary->op == BinaryOp::kAnd;
  const bool is_or = binary != nullptr && binary->op == BinaryOp::kOr;
  if (!is_and && !is_or) {
    const Result condition = bool_operand(evaluator, e, "the condition");
    if (condition.is_known()) {
      if (condition.value().is_undefined())
        evaluator.engine().fail(Id::kUndefined, e, "the condition is undefined");
      return condition.value().get<bool>();
    }
    code.builder.branch(scalar(evaluator, condition, e), yes, no);
    return std::nullopt;
  }
  const ir::BlockId right = code.builder.new_block();
  const std::optional<bool> left =
      branch_on(evaluator, *binary->left, is_and ? right : yes, is_and ? no : right);
  if (left) {
    if (*left == is_or) return left;
    return branch_on(evaluator, *binary->right, yes, no);
  }
  const UnderCondition condition(code);
  code.builder.enter(right);
  const std::optional<bool> second = branch_on(evaluator, *binary->right, yes, no);
  if (second) code.builder.jump(*second ? yes : no);
  return std::nullopt;
}

Result logic_operand(Evaluator& evaluator, const Binary& e) {
  FunctionCode& code = code_of(evaluator);
  const std::string what = "an operand of " + in_quotes(spelling(e.op).text);
  const Result left = bool_operand(evaluator, *e.left, what);
  const bool is_or = e.op == BinaryOp::kOr;
  if (left.is_known())
    return left.value().get<bool>() == is_or ? left : bool_operand(evaluator, *e.right, what);
  ir::Builder& builder = code.builder;
  const ir::BlockId right = builder.new_block(), join = builder.new_block();
  const ir::Value result = ir::reg(ir::Type::kBool, builder.new_register(ir::Type::kBool));
  const ir::Value first = scalar(evaluator, left, *e.left);
  builder.assign(result, first);
  builder.branch(first, is_or ? join : right, is_or ? right : join);
  const UnderCondition condition(code);
  builder.enter(right);
  const Result second = bool_operand(evaluator, *e.right, what);
  builder.assign(result, scalar(evaluator, second, *e.right));
  builder.jump(join);
  builder.enter(join);
  return operand_of(left.type, result);
}

// Expressions with branches

namespace {

/// The value of an arm, at the end of which its block stays open; none if it leaves.
void add_arm(Evaluator& evaluator, const Expr& arm, const Type* expected, Ends& ends) {
  const Result value = evaluator.operand(arm, expected);
  if (!value.type->is(TypeKind::kNoReturn)) ends.add(code_of(evaluator).builder.current(), value);
}

Result joined_or_left(Evaluator& evaluator, Ends& ends, const Type* expected, const Node& at) {
  if (ends.empty()) return {evaluator.engine().types.noreturn, Value{Void{}}};
  return ends.join(evaluator, expected, at);
}

/// The values of the arms of a switch: each comes once, and without `else` they are all that there are.
class SwitchCases {
 public:
  SwitchCases(const Engine& engine, const Type& type, const Node& at)
      : engine_(engine), type_(type) {
    if (type.is_any_float() || type.is(TypeKind::kPointer))
      engine.fail(Id::kSwitchArms, at, "a switch does not take a value of type ",
                  in_quotes(type.name));
  }
  void add(const Result& value, const Node& at) {
    const std::string text = text_of(*value.type, value.value(), true);
    if (!seen_.insert(text).second) engine_.fail(Id::kSwitchArms, at, "two arms are for ", text);
    if (value.type->is_any_integer())
      add_range(value.value().integer(), value.value().integer(), at);
  }
  void add_range(const BigInt& first, const BigInt& last, const Node& at) {
    for (const auto& [low, high] : ranges_) {
      if (first <= high && low <= last)
        engine_.fail(Id::kSwitchArms, at, "two arms are for ",
                     BigInt(first > low ? first : low).str());
    }
    ranges_.emplace_back(first, last);
  }
  void check_all(const Node& at) const {
    if (type_.is(TypeKind::kBool) && seen_.size() == 2) return;
    if (type_.is(TypeKind::kInteger) && has_all_integers()) return;
    if (!type_.is(TypeKind::kEnum))
      engine_.fail(Id::kSwitchArms, at,
                   "the switch needs an arm 'else': its arms are not all values of type ",
                   in_quotes(type_.name));
    for (const EnumMemberValue& member : type_.members) {
      if (seen_.count(type_.name + "." + member.name) == 0)
        engine_.fail(Id::kSwitchArms, at, "the switch has no arm for ", in_quotes(member.name),
                     " and no 'else'");
    }
  }

 private:
  /// The ranges have no value in common, so they are all values if they have as many.
  bool has_all_integers() const {
    BigInt count = 0;
    for (const auto& [low, high] : ranges_) count += high - low + 1;
    return count == BigInt(1) << type_.bits;
  }

  const Engine& engine_;
  const Type& type_;
  std::set<std::string> seen_;
  std::vector<std::pair<BigInt, BigInt>> ranges_;
};

/// Goes to `body` if the value of a switch lies in a range, else on to a new block.
void branch_to_range(Evaluator& evaluator, const Result& subject, const Binary& range,
                     SwitchCases& cases, ir::BlockId body) {
  ir::Builder& builder = code_of(evaluator).builder;
  const auto [first, last] = evaluator.ends_of_range(range);
  cases.add_range(first.value().integer(), last.value().integer(), range);
  const ir::BlockId maybe = builder.new_block(), next = builder.new_block();
  const auto holds = [&](BinaryOp op, const Result& end) {
    return scalar(evaluator, binary_operand(evaluator, op, subject, end, range), range);
  };
  builder.branch(holds(BinaryOp::kGreaterOrEqual, first), maybe, next);
  builder.enter(maybe);
  builder.branch(holds(BinaryOp::kLessOrEqual, last), body, next);
  builder.enter(next);
}

/// Branches to the arms of a switch one after the other; `each` makes the code of an arm.
template <class Body, class Each>
void branch_to_arms(Evaluator& evaluator, const Result& subject, const List<Arm<Body>>& arms,
                    const Node& at, const Each& each) {
  FunctionCode& code = code_of(evaluator);
  ir::Builder& builder = code.builder;
  const Arm<Body>* otherwise = nullptr;
  SwitchCases cases(evaluator.engine(), *subject.type, at);
  const UnderCondition condition(code);
  for (const Arm<Body>& arm : arms) {
    if (arm.values.empty()) {
      otherwise = &arm;
      continue;
    }
    const ir::BlockId body = builder.new_block();
    for (const Expr* candidate : arm.values) {
      if (const Binary* range = Evaluator::range_of(*candidate)) {
        branch_to_range(evaluator, subject, *range, cases, body);
        continue;
      }
      const ir::BlockId next = builder.new_block();
      const Result value = evaluator.value(*candidate);
      cases.add(value, *candidate);
      const Result same = binary_operand(evaluator, BinaryOp::kEqual, subject, value, *candidate);
      builder.branch(scalar(evaluator, same, *candidate), body, next);
      builder.enter(next);
    }
    const ir::BlockId next = builder.current();
    builder.enter(body);
    each(arm.body);
    builder.enter(next);
  }
  if (otherwise == nullptr) cases.check_all(at);
  each(otherwise == nullptr ? nullptr : otherwise->body);
}

}  // namespace

Result if_operand(Evaluator& evaluator, const If& e, const Type* expected) {
  FunctionCode& code = code_of(evaluator);
  ir::Builder& builder = code.builder;
  const ir::BlockId yes = builder.new_block(), no = builder.new_block();
  const std::optional<bool> known = branch_on(evaluator, *e.condition, yes, no);
  const Result nothing{evaluator.engine().types.void_type, Value{Void{}}};
  if (known) {
    if (*known) return evaluator.operand(*e.then, expected);
    return e.otherwise == nullptr ? nothing : evaluator.operand(*e.otherwise, expected);
  }
  Ends ends;
  const UnderCondition condition(code);
  builder.enter(yes);
  add_arm(evaluator, *e.then, expected, ends);
  builder.enter(no);
  if (e.otherwise == nullptr) {
    ends.add(no, nothing);
  } else {
    add_arm(evaluator, *e.otherwise, expected, ends);
  }
  return joined_or_left(evaluator, ends, expected, e);
}

Result switch_operand(Evaluator& evaluator, const Switch& e, const Type* expected) {
  const Result subject = evaluator.operand(*e.subject);
  if (subject.is_known()) return evaluator.operand(*evaluator.chosen(subject, e.arms, e)->body);
  Ends ends;
  ir::Builder& builder = code_of(evaluator).builder;
  branch_to_arms(evaluator, subject, e.arms, e, [&](const Expr* body) {
    if (body == nullptr) {
      builder.trap();  // the arms are all values that there are
    } else {
      add_arm(evaluator, *body, expected, ends);
    }
  });
  return joined_or_left(evaluator, ends, expected, e);
}

Result block_operand(Evaluator& evaluator, const Block& e, const Type* expected) {
  FunctionCode& code = code_of(evaluator);
  JumpTarget target;
  target.label = e.label.text;
  target.is_loop = false;
  target.expected = expected;
  const WithTarget with(evaluator.frame(), target);
  const Flow flow = evaluator.run(e);
  if (flow == Flow::kNext)
    target.breaks.add(code.builder.current(), {evaluator.engine().types.void_type, Value{Void{}}});
  return joined_or_left(evaluator, target.breaks, expected, e);
}

// Statements

Flow run_block(StatementRunner& runner, const Block& block) {
  const Result value = block_operand(runner.evaluator(), block, nullptr);
  return value.type->is(TypeKind::kNoReturn) ? Flow::kLeft : Flow::kNext;
}

Flow run_if(StatementRunner& runner, const IfStmt& s) {
  Evaluator& evaluator = runner.evaluator();
  const Scope scope(evaluator.frame());
  FunctionCode& code = code_of(evaluator);
  ir::Builder& builder = code.builder;
  const ir::BlockId yes = builder.new_block(), no = builder.new_block();
  const std::optional<bool> known = branch_on(evaluator, *s.condition, yes, no);
  if (known) {
    if (*known) return runner.run(*s.then);
    return s.otherwise == nullptr ? Flow::kNext : runner.run(*s.otherwise);
  }
  const Result nothing{evaluator.engine().types.void_type, Value{Void{}}};
  Ends ends;
  const UnderCondition condition(code);
  builder.enter(yes);
  if (runner.run(*s.then) == Flow::kNext) ends.add(builder.current(), nothing);
  builder.enter(no);
  if (s.otherwise == nullptr || runner.run(*s.otherwise) == Flow::kNext)
    ends.add(builder.current(), nothing);
  if (ends.empty()) return Flow::kLeft;
  ends.join(builder);
  return Flow::kNext;
}

Flow run_switch(StatementRunner& runner, const SwitchStmt& s) {
  Evaluator& evaluator = runner.evaluator();
  const Result subject = evaluator.operand(*s.subject);
  if (subject.is_known()) return runner.run(*evaluator.chosen(subject, s.arms, s)->body);
  const Result nothing{evaluator.engine().types.void_type, Value{Void{}}};
  Ends ends;
  ir::Builder& builder = code_of(evaluator).builder;
  branch_to_arms(evaluator, subject, s.arms, s, [&](const Stmt* body) {
    // Without a body the arms are all values that there are; if each leaves, nothing follows.
    if (body == nullptr && ends.empty()) {
      builder.trap();
    } else if (body == nullptr || runner.run(*body) == Flow::kNext) {
      ends.add(builder.current(), nothing);
    }
  });
  if (ends.empty()) return Flow::kLeft;
  ends.join(builder);
  return Flow::kNext;
}

Flow run_return(StatementRunner& runner, const Return& s) {
  Evaluator& evaluator = runner.evaluator();
  Frame& frame = evaluator.frame();
  FunctionCode& code = code_of(evaluator);
  const Type* type = frame.return_type;
  Result value = s.value == nullptr ? evaluator.void_result() : evaluator.operand(*s.value, type);
  const std::string what = "the result of " + in_quotes(frame.function->name.text);
  if (s.value != nullptr || !type->is(TypeKind::kVoid))
    value = evaluator.converted(value, type, s, what);
  if (frame.returns != nullptr) {
    frame.returns->add(code.builder.current(), value);
  } else if (type->is(TypeKind::kVoid)) {
    code.builder.ret();
  } else if (code.result_place) {
    store_operand(evaluator, *type, *code.result_place, value, s);
    code.builder.ret();
  } else {
    code.builder.ret(scalar(evaluator, value, s));
  }
  return Flow::kLeft;
}

}  // namespace tessera::csl
