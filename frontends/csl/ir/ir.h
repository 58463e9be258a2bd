// The intermediate representation of compiled CSL: typed three-address code on virtual registers in
// basic blocks. The semantic engine builds it (builder.h); frontends/csl/codegen makes a pe::Image
// of it. The registers are not in SSA form: an instruction may assign a register again.
//
// Memory consists of variables: globals with initial values, and locals, which live in the static
// frame of their function. Pointers are byte addresses of 16 bits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/csl/ir/short_list.h"
#include "models/pe/isa.h"
#include "models/pe/program.h"

namespace tessera::csl::ir {

/// kBool is 16 bits wide and holds 0 or 1. kHalf has the 16-bit float format of the program.
enum class Type : std::uint8_t { kI16, kU16, kI32, kU32, kHalf, kSingle, kBool, kAddress };

std::string_view to_string(Type type);
unsigned bytes_of(Type type);
constexpr bool is_wide(Type type) {
  return type == Type::kI32 || type == Type::kU32 || type == Type::kSingle;
}
constexpr bool is_float(Type type) {
  return type == Type::kHalf || type == Type::kSingle;
}
constexpr bool is_signed(Type type) {
  return type == Type::kI16 || type == Type::kI32;
}
/// Type of the elements of a variable that holds values of `type`.
pe::ElementType element_of(Type type);

/// Where in the CSL sources an instruction comes from.
struct Place {
  std::uint32_t file = 0;  ///< index into Module::files
  std::uint32_t line = 0;
  std::uint32_t inlined = 0;  ///< 1 + index into Function::inlined; 0: of the function itself
};

/// Gives a declaration or an instruction of an image its place: Image::files are Module::files
/// after the image's own text, so that its listing names the file of each line.
template <class Placed>
void set_place(Placed& to, ir::Place place) {
  to.line = place.line;
  to.file = place.line == 0 ? 0 : place.file + 1;
}

using RegisterId = std::uint32_t;  ///< index into Function::registers
using BlockId = std::uint32_t;     ///< index into Function::blocks
using FunctionId = std::uint32_t;  ///< index into Module::functions
using VariableId = std::uint32_t;  ///< index into Module::variables

/// An operand: a register, a constant, or the address of a variable plus bytes. An instruction takes
/// each operand at one type (operand_type), and `type` is that one: a register of another integer type
/// of the same width is read as its bits are.
struct Value {
  enum class Kind : std::uint8_t { kNone, kRegister, kConstant, kAddress };
  Kind kind = Kind::kNone;
  Type type = Type::kI16;
  std::uint32_t number = 0;  ///< RegisterId, raw bits, or VariableId
  std::int32_t offset = 0;   ///< kAddress: bytes

