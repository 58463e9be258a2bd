#include "frontends/csl/codegen/legalize.h"

#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/opcodes.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

constexpr std::uint32_t kTwoTo31 = 0x4F000000;  // as f32
constexpr std::uint32_t kTwoTo16 = 0x47800000;

/// A new entry block with `code`, in front of the others.
void insert_entry(Function& function, std::vector<Instruction> code) {
  for (Block& block : function.blocks) {
    for (unsigned i = 0; i < block.last().target_count(); ++i) ++block.last().targets[i];
  }
  Instruction jump;
  jump.op = Op::kJump;
  jump.targets[0] = 1;
  jump.place = function.place;
  code.push_back(jump);
  function.blocks.insert(function.blocks.begin(), Block{std::move(code)});
}

class Legalizer {
 public:
  explicit Legalizer(Function& f) : f_(f) {}

  void run() {
    if (!predecessors_of(f_)[0].empty()) insert_entry(f_, {});
    for (Block& block : f_.blocks) {
      std::vector<Instruction> old = std::move(block.code);
      block.code.clear();
      out_ = &block.code;
      for (Instruction& in : old) {
        place_ = in.place;
        lower(in);
      }
    }
  }

 private:
  void emit(Op op, Type type, RegisterId result, std::vector<Value> operands) {
    Instruction in;
    in.op = op;
    in.type = type;
    in.results = {result};
    in.operands = std::move(operands);
    in.place = place_;
    out_->push_back(std::move(in));
  }
  Value value(Op op, Type type, std::vector<Value> operands) {
    const RegisterId r = f_.new_register(type);
    emit(op, type, r, std::move(operands));
    return reg(type, r);
  }
  Value in_register(const Value& v) { return v.is_register() ? v : value(Op::kCopy, v.type, {v}); }
  Value converted(Type type, const Value& v) {
    const RegisterId r = f_.new_register(type);
    convert(type, r, v);
    return reg(type, r);
  }

  void lower(Instruction& in) {
    switch (in.op) {
    case Op::kConvert:
      return convert(in.type, in.results[0], in.operands[0]);
    case Op::kNeg:
      if (is_float(in.type)) break;
      return emit(Op::kSub, in.type, in.results[0], {constant(in.type, 0), in.operands[0]});
    case Op::kElement:
      return lower_element(in, f_, *out_);
    case Op::kLoad:
    case Op::kStore:
      // An odd address faults when the program comes there; the instruction itself has none.
      if (in.operands[0].is_address() && (in.operands[0].offset + in.offset) % 2 == 0) {
        in.operands[0].offset += std::exchange(in.offset, 0);
      } else {
        in.operands[0] = in_register(in.operands[0]);
      }
      if (in.op == Op::kStore) in.operands[1] = in_register(in.operands[1]);
      break;
    case Op::kSelect:
      in.operands[0] = in_register(in.operands[0]);
      break;
    case Op::kCompare:
    case Op::kBranch:
    case Op::kAssert:
      make_comparable(in, in.type);
      break;
    case Op::kChoose:
      make_comparable(in, in.compared);
      break;
    case Op::kHighWord:
    case Op::kLowShift:
      in.operands[0] = in_register(in.operands[0]);
      break;
    case Op::kMachine:
      for (const Machine::Field& field : in.machine->fields) {
        Value* v = field.slot == Machine::Slot::kValue || field.slot == Machine::Slot::kMemory
                       ? &in.operands[field.index]
                       : nullptr;
        if (v == nullptr) continue;
        const bool is_free = field.slot == Machine::Slot::kMemory
                                 ? v->is_address()
                                 : takes_immediate(*in.machine, field);
        if (!is_free) *v = in_register(*v);
      }
      break;
    default:
      break;
    }
    out_->push_back(std::move(in));
  }

  static bool takes_immediate(const Machine& m, const Machine::Field& field) {
    const auto slot = static_cast<std::size_t>(&field - m.fields.data());
    return (pe::info(m.op).operands[slot] & pe::kImm) != 0;
  }

  void make_comparable(Instruction& in, Type type) {
    const FlagCompare c = compare_of(in.condition, type, in.operands[0], in.operands[1]);
    if (c.first.is_register()) return;
    for (unsigned i = 0; i < 2; ++i) {
      Value& v = in.operands[i];
      if (v == c.first) v = in_register(v);
    }
  }

