// What the parser hands to the assembler: one statement a line, names and expressions not yet
// looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontends/tasm/expression.h"
#include "frontends/tasm/registers.h"
#include "frontends/tasm/words.h"
#include "models/pe/isa.h"
#include "models/pe/program.h"

namespace tessera::tasm {

/// param NAME [= expr]
struct ParamStatement {
  Name name;
  ExpressionPtr value;  ///< null: the layout must give one
};

/// const NAME = expr
struct ConstStatement {
  Name name;
  ExpressionPtr value;
};

/// A word that stands for one of several values, with its place for messages.
template <class T>
struct Choice {
  T value{};
  Place place;
};

/// half f16|bf16|cb16
struct HalfStatement {
  Place place;
  pe::HalfFormat format = pe::HalfFormat::kF16;
};

// In all that follow: null, no value and empty: the option is not given.

/// Where an option stands that is given.
inline Place place_of(const std::optional<Place>& option) {
  return *option;
}
template <class Option>
Place place_of(const Option& option) {
  return option->place;
}

/// data NAME: TYPE[expr] [align=expr] [packed=WORD elements=expr] [= expr, expr ..]
struct DataStatement {
  Name name;
  pe::ElementType type = pe::ElementType::kF32;
  ExpressionPtr count;
  ExpressionPtr align;
  std::optional<Choice<pe::PackedType>> packed;  ///< what the words hold; with `elements`
  ExpressionPtr elements;
  std::vector<ExpressionPtr> init;
};

/// string NAME "TEXT"
struct StringStatement {
  Name name;
  std::string text;  ///< with its escapes replaced
};

/// queue NAME input|output ID [color=expr] [dense]; input also [unblocked] [priority=WORD]
/// [control_table=expr] [shares=expr]
struct QueueStatement {
  Name name;
  bool input = true;
  ExpressionPtr id;
  ExpressionPtr color;
  std::optional<Place> unblocked;
  std::optional<Choice<pe::Priority>> priority;
  ExpressionPtr control_table;
  ExpressionPtr shares;
  std::optional<Place> dense;
};

/// dsd NAME mem1d|mem4d|circbuf|fabin|fabout TARGET and the options of its kind
struct DsdStatement {
  Name name;
  pe::DsdKind kind = pe::DsdKind::kMem1d;
  Name target;  ///< data symbol or queue; empty: the queue of `color` (fabin)
  ExpressionPtr extent;
  // mem1d, mem4d, circbuf
  ExpressionPtr offset;
  ExpressionPtr stride;                ///< mem1d
  std::vector<ExpressionPtr> extents;  ///< mem4d, outer loop first
  std::vector<ExpressionPtr> strides;  ///< mem4d, inner loop first
  std::vector<ExpressionPtr> steps;    ///< mem4d, outer loop first
  ExpressionPtr wraparound;
  std::optional<Place> wavelet_index_offset;
  std::optional<Choice<ElementSize>> element;     ///< mem1d, mem4d
  std::optional<Choice<pe::ElementType>> stated;  ///< the same: `of=`
  // fabin, fabout
  ExpressionPtr color;
  std::optional<Choice<pe::SimdMode>> simd;
  std::optional<Choice<pe::Priority>> priority;
  std::optional<Place> control;
  std::optional<Place> control_transform;
  std::optional<Place> advance_switch;
  std::optional<Choice<pe::ZeroSource>> zero;
};

/// fifo NAME SYMBOL dsr=expr xdsr=expr [empty=WORD] [full=WORD] [activate_push=TASK]
/// [activate_pop=TASK] [priority=WORD] [simd=WORD]
struct FifoStatement {
  Name name;
  Name symbol;
  ExpressionPtr dsr;
  ExpressionPtr xdsr;
  std::optional<Choice<pe::FifoAction>> empty;
  std::optional<Choice<pe::FifoAction>> full;
  std::optional<Name> activate_push;
  std::optional<Name> activate_pop;
  std::optional<Choice<pe::Priority>> priority;
  std::optional<Choice<pe::SimdMode>> simd;
};

/// task NAME data QUEUE; task NAME local|control ID; [active] [blocked] [priority=WORD]
struct TaskStatement {
  Name name;
  pe::TaskKind kind = pe::TaskKind::kLocal;
  Name queue;        ///< data
  ExpressionPtr id;  ///< local, control
  std::optional<Place> active;
  std::optional<Place> blocked;
  std::optional<Choice<pe::TaskPriority>> priority;
};

/// control_table [instructions=expr] [stride=expr]
struct ControlTableStatement {
  Place place;
  ExpressionPtr instructions;
  ExpressionPtr stride;
};

/// rotate MAIN ALTERNATIVE limit=expr [init=expr]
struct RotateStatement {
  Name main;
  Name alternative;
  ExpressionPtr limit;
  ExpressionPtr init;
};

/// main_thread priority=WORD
struct MainThreadStatement {
  Place place;
  std::optional<Choice<pe::MainPriority>> priority;
};

/// routing_registers unused
struct RoutingRegistersStatement {
  Place place;
};

/// control_transform mask=expr
struct ControlTransformStatement {
  Place place;
  ExpressionPtr mask;
};

/// microthread ID blocked
struct MicrothreadStatement {
  Place place;
  ExpressionPtr id;
};

/// fn NAME
struct FunctionStatement {
  Name name;
};

/// NAME:
struct LabelStatement {
  Name name;
};

struct OperandSyntax {
  enum class Kind : std::uint8_t { kRegister, kMemory, kExpression };
  Kind kind = Kind::kExpression;
  Place place;
  std::string text;          ///< as written, for messages
  RegisterName reg;          ///< register, or the base of a memory operand (kNoOperand: absolute)
  ExpressionPtr expression;  ///< may be null after a base register
};

/// Options after the operands, with their places for messages; null, no value and empty: not given.
struct OptionsSyntax {
  std::optional<Place> async;
  ExpressionPtr ut;
  std::optional<Name> activate;
  std::optional<Name> unblock;
  std::optional<Choice<pe::OnControl>> on_control;
  std::optional<Name> on_control_activate;
  std::optional<Name> on_control_unblock;
  std::optional<Place> leave_control;
  std::optional<OperandSyntax> index;  ///< a register or an expression
  std::optional<Choice<pe::Priority>> priority;
  // only for loads
  std::optional<Place> save_address;
  std::optional<Place> single_step;
  ExpressionPtr xdsr;
  std::vector<ExpressionPtr> sr;
};

/// dsr REGISTER DSD [options of lddsr]
struct InitialLoadStatement {
  Name reg;  ///< the DSR as written
  pe::Operand dsr;
  Name dsd;
  OptionsSyntax options;
};

struct InstructionStatement {
  Place place;
  const pe::OpcodeInfo* info = nullptr;
  std::vector<OperandSyntax> operands;  ///< as many as the opcode has
  OptionsSyntax options;
};

using Statement =
    std::variant<ParamStatement, ConstStatement, HalfStatement, DataStatement, StringStatement,
                 QueueStatement, DsdStatement, FifoStatement, InitialLoadStatement, TaskStatement,
                 ControlTableStatement, RotateStatement, MainThreadStatement,
                 RoutingRegistersStatement, ControlTransformStatement, MicrothreadStatement,
                 FunctionStatement, LabelStatement, InstructionStatement>;

/// Calls visit(statement, index) for the statements of one kind; they are counted from 0.
template <class Kind, class Visit>
void for_each(const std::vector<Statement>& statements, Visit visit) {
  std::size_t index = 0;
  for (const Statement& statement : statements) {
    if (const auto* s = std::get_if<Kind>(&statement)) visit(*s, index++);
  }
}

}  // namespace tessera::tasm
