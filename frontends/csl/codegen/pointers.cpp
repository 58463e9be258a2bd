#include "frontends/csl/codegen/pointers.h"

#include <algorithm>

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// The registers of a function that may hold an address that was made of a number.
class NumberAddresses {
 public:
  explicit NumberAddresses(const Function& function)
      : function_(function), made_(function.registers.size()) {
    for (bool changed = true; changed;) changed = mark_once();
  }

  /// Whether one of them may be accessed, or leaves the function.
  bool are_used() const {
    return any_of_code([this](const Instruction& in) {
      switch (in.op) {
      case Op::kStore:
        return is_number(in.operands.at(0)) || holds(in.operands.at(1));
      case Op::kLoad:
        return is_number(in.operands.at(0));
      case Op::kCall:
      case Op::kReturn:
        return std::any_of(in.operands.begin(), in.operands.end(),
                           [this](const Value& v) { return holds(v); });
      default:
        return false;
      }
    });
  }

 private:
  template <class Is>
  bool any_of_code(Is is) const {
    return std::any_of(function_.blocks.begin(), function_.blocks.end(), [&](const Block& block) {
      return std::any_of(block.code.begin(), block.code.end(), is);
    });
  }

  /// What an operand is, however it is read.
  bool is_address(const Value& value) const {
    const Type type = value.is_register() ? function_.registers[value.number] : value.type;
    return value.is_address() || type == Type::kAddress;
  }
  bool holds(const Value& value) const { return is_address(value) && is_number(value); }
  /// Of an operand that is accessed as an address. `@bitcast` may leave the address in a register of a number.
  bool is_number(const Value& value) const {
    if (value.is_constant()) return value.number != 0;
    if (!value.is_register()) return false;
    return function_.registers[value.number] != Type::kAddress || made_[value.number];
  }

  bool makes(const Instruction& in) const {
    switch (in.op) {
    case Op::kCopy:
    case Op::kConvert:
      return !is_address(in.operands[0]) || holds(in.operands[0]);
    case Op::kSelect:
      return holds(in.operands.at(1)) || holds(in.operands.at(2));
    case Op::kElement:
      return holds(in.operands[0]);
    case Op::kAdd:
    case Op::kSub: {
      // One side is the distance from the other.
      const auto is_of_data = [this](const Value& v) {
        return is_address(v) && !v.is_constant() && !holds(v);
      };
      return std::none_of(in.operands.begin(), in.operands.end(), is_of_data);
    }
    case Op::kLoad:
    case Op::kCall:
    case Op::kMachine:
      return false;
    default:
      return true;
    }
  }

  bool mark_once() {
    bool changed = false;
    for (const Block& block : function_.blocks) {
      for (const Instruction& in : block.code) {
        for (const RegisterId r : in.results) {
          if (function_.registers[r] != Type::kAddress || made_[r] || !makes(in)) continue;
          made_[r] = true;
          changed = true;
        }
      }
    }
    return changed;
  }

  const Function& function_;
  std::vector<bool> made_;
};

// A pointer in memory whose initial value is a number.
bool holds_number_as_address(const Variable& variable) {
  if (variable.type != Type::kAddress) return false;
  for (std::uint32_t i = 0; i < variable.init.size(); ++i) {
    const bool is_of_variable =
        std::any_of(variable.addresses.begin(), variable.addresses.end(),
                    [i](const Variable::Address& address) { return address.element == i; });
    if (variable.init[i] != 0 && !is_of_variable) return true;
  }
  return false;
}

}  // namespace

bool pointers_name_data(const Module& module, const std::vector<FunctionId>& functions) {
  return std::none_of(module.variables.begin(), module.variables.end(), holds_number_as_address) &&
         std::none_of(functions.begin(), functions.end(), [&](FunctionId f) {
           return NumberAddresses(module.functions[f]).are_used();
         });
}

}  // namespace tessera::csl::codegen