  void convert(Type to, RegisterId result, const Value& given) {
    const Value v = given.is_address() ? in_register(given) : given;
    const Type from = v.type;
    if (to == Type::kBool && from != Type::kBool) return convert_to_bool(result, v);
    if (is_float(from) && is_float(to))
      return emit(from == to ? Op::kCopy : Op::kConvert, to, result, {v});
    if (is_float(from)) return from_float(to, result, v);
    if (is_float(to)) return to_float(to, result, v);
    if (v.is_constant()) {
      const auto bits = static_cast<std::int16_t>(v.number);
      const std::uint32_t wide = from == Type::kI16 ? static_cast<std::uint32_t>(bits) : v.number;
      return emit(Op::kCopy, to, result, {constant(to, wide)});
    }
    const bool same_width = bytes_of(from) == bytes_of(to);
    emit(same_width ? Op::kCopy : Op::kConvert, to, result, {v});
  }

  void convert_to_bool(RegisterId result, const Value& v) {
    Instruction in;
    in.op = Op::kCompare;
    in.type = v.type;
    in.condition = Condition::kNe;
    in.operands = {in_register(v), constant(v.type, 0)};
    in.results = {result};
    in.place = place_;
    out_->push_back(std::move(in));
  }

  /// The machine has half to i16, and f32 to i16 and i32, all signed.
  void from_float(Type to, RegisterId result, const Value& v) {
    if (to == Type::kI16) return emit(Op::kConvert, to, result, {v});
    const Value x = v.type == Type::kHalf ? converted(Type::kSingle, v) : v;
    if (to == Type::kI32) return emit(Op::kConvert, to, result, {x});
    if (to != Type::kU32) return convert(to, result, converted(Type::kI32, x));
    // From 2^31 on the value less 2^31 fits, and the highest bit follows.
    const RegisterId large = f_.new_register(Type::kBool);
    Instruction compare;
    compare.op = Op::kCompare;
    compare.type = Type::kSingle;
    compare.condition = Condition::kLe;
    compare.operands = {in_register(constant(Type::kSingle, kTwoTo31)), in_register(x)};
    compare.results = {large};
    compare.place = place_;
    out_->push_back(compare);
    const Value is_large = reg(Type::kBool, large);
    const Value less = value(Op::kSub, Type::kSingle, {x, constant(Type::kSingle, kTwoTo31)});
    const Value fits = value(Op::kSelect, Type::kSingle, {is_large, less, x});
    const Value integer = value(Op::kConvert, Type::kI32, {fits});
    const Value high =
        value(Op::kSelect, Type::kU32,
              {is_large, constant(Type::kU32, 0x80000000U), constant(Type::kU32, 0)});
    const Value low = value(Op::kCopy, Type::kU32, {integer});
    emit(Op::kXor, Type::kU32, result, {low, high});
  }

  /// The machine has i16 to half, and i16 and i32 to f32. A 32-bit integer goes to half by f32.
  void to_float(Type to, RegisterId result, const Value& v) {
    if (v.type == Type::kI16 || (v.type == Type::kI32 && to == Type::kSingle))
      return emit(Op::kConvert, to, result, {v});
    if (to == Type::kHalf) {
      const Value single = converted(Type::kSingle, v);
      return emit(Op::kConvert, to, result, {single});
    }
    if (v.type != Type::kU32) {
      const Value wide = converted(Type::kI32, v);
      return emit(Op::kConvert, to, result, {wide});
    }
    // Both halves are exact, so that the sum is rounded once.
    const auto half_of = [&](Op op, std::uint32_t by) {
      const Value bits = value(op, Type::kU32, {v, constant(Type::kU32, by)});
      const Value integer = value(Op::kCopy, Type::kI32, {bits});
      return value(Op::kConvert, Type::kSingle, {integer});
    };
    const Value high = half_of(Op::kShr, 16);
    const Value low = half_of(Op::kAnd, 0xFFFF);
    const Value scaled = value(Op::kMul, Type::kSingle, {high, constant(Type::kSingle, kTwoTo16)});
    emit(Op::kAdd, Type::kSingle, result, {scaled, low});
  }

  Function& f_;
  std::vector<Instruction>* out_ = nullptr;
  Place place_;
};

