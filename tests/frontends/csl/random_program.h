// Random programs in IR: functions that call earlier ones, loops that end, branches, locals, arrays,
// values of all types. Everything they compute shows in their global arrays.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "frontends/csl/ir/builder.h"

namespace tessera::csl::ir::test {

inline constexpr std::uint32_t kArrayLength = 8;  // a power of two

class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed) {
    module.files = {"random.csl", "library.csl"};
    for (const Type type : kTypes) {
      Variable v;
      v.name = "g_" + std::string(to_string(type));
      v.type = type;
      v.count = kArrayLength;
      for (unsigned i = 0; i < kArrayLength; ++i) v.init.push_back(bits_of(type));
      arrays_.push_back(add_variable(module, v));
    }
    const unsigned functions = 1 + below(3);
    for (unsigned i = 0; i < functions; ++i) make_function(i, i + 1 == functions);
  }

  Module module;
  FunctionId main = 0;
  std::vector<std::uint32_t> arguments;

 private:
  static constexpr std::array<Type, 7> kTypes = {Type::kI16,  Type::kU16,    Type::kI32, Type::kU32,
                                                 Type::kHalf, Type::kSingle, Type::kBool};

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  Type any_type() { return kTypes[below(kTypes.size())]; }
  Type integer_type() { return kTypes[below(4)]; }

  std::uint32_t bits_of(Type type) {
    const auto small = static_cast<std::uint32_t>(below(9)) - 4U;
    if (type == Type::kBool) return below(2);
    if (type == Type::kHalf) return chance(80) ? 0x3000 + below(0x2000) : below(0x7C00);
    if (type == Type::kSingle)
      return chance(80) ? 0x3E000000 + below(0x4000000) : below(0x7F800000);
    const auto bits = chance(50) ? small : static_cast<std::uint32_t>(random_());
    return is_wide(type) ? bits : bits & 0xFFFFU;
  }

  void make_function(unsigned number, bool is_main) {
    Function f;
    f.name = is_main ? "main" : "f" + std::to_string(number) + "x";
    f.exported = is_main;
    f.place = {is_main ? 0U : 1U, 10 * number + 1};
    if (!is_main && chance(70)) f.result = any_type();
    const FunctionId id = add_function(module, f);
    Builder builder(module, id);
    b_ = &builder;
    function_ = id;
    pool_.clear();
    locals_.clear();
    variables_.clear();
    const unsigned parameters = below(is_main ? 5 : 7);
    for (unsigned i = 0; i < parameters; ++i) {
      const Type type = any_type();
      pool_.push_back(builder.parameter(type));
      if (is_main) arguments.push_back(bits_of(type));
    }
    if (is_main) main = id;
    const unsigned locals = below(5);
    for (unsigned i = 0; i < locals; ++i) {
      const Type type = any_type();
      const VariableId v = builder.local("v" + std::to_string(i), type);
      if (chance(90))
        builder.store(address_of(v), operand(type));
      else
        builder.store(builder.copy(Type::kAddress, address_of(v)), operand(type));
      locals_.push_back(v);
    }
    for (unsigned i = below(4); i > 0; --i) {
      const Type type = any_type();
      variables_.push_back(builder.copy(type, operand(type)));
    }
    statements(4 + below(14), 3);
    publish();
    finish();
  }
  /// A constant, or a value that is there, converted where none has the type.
  Value operand(Type type) {
    if (pool_.empty() || chance(20)) return constant(type, bits_of(type));
    if (!variables_.empty() && chance(20)) {
      for (const Value& v : variables_) {
        if (v.type == type) return v;
      }
    }
    // Older values at times, so that many live at once.
    const Value& v =
        pool_[chance(50) ? pool_.size() - 1 -
                               below(std::min<unsigned>(4, static_cast<unsigned>(pool_.size())))
                         : below(static_cast<unsigned>(pool_.size()))];
    for (std::size_t i = pool_.size(); v.type != type && i-- > 0;) {
      if (pool_[i].type == type && chance(70)) return pool_[i];
    }
    if (v.type == type) return v;
    // The same bits as another type, as `@bitcast` has them.
    const bool is_bool = type == Type::kBool || v.type == Type::kBool;
    if (!is_bool && same_bits(v.type, type) && chance(50)) return b_->copy(type, v);
    return b_->convert(type, v);
  }

  void statements(unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count && !b_->is_closed(); ++i) statement(depth);
  }

  void statement(unsigned depth) {
    b_->set_place({below(2), below(500) + 1});
    const unsigned kind = below(100);
    if (kind < 45) return keep(expression());
    if (kind < 55) return store_element();
    if (kind < 63) return local_access();
    if (kind < 70 && !variables_.empty()) return assign_variable();
    if (kind < 76) return call();
    if (depth == 0) return keep(expression());
    if (kind < 80) return if_else(depth);
    if (kind < 86) return short_if();
    if (kind < 92) return loop_on_array();
    return loop(depth);
  }

  void keep(const Value& v) { pool_.push_back(v); }

  Value expression() {
    const unsigned kind = below(14);
    if (kind == 12) return range_test();
    if (kind == 13) return words();
    if (kind == 0) return b_->convert(any_type(), operand(any_type()));
    if (kind == 1) {
      const Type type = any_type();
      return b_->compare(condition(), operand(type), operand(type));
    }
    if (kind == 2) {
      const Type type = any_type();
      return b_->select(operand(Type::kBool), operand(type), operand(type));
    }
    if (kind == 3) return load_element();
    if (kind == 4) return unary();
    if (kind == 5)
      return b_->compare(Condition::kEq, operand(Type::kBool), constant(Type::kBool, 0));
    if (kind < 8) return float_operation();
    return integer_operation();
  }

  Condition condition() { return static_cast<Condition>(below(6)); }

  Value unary() {
    if (chance(40)) {
      constexpr std::array<Op, 3> kOps = {Op::kClz, Op::kCtz, Op::kPopcnt};
      return b_->unary(kOps[below(3)], operand(chance(50) ? Type::kI16 : Type::kU16));
    }
    const Type type = kTypes[below(6)];
    return b_->unary(is_float(type) && chance(50) ? Op::kAbs : Op::kNeg, operand(type));
  }

  Value float_operation() {
    const Type type = chance(50) ? Type::kSingle : Type::kHalf;
    if (type == Type::kSingle && chance(20))
      return b_->multiply_add(operand(type), operand(type), operand(type));
    constexpr std::array<Op, 4> kOps = {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv};
    return b_->binary(kOps[below(4)], operand(type), operand(type));
  }

  Value integer_operation() {
    constexpr std::array<Op, 10> kOps = {Op::kAdd, Op::kSub, Op::kMul, Op::kAnd, Op::kOr,
                                         Op::kXor, Op::kShl, Op::kShr, Op::kDiv, Op::kRem};
    const Op op = kOps[below(10)];
    const Type type = integer_type();
    Value second = operand(type);
    if ((op == Op::kDiv || op == Op::kRem) && chance(60))
      return b_->binary(op, operand(type), constant(type, divisor()));
    if (op == Op::kDiv || op == Op::kRem) second = b_->binary(Op::kOr, second, constant(type, 1));
    if (op == Op::kShl || op == Op::kShr) second = operand(chance(50) ? type : Type::kU16);
    return b_->binary(op, operand(type), second);
  }

  /// A power of two, a small number, any number; not 0.
  std::uint32_t divisor() {
    std::uint32_t by = 1U << below(16);
    if (chance(40)) by = 2 + below(30);
    if (chance(20)) by = static_cast<std::uint32_t>(random_());
    if (chance(20)) by = 0U - by;
    return (by & 0xFFFFU) == 0 ? 3 : by;
  }

  /// Halves of 32 bits, and 32 bits of halves.
  Value words() {
    const Type wide = chance(50) ? Type::kU32 : Type::kI32;
    if (chance(50)) {
      const Value shifted = b_->binary(Op::kShr, operand(wide), constant(wide, 16 + below(4)));
      return b_->convert(chance(50) ? Type::kU16 : Type::kI16, shifted);
    }
    const Value low = b_->convert(wide, chance(70) ? load_word() : operand(Type::kU16));
    const Value high = b_->convert(wide, chance(70) ? load_word() : operand(Type::kI16));
    return b_->binary(Op::kOr, low, b_->binary(Op::kShl, high, constant(wide, 16)));
  }
  Value load_word() {
    return b_->load(Type::kU16,
                    address_of(arrays_[1], static_cast<std::int32_t>(2 * below(kArrayLength))));
  }

  /// Two compares of one value with constants.
  Value range_test() {
    const Type type = integer_type();
    const Value x = operand(type);
    const Value a = b_->compare(condition(), x, constant(type, bits_of(type)));
    const Value b = b_->compare(condition(), x, constant(type, bits_of(type)));
    if (chance(50)) return b_->select(a, b, constant(Type::kBool, 0));
    return b_->select(a, constant(Type::kBool, 1), b);
  }

  /// Address of a random element, by a constant or a computed index.
  Value element_address(VariableId array) {
    const unsigned bytes = bytes_of(module.variables[array].type);
    const Type type = chance(50) ? Type::kI16 : Type::kU16;
    if (chance(30))
      return b_->element(address_of(array), constant(type, below(kArrayLength)), bytes);
    const Value index = b_->binary(Op::kAnd, operand(type), constant(type, kArrayLength / 2 - 1));
    const Value base = chance(50) ? address_of(array) : b_->copy(Type::kAddress, address_of(array));
    const std::int32_t offset = chance(50) ? 0 : static_cast<std::int32_t>(bytes * below(4));
    return b_->element(base, index, bytes, offset);
  }
  Value load_element() {
    const VariableId array = arrays_[below(static_cast<unsigned>(arrays_.size()))];
    return b_->load(module.variables[array].type, element_address(array));
  }
  void store_element() {
    const VariableId array = arrays_[below(static_cast<unsigned>(arrays_.size()))];
    const Value address = element_address(array);
    b_->store(address, operand(module.variables[array].type));
  }

  void local_access() {
    if (locals_.empty()) return keep(load_element());
    const VariableId v = locals_[below(static_cast<unsigned>(locals_.size()))];
    const Type type = module.variables[v].type;
    if (chance(50)) return keep(b_->load(type, address_of(v)));
    b_->store(address_of(v), operand(type));
  }

  void assign_variable() {
    const Value& v = variables_[below(static_cast<unsigned>(variables_.size()))];
    b_->assign(v, operand(v.type));
  }

  void call() {
    if (function_ == 0) return;
    const FunctionId callee = below(function_);
    std::vector<Value> values;
    const std::vector<RegisterId> parameters = module.functions[callee].parameters;
    for (const RegisterId p : parameters)
      values.push_back(operand(module.functions[callee].registers[p]));
    const Value result = b_->call(callee, values);
    if (result.kind != Value::Kind::kNone) keep(result);
  }

  void arm(BlockId block, BlockId join, unsigned depth) {
    const std::size_t known = pool_.size();
    b_->enter(block);
    statements(1 + below(4), depth - 1);
    if (chance(5)) finish();
    if (!b_->is_closed()) b_->jump(join);
    pool_.resize(known);
  }

  void if_else(unsigned depth) {
    const BlockId yes = b_->new_block();
    const BlockId no = b_->new_block();
    const BlockId join = chance(30) ? no : b_->new_block();
    if (chance(50)) {
      b_->branch(operand(Type::kBool), yes, no);
    } else {
      const Type type = any_type();
      b_->branch(condition(), operand(type), operand(type), yes, no);
    }
    arm(yes, join, depth);
    if (no != join) arm(no, join, depth);
    b_->enter(join);
  }

  /// An `if` whose arms set a variable or store one element.
  void short_if() {
    const BlockId yes = b_->new_block(), no = b_->new_block(), join = b_->new_block();
    const Type type = any_type();
    const VariableId array = arrays_[below(static_cast<unsigned>(arrays_.size()))];
    const Type stored = module.variables[array].type;
    const Value address = chance(50) ? element_address(array) : address_of(array);
    const unsigned stores = below(4);  // in the first arm, in the second
    const Value a = operand(type), b = operand(type);
    b_->branch(condition(), a, b, yes, no);
    for (unsigned arm = 0; arm < 2; ++arm) {
      b_->enter(arm == 0 ? yes : no);
      const std::size_t known = pool_.size();
      if (chance(60)) keep(expression());
      if (!variables_.empty() && chance(70)) assign_variable();
      if ((stores >> arm & 1U) != 0) b_->store(address, operand(stored));
      pool_.resize(known);
      b_->jump(join);
    }
    b_->enter(join);
  }

  /// x[i] = x[i + 1] `op` y[i] over known bounds, with a sum, and perhaps a way out.
  void loop_on_array() {
    const VariableId array = arrays_[below(6)], other = arrays_[below(6)];
    const Type type = module.variables[array].type, second = module.variables[other].type;
    const VariableId local = b_->local("k", Type::kI16);
    const VariableId sum = b_->local("sum", type);
    b_->store(address_of(sum), operand(type));
    b_->store(address_of(local), constant(Type::kI16, 0));
    const BlockId test = b_->new_block(), body = b_->new_block(), exit = b_->new_block();
    b_->jump(test);
    b_->enter(test);
    const auto counter = [&] { return b_->load(Type::kI16, address_of(local)); };
    b_->branch(Condition::kLt, counter(), constant(Type::kI16, 1 + below(kArrayLength - 1)), body,
               exit);
    b_->enter(body);
    const Value next = b_->binary(Op::kAdd, counter(), constant(Type::kI16, 1));
    const Value x = b_->load(type, b_->element(address_of(array), next, bytes_of(type)));
    const Value y = b_->load(second, b_->element(address_of(other), counter(), bytes_of(second)));
    const Value z = second == type ? y : b_->convert(type, y);
    const Value made = b_->binary(chance(50) ? Op::kAdd : Op::kMul, x, z);
    b_->store(b_->element(address_of(array), counter(), bytes_of(type)), made);
    b_->store(address_of(sum), b_->binary(Op::kAdd, b_->load(type, address_of(sum)), made));
    if (chance(30)) {
      const BlockId rest = b_->new_block();
      b_->branch(condition(), made, operand(type), exit, rest);
      b_->enter(rest);
    }
    b_->store(address_of(local),
              b_->binary(Op::kAdd, counter(), constant(Type::kI16, 1 + below(2))));
    b_->jump(test);
    b_->enter(exit);
    keep(b_->load(type, address_of(sum)));
  }

  /// A loop with a counter that only the loop changes, in a local or in a register.
  void loop(unsigned depth) {
    const bool in_memory = chance(50);
    const VariableId local = b_->local("i", Type::kI16);
    const Value first = constant(Type::kI16, chance(75) ? 0U : 0U - below(5));
    const Value counter = b_->copy(Type::kI16, first);
    const auto read = [&] { return in_memory ? b_->load(Type::kI16, address_of(local)) : counter; };
    if (in_memory) b_->store(address_of(local), first);
    const BlockId test = b_->new_block();
    const BlockId body = b_->new_block();
    const BlockId exit = b_->new_block();
    b_->jump(test);
    b_->enter(test);
    const Value limit = constant(Type::kI16, below(5));
    b_->branch(b_->compare(Condition::kLt, read(), limit), body, exit);
    b_->enter(body);
    const std::size_t known = pool_.size();
    keep(read());
    if (chance(30)) {
      const Value by = constant(Type::kI16, 1 + below(9));
      keep(b_->binary(chance(50) ? Op::kDiv : Op::kRem, read(), by));
    }
    statements(1 + below(5), depth - 1);
    if (!b_->is_closed() && chance(20)) {
      const BlockId rest = b_->new_block();
      b_->branch(operand(Type::kBool), exit, rest);
      b_->enter(rest);
    }
    if (!b_->is_closed()) {
      const Value next = b_->binary(Op::kAdd, read(), constant(Type::kI16, 1));
      if (in_memory)
        b_->store(address_of(local), next);
      else
        b_->assign(counter, next);
      b_->jump(test);
    }
    pool_.resize(known);
    b_->enter(exit);
  }

  /// Values of the function into the arrays.
  void publish() {
    for (unsigned i = 0; i < 6 && !pool_.empty() && !b_->is_closed(); ++i) {
      const Value& v = pool_[below(static_cast<unsigned>(pool_.size()))];
      const auto type = std::find(kTypes.begin(), kTypes.end(), v.type);
      const VariableId array = arrays_[static_cast<std::size_t>(type - kTypes.begin())];
      b_->store(address_of(array, static_cast<std::int32_t>(i * bytes_of(v.type))), v);
    }
  }
  void finish() {
    if (b_->is_closed()) return;
    const std::optional<Type> result = module.functions[function_].result;
    if (result)
      b_->ret(operand(*result));
    else
      b_->ret();
  }

  std::mt19937 random_;
  Builder* b_ = nullptr;
  FunctionId function_ = 0;
  std::vector<Value> pool_;       // have a value wherever the builder is
  std::vector<Value> variables_;  // registers that are assigned again
  std::vector<VariableId> locals_;
  std::vector<VariableId> arrays_;
};

}  // namespace tessera::csl::ir::test