  bool is_register() const { return kind == Kind::kRegister; }
  bool is_constant() const { return kind == Kind::kConstant; }
  bool is_address() const { return kind == Kind::kAddress; }
  friend bool operator==(const Value& a, const Value& b) {
    return a.kind == b.kind && a.type == b.type && a.number == b.number && a.offset == b.offset;
  }
};

Value reg(Type type, RegisterId number);
/// `bits` beyond the width of the type are dropped.
Value constant(Type type, std::uint32_t bits);
Value address_of(VariableId variable, std::int32_t offset = 0);
/// Whether a value of one type may be read as the other: integers, bools and addresses of one width.
constexpr bool same_bits(Type a, Type b) {
  return a == b || (!is_float(a) && !is_float(b) && is_wide(a) == is_wide(b));
}
/// `value` read as `type`, of which it has the width.
Value read_as(Type type, Value value);

// clang-format off
enum class Op : std::uint8_t {
  kCopy,     ///< between types of one width: a bit cast
  kConvert,  ///< `@as`: between any two types, the source type is that of the operand
  kAdd, kSub, kMul, kDiv, kRem, kAnd, kOr, kXor,
  kShl, kShr,  ///< the amount has the width of the value, without sign; kShr of a signed type keeps the sign
  kMin, kMax, kScale,  ///< floats; the second operand of kScale is an i16
  kMultiplyAdd,        ///< floats: a + b * c as fmach and fmacs
  kNeg, kAbs, kNormalize,  ///< kNeg also of integers, the others of floats
  kClz, kCtz, kPopcnt,     ///< 16-bit integers
  kCompare,  ///< result bool = a `condition` b, both of `type`
  kSelect,   ///< result = bool ? a : b
  kChoose,   ///< result = a `condition` b ? c : d, where a and b are of type `compared`
  kJoin,     ///< result of 32 bits = a (low half) and b (high half), of 16 bits
  kHighWord,  ///< result = the upper 16 bits of a, of 32 bits
  kLowShift,  ///< result = the low 16 bits of a >> number, of 32 bits; another result to work in
  kElement,  ///< result address = a + index (16 bits) * number + offset
  kLoad,     ///< result = memory[a + offset]
  kStore,    ///< memory[a + offset] = b
  kCall,     ///< function `number`
  kMachine,  ///< an instruction of the tile, see Machine
  kAssert,   ///< stops the run unless a `condition` b
  // terminators
  kJump,    ///< to targets[0]
  kBranch,  ///< to targets[0] if a `condition` b, else to targets[1]
  kReturn,  ///< with a value if the function has a result; ends a task
  kTrap,    ///< stops the run
};
// clang-format on
std::string_view to_string(Op op);
constexpr bool is_terminator(Op op) {
  return op >= Op::kJump;
}

/// On floats: false if one side is a NaN, except for kNe.
enum class Condition : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
std::string_view to_string(Condition condition);

/// An instruction of the tile ISA as it stands, also a DSD operation. Each slot is a fixed operand
/// (a DSR, a descriptor, a task), or takes a value or a result of the IR instruction.
struct Machine {
  enum class Slot : std::uint8_t {
    kFixed,   ///< `fixed`
    kValue,   ///< the operand `index`: register or immediate
    kMemory,  ///< memory at the operand `index`
    kResult,  ///< the result `index`
  };
  struct Field {
    Slot slot = Slot::kFixed;
    std::uint8_t index = 0;
    pe::Operand fixed;
  };
  pe::Opcode op = pe::Opcode::kEnd;
  std::vector<Field> fields;
  pe::OpConfig config;
  std::optional<std::uint8_t> index_operand;    ///< `index=` is this operand
  std::optional<std::uint8_t> initial_operand;  ///< the first result starts as this operand
  bool flag_result = false;                     ///< the last result is the flag, as a bool
  bool is_stored = false;  ///< kLddsr: from the record in memory, also if what that holds is known
  bool is_by_value = false;  ///< kLddsr: of a variable that an operation names
};

/// Marks the branch at the start of a step of `@map`: its steps take no branch (wse_timing_3.md C3).
constexpr std::uint32_t kMapBranch = 1;

struct Instruction {
  Op op = Op::kTrap;
  Type type = Type::kI16;  ///< type of the operation; type of compared, loaded or stored values
  Condition condition = Condition::kEq;
  Type compared = Type::kI16;  ///< kChoose
  ShortList<RegisterId, 1> results;
  ShortList<Value, 3> operands;
  std::uint32_t number =
      0;  ///< kCall: callee; kElement: bytes of an element; kBranch: kMapBranch; kLowShift: 1 to 15
  std::int32_t offset = 0;  ///< kLoad, kStore, kElement: bytes
  std::array<BlockId, 2> targets{};
  std::shared_ptr<const Machine> machine;
  bool keeps_index = false;  ///< kElement, kShl, kMul: constants of the index stay in it
  Place place;