/// The variables of the parameters from the fifth on, which the function now loads.
std::vector<VariableId> extra_parameters(Module& module, FunctionId id) {
  Function& function = module.functions[id];
  std::vector<VariableId> variables;
  std::vector<Instruction> loads;
  for (std::size_t i = kRegisterParameters; i < function.parameters.size(); ++i) {
    const RegisterId r = function.parameters[i];
    Variable v;
    v.name = function.name + "_parameter" + std::to_string(i);
    v.type = function.registers[r];
    // The host writes those of functions that it launches before their frames are in use.
    if (!function.exported) v.owner = id;
    module.variables.push_back(v);
    variables.push_back(static_cast<VariableId>(module.variables.size() - 1));
    Instruction load;
    load.op = Op::kLoad;
    load.type = v.type;
    load.results = {r};
    load.operands = {address_of(variables.back())};
    load.place = function.place;
    loads.push_back(load);
  }
  if (variables.empty()) return variables;
  function.parameters.resize(kRegisterParameters);
  insert_entry(function, std::move(loads));
  return variables;
}

/// Calls in `block` store the arguments from the fifth on; `extra` are the variables by callee.
void pass_in_memory(const Module& module, const std::vector<std::vector<VariableId>>& extra,
                    Block& block) {
  std::vector<Instruction> code;
  for (Instruction& in : block.code) {
    if (in.op == Op::kCall && in.operands.size() > kRegisterParameters) {
      for (std::size_t i = kRegisterParameters; i < in.operands.size(); ++i) {
        const VariableId variable = extra[in.number][i - kRegisterParameters];
        Instruction store;
        store.op = Op::kStore;
        store.type = module.variables[variable].type;
        store.operands = {address_of(variable), in.operands[i]};
        store.place = in.place;
        code.push_back(store);
      }
      in.operands.resize(kRegisterParameters);
    }
    code.push_back(std::move(in));
  }
  block.code = std::move(code);
}

}  // namespace

void legalize(Function& function) {
  Legalizer(function).run();
}

namespace {

/// Instructions of 16 bits that can read the even register of a pair in place of the low half that a conversion has made.
bool reads_low_half(const Instruction& in) {
  const bool is_word = !is_wide(in.type) && !is_float(in.type);
  return is_word && (in.op == Op::kShl || in.op == Op::kAdd || in.op == Op::kAnd);
}

/// In a block the low half is that of the pair until one of both gets another value.
void read_low_halves(const Function& function, Block& block) {
  std::map<RegisterId, RegisterId> low_of;
  for (Instruction& in : block.code) {
    for (Value& v : in.operands) {
      const auto pair =
          v.is_register() && reads_low_half(in) ? low_of.find(v.number) : low_of.end();
      if (pair != low_of.end()) v.number = pair->second;
    }
    for (const RegisterId r : in.results) {
      for (auto half = low_of.begin(); half != low_of.end();)
        half = half->first == r || half->second == r ? low_of.erase(half) : std::next(half);
    }
    if (in.op != Op::kConvert || is_wide(in.type) || is_float(in.type)) continue;
    const Value& from = in.operands[0];
    const bool is_half = from.is_register() && is_wide(from.type) && !is_float(from.type) &&
                         is_wide(function.registers[from.number]);
    if (is_half && in.results[0] != from.number) low_of[in.results[0]] = from.number;
  }
}

}  // namespace

void store_low_halves(Function& function) {
  const std::vector<unsigned> counts = definition_counts(function);
  std::vector<std::optional<RegisterId>> low_of(counts.size());
  std::vector<bool> is_kept(counts.size());  // a pair that an instruction of a library reads
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      for (const Value& v : in.operands) {
        if (in.op == Op::kMachine && v.is_register()) is_kept[v.number] = true;
      }
      if (in.op != Op::kConvert || is_wide(in.type) || is_float(in.type)) continue;
      const Value& from = in.operands[0];
      const bool is_half = from.is_register() && is_wide(from.type) && !is_float(from.type) &&
                           is_wide(function.registers[from.number]);
      if (is_half && counts[from.number] == 1 && counts[in.results[0]] == 1)
        low_of[in.results[0]] = from.number;
    }
  }
  for (Block& block : function.blocks) {
    for (Instruction& in : block.code) {
      if (in.op != Op::kStore || !in.operands[1].is_register()) continue;
      const auto from = low_of[in.operands[1].number];
      if (from && !is_kept[*from]) in.operands[1].number = *from;
    }
  }
  for (Block& block : function.blocks) read_low_halves(function, block);
  remove_dead_code(function);
}

void lower_extra_parameters(Module& module) {
  std::vector<std::vector<VariableId>> extra;
  for (FunctionId f = 0; f < module.functions.size(); ++f)
    extra.push_back(extra_parameters(module, f));
  for (Function& function : module.functions) {
    for (Block& block : function.blocks) pass_in_memory(module, extra, block);
  }
}

}  // namespace tessera::csl::codegen
