#include "frontends/csl/sema/constant_expressions.h"

#include <algorithm>

#include "frontends/csl/builtins/builtins.h"
#include "frontends/text/stack.h"

namespace tessera::csl {
namespace {

class Constants {
 public:
  Constants(Engine& engine, const Frame& frame) : engine_(engine), frame_(frame) {}

  bool has(const Expr& e) const {
    if (text::is_stack_short()) return false;  // its evaluation says so
    switch (e.kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat:
    case ExprKind::kString:
    case ExprKind::kCharacter:
    case ExprKind::kKeyword:
      return true;
    case ExprKind::kName:
      return has(as<NameExpr>(e));
    case ExprKind::kUnary:
      return is_operator(e) && has(*as<Unary>(e).operand);
    case ExprKind::kBinary:
      return is_operator(e) && has(*as<Binary>(e).left) && has(*as<Binary>(e).right);
    case ExprKind::kMember:
      return has(*as<Member>(e).object);
    case ExprKind::kIndex:
      return has(*as<Index>(e).object) && has_all(as<Index>(e).indices);
    case ExprKind::kBuiltin:
      return follows_from_operands(as<Builtin>(e)) && has_all(as<Builtin>(e).arguments);
    default:
      return false;
    }
  }

  /// Code of the running program has `and` and `or` as branches.
  bool is_operator(const Expr& e) const {
    if (const Unary* unary = if_is<Unary>(e)) return unary->op != UnaryOp::kAddress;
    const Binary* binary = if_is<Binary>(e);
    if (binary == nullptr || binary->op == BinaryOp::kThrough) return false;
    const bool is_logic = binary->op == BinaryOp::kAnd || binary->op == BinaryOp::kOr;
    return !is_logic || frame_.code == nullptr;
  }

 private:
  bool has_all(const List<const Expr*>& all) const {
    return std::all_of(all.begin(), all.end(), [this](const Expr* e) { return has(*e); });
  }

  bool has(const NameExpr& e) const {
    const bool is_local = std::any_of(frame_.locals.begin(), frame_.locals.end(),
                                      [&](const LocalName& local) { return local.name == e.name; });
    if (is_local) return false;
    const NodeFacts& facts = engine_.name_facts(e);
    if (facts.item == nullptr) return facts.type != nullptr;
    if (const Global* global = if_is<Global>(*facts.item)) return !global->variable.is_var;
    return facts.item->kind == ItemKind::kParam;
  }

  bool follows_from_operands(const Builtin& e) const {
    const BuiltinRow*& row = engine_.facts(e).row;
    if (row == nullptr) row = find_builtin(e.name);
    return row != nullptr && row->where == kOfOperands;
  }

  Engine& engine_;
  const Frame& frame_;
};

}  // namespace

bool is_of_constants(Engine& engine, const Frame& frame, const Expr& e) {
  const bool may_be = e.kind == ExprKind::kBinary || e.kind == ExprKind::kUnary;
  const Constants constants(engine, frame);
  return may_be && constants.is_operator(e) && constants.has(e);
}

}  // namespace tessera::csl
