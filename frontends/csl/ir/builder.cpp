#include "frontends/csl/ir/builder.h"

#include <utility>

namespace tessera::csl::ir {
namespace {

Value read_if_same(Type type, const Value& value) {
  return same_bits(type, value.type) ? read_as(type, value) : value;
}

}  // namespace

FunctionId add_function(Module& module, Function function) {
  module.functions.push_back(std::move(function));
  return static_cast<FunctionId>(module.functions.size() - 1);
}

VariableId add_variable(Module& module, Variable variable) {
  module.variables.push_back(std::move(variable));
  return static_cast<VariableId>(module.variables.size() - 1);
}

Builder::Builder(Module& module, FunctionId id) : module_(module), function_(id) {
  place_ = function().place;
  if (function().blocks.empty()) new_block();
}

Value Builder::parameter(Type type) {
  const RegisterId number = function().new_register(type);
  function().parameters.push_back(number);
  return reg(type, number);
}

VariableId Builder::local(std::string name, Type type, std::uint32_t count) {
  Variable variable;
  variable.name = std::move(name);
  variable.type = type;
  variable.count = count;
  variable.owner = function_;
  variable.place = place_;
  return add_variable(module_, std::move(variable));
}

BlockId Builder::new_block() {
  function().blocks.emplace_back();
  return static_cast<BlockId>(function().blocks.size() - 1);
}

void Builder::enter(BlockId block) {
  block_ = block;
  const Block& entered = function().blocks[block];
  if (!entered.code.empty()) place_ = entered.last().place;
}

bool Builder::is_closed() const {
  const Block& block = module_.functions[function_].blocks[block_];
  return !block.code.empty() && is_terminator(block.last().op);
}

bool Builder::is_at_join() const {
  return block_ != 0 && module_.functions[function_].blocks[block_].code.empty();
}

Instruction& Builder::append(Op op, Type type, std::vector<Value> operands) {
  Instruction in;
  in.op = op;
  in.type = type;
  in.operands = std::move(operands);
  in.place = place_;
  read_as_taken(in);
  std::vector<Instruction>& code = function().blocks[block_].code;
  code.push_back(std::move(in));
  return code.back();
}

Value Builder::append_value(Op op, Type type, std::vector<Value> operands) {
  const RegisterId number = function().new_register(type);
  append(op, type, std::move(operands)).results = {number};
  return reg(type, number);
}

Value Builder::copy(Type type, const Value& value) {
  return append_value(Op::kCopy, type, {value});
}

void Builder::assign(const Value& destination, const Value& value) {
  append(Op::kCopy, destination.type, {value}).results = {destination.number};
}

Value Builder::convert(Type type, const Value& value) {
  return append_value(Op::kConvert, type, {value});
}

Value Builder::binary(Op op, const Value& a, Value b) {
  const bool is_shift = op == Op::kShl || op == Op::kShr;
  if (is_shift && is_wide(a.type) != is_wide(b.type))
    b = b.is_constant() ? constant(a.type, b.number) : convert(a.type, b);
  return append_value(op, a.type, {a, b});
}

Value Builder::multiply_add(const Value& a, const Value& b, const Value& c) {
  return append_value(Op::kMultiplyAdd, a.type, {a, b, c});
}

Value Builder::unary(Op op, const Value& a) {
  return append_value(op, a.type, {a});
}

Value Builder::compare(Condition condition, const Value& a, const Value& b) {
  const RegisterId number = function().new_register(Type::kBool);
  Instruction& in = append(Op::kCompare, a.type, {a, b});
  in.condition = condition;
  in.results = {number};
  return reg(Type::kBool, number);
}

Value Builder::select(const Value& condition, const Value& a, const Value& b) {
  return append_value(Op::kSelect, a.type, {condition, a, b});
}

Value Builder::element(const Value& base, const Value& index, unsigned element_bytes,
                       std::int32_t offset) {
  const Value result = append_value(Op::kElement, Type::kAddress, {base, index});
  function().blocks[block_].last().number = element_bytes;
  function().blocks[block_].last().offset = offset;
  return result;
}

Value Builder::load(Type type, const Value& address, std::int32_t offset) {
  const Value result = append_value(Op::kLoad, type, {address});
  function().blocks[block_].last().offset = offset;
  return result;
}

void Builder::store(const Value& address, const Value& value, std::int32_t offset) {
  append(Op::kStore, value.type, {address, value}).offset = offset;
}

Value Builder::call(FunctionId callee, std::vector<Value> arguments) {
  const Function& called = module_.functions[callee];
  for (std::size_t i = 0; i < arguments.size() && i < called.parameters.size(); ++i)
    arguments[i] = read_if_same(called.registers[called.parameters[i]], arguments[i]);
  const std::optional<Type> result = called.result;
  Instruction& in = append(Op::kCall, result.value_or(Type::kI16), std::move(arguments));
  in.number = callee;
  if (!result) return {};
  in.results = {function().new_register(*result)};
  return reg(*result, in.results[0]);
}

std::vector<Value> Builder::machine(Machine machine, std::vector<Value> operands,
                                    const std::vector<Type>& results) {
  std::vector<Value> values;
  for (const Type type : results) values.push_back(reg(type, function().new_register(type)));
  Instruction& in = append(Op::kMachine, Type::kI16, std::move(operands));
  in.machine = std::make_shared<const Machine>(std::move(machine));
  for (const Value& value : values) in.results.push_back(value.number);
  return values;
}

void Builder::control(pe::Opcode op, const pe::Operand& what) {
  Machine m;
  m.op = op;
  m.fields = {{Machine::Slot::kFixed, 0, what}};
  machine(std::move(m), {});
}

void Builder::assert_that(Condition condition, const Value& a, const Value& b) {
  append(Op::kAssert, a.type, {a, b}).condition = condition;
}

void Builder::jump(BlockId target) {
  append(Op::kJump, Type::kI16, {}).targets[0] = target;
}

void Builder::branch(Condition condition, const Value& a, const Value& b, BlockId yes, BlockId no) {
  Instruction& in = append(Op::kBranch, a.type, {a, b});
  in.condition = condition;
  in.targets = {yes, no};
}

void Builder::map_branch(const Value& a, const Value& b, BlockId yes, BlockId no) {
  branch(Condition::kLt, a, b, yes, no);
  function().blocks[block_].last().number = kMapBranch;
}

void Builder::branch(const Value& condition, BlockId yes, BlockId no) {
  branch(Condition::kNe, condition, constant(Type::kBool, 0), yes, no);
}

void Builder::ret() {
  append(Op::kReturn, Type::kI16, {});
}

void Builder::ret(const Value& value) {
  append(Op::kReturn, value.type, {read_if_same(function().result.value_or(value.type), value)});
}

void Builder::trap() {
  append(Op::kTrap, Type::kI16, {});
}

}  // namespace tessera::csl::ir