  unsigned target_count() const { return op == Op::kJump ? 1 : op == Op::kBranch ? 2 : 0; }
  /// Whether it does more than give its results. Loads do not; a division by zero may go away.
  bool has_effect() const;
};

struct Block {
  std::vector<Instruction> code;
  const Instruction& last() const { return code.back(); }
  Instruction& last() { return code.back(); }
};

/// A local variable, constant or parameter as the source has it, for debuggers. Nothing that is compiled depends on it.
/// Each copy of a function that is expanded has objects of its own.
struct SourceLocal {
  std::string name;
  std::string type;  ///< as CSL writes it
  Place place;
  std::uint32_t last_line = 0;  ///< of the block that declares it
  std::vector<std::uint32_t>
      assigned;                        ///< lines that give it a value; empty: its declaration alone
  std::optional<std::uint32_t> known;  ///< its only value, if that is a constant of the source
  bool is_copied = false;              ///< of code that is there several times
  /// It is no local, but a number of this global, which is elsewhere for a while; `offset`: its bytes in it.
  std::optional<VariableId> global;
  std::uint32_t offset = 0;
};
using SourceLocalRef = std::shared_ptr<const SourceLocal>;

/// A call whose callee stands in its place, for debuggers.
struct InlinedCall {
  std::string function;  ///< the callee
  Place call;
};

struct Function {
  std::string name;
  bool is_task = false;
  bool exported = false;  ///< the host may launch it
  bool never_inlined = false;
  std::vector<RegisterId> parameters;
  std::optional<Type> result;
  std::vector<Type> registers;
  std::vector<SourceLocalRef>
      locals;  ///< by register, as far as it reaches: what its value is in the source
  std::vector<Block> blocks;         ///< the first is the entry
  std::vector<InlinedCall> inlined;  ///< a call inside of another one follows that
  Place place;

  RegisterId new_register(Type type) {
    registers.push_back(type);
    return static_cast<RegisterId>(registers.size() - 1);
  }
  /// nullptr: a value that has no name in the source.
  SourceLocalRef local_of(RegisterId r) const { return r < locals.size() ? locals[r] : nullptr; }
  void set_local(RegisterId r, SourceLocalRef local) {
    if (local == nullptr && r >= locals.size()) return;
    if (r >= locals.size()) locals.resize(std::size_t{r} + 1);
    locals[r] = std::move(local);
  }
  /// For other values of the same name.
  RegisterId new_register_like(RegisterId r) {
    const RegisterId made = new_register(registers[r]);
    set_local(made, local_of(r));
    return made;
  }
};

/// The type that `in` takes operand `i` at. None where any type will do (kCopy, kMachine), where the
/// type of the operand is part of what the instruction says (kConvert), and of calls and returns, which
/// the function decides.
std::optional<Type> operand_type(const Instruction& in, std::size_t i);
/// Reads each operand at the type that the instruction takes, where the bits allow that.
void read_as_taken(Instruction& in);

/// An array, or a scalar with count 1.
struct Variable {
  std::string name;
  Type type = Type::kI16;
  std::uint32_t count = 1;
  std::uint32_t align = 0;                        ///< bytes; 0: the size of an element
  pe::PackedType packed = pe::PackedType::kNone;  ///< as pe::Symbol has it
  std::uint32_t packed_count = 0;
  std::vector<std::uint32_t> init;  ///< raw bits; globals only
  /// Elements of `init` that count from the address of a variable.
  struct Address {
    std::uint32_t element = 0;
    VariableId variable = 0;
  };
  std::vector<Address> addresses;
  std::uint64_t order = 0;          ///< globals lie in memory by this, then by their ids
  std::optional<FunctionId> owner;  ///< the function of a local
  bool is_internal = false;         ///< a global that no host and no other file can name
  SourceLocalRef local;             ///< what it is in the source
  bool is_spilled = false;          ///< a register for which there was no room
  Place place;
  std::uint32_t bytes() const { return count * bytes_of(type); }
};

/// `dsd.base` (and `wrap_base`) count from the start of `array` if there is one.
struct Descriptor {
  pe::Dsd dsd;
  std::optional<VariableId> array;
};
struct Fifo {
  pe::Fifo fifo;  ///< without base and bytes
  VariableId array = 0;
};
/// Each task has a function of its own.
struct Task {
  pe::TaskBinding binding;  ///< without entry
  FunctionId function = 0;
};

/// A program of one tile.
struct Module {
  /// What code generation takes as it is: generation, half, queues, initial loads, rotations
  /// (indices into `tasks`), control table and the like.
  pe::Image settings;
  std::vector<std::string> files;
  std::vector<Variable> variables;  ///< globals in the order that they have in memory
  std::vector<Function> functions;
  std::vector<Descriptor> descriptors;
  std::vector<Fifo> fifos;
  std::vector<Task> tasks;
};

/// "gemv.csl:12".
std::string to_string(const Module& module, Place place);

}  // namespace tessera::csl::ir
