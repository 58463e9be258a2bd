// Builds the body of one function. The builder appends to the current block; every instruction
// gets the current place, and reads integers, bools and addresses of its width as the type that it
// takes. Functions may be built at the same time, each with its own builder.
#pragma once

#include <string>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

FunctionId add_function(Module& module, Function function);
VariableId add_variable(Module& module, Variable variable);

class Builder {
 public:
  /// The current block is the entry, which is made if the function has none.
  Builder(Module& module, FunctionId function);

  void set_place(Place place) { place_ = place; }
  Value parameter(Type type);
  VariableId local(std::string name, Type type, std::uint32_t count = 1);

  BlockId new_block();
  BlockId current() const { return block_; }
  RegisterId new_register(Type type) { return function().new_register(type); }
  /// Makes `block` the current one. Where it has code, the place is that of its last instruction.
  void enter(BlockId block);
  /// Whether the current block has its terminator.
  bool is_closed() const;
  /// Whether the current block is where ways meet that has no code yet.
  bool is_at_join() const;

  Value copy(Type type, const Value& value);
  /// Gives a register a further value.
  void assign(const Value& destination, const Value& value);
  /// `@as`. To bool: whether the value is not 0.
  Value convert(Type type, const Value& value);
  /// kAdd .. kScale, in the type of `a`. A shift amount of another width is converted.
  Value binary(Op op, const Value& a, Value b);
  Value multiply_add(const Value& a, const Value& b, const Value& c);
  /// kNeg .. kPopcnt.
  Value unary(Op op, const Value& a);
  Value compare(Condition condition, const Value& a, const Value& b);
  Value select(const Value& condition, const Value& a, const Value& b);
  Value element(const Value& base, const Value& index, unsigned element_bytes,
                std::int32_t offset = 0);
  Value load(Type type, const Value& address, std::int32_t offset = 0);
  void store(const Value& address, const Value& value, std::int32_t offset = 0);
  /// The result is kNone if the function has none.
  Value call(FunctionId callee, std::vector<Value> arguments);
  /// `results`: their types.
  std::vector<Value> machine(Machine machine, std::vector<Value> operands,
                             const std::vector<Type>& results = {});
  /// `actvt`, `blk` or `ublk` with a task or microthread.
  void control(pe::Opcode op, const pe::Operand& what);
  void assert_that(Condition condition, const Value& a, const Value& b);

  void jump(BlockId target);
  void branch(Condition condition, const Value& a, const Value& b, BlockId yes, BlockId no);
  void branch(const Value& condition, BlockId yes, BlockId no);
  /// A branch on `a` < `b` at the start of a step of `@map`.
  void map_branch(const Value& a, const Value& b, BlockId yes, BlockId no);
  void ret();
  void ret(const Value& value);
  void trap();

 private:
  Function& function() { return module_.functions[function_]; }
  Instruction& append(Op op, Type type, std::vector<Value> operands);
  Value append_value(Op op, Type type, std::vector<Value> operands);

  Module& module_;
  FunctionId function_;
  BlockId block_ = 0;
  Place place_;
};

}  // namespace tessera::csl::ir
