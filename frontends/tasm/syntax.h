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
#include "models/pe/isa.h"
#include "models/pe/program.h"

namespace tessera::tasm {

struct Name {
  Place place;
  std::string text;
};

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

/// data NAME: TYPE[expr] [= expr, expr ..]
struct DataStatement {
  Name name;
  pe::ElementType type = pe::ElementType::kF32;
  ExpressionPtr count;
  std::vector<ExpressionPtr> init;
};

/// queue NAME input|output ID [color=expr]
struct QueueStatement {
  Name name;
  bool input = true;
  ExpressionPtr id;
  ExpressionPtr color;  ///< null: none given
};

/// dsd NAME mem1d|fabin|fabout TARGET [offset=] [extent=] [stride=] [color=]; null: option not
/// given
struct DsdStatement {
  Name name;
  pe::DsdKind kind = pe::DsdKind::kMem1d;
  Name target;  ///< data symbol or queue
  ExpressionPtr offset;
  ExpressionPtr extent;
  ExpressionPtr stride;
  ExpressionPtr color;
};

/// task NAME data QUEUE [blocked]; task NAME local ID [active] [blocked]
struct TaskStatement {
  Name name;
  pe::TaskKind kind = pe::TaskKind::kLocal;
  Name queue;        ///< data
  ExpressionPtr id;  ///< local
  bool active = false;
  bool blocked = false;
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
  ExpressionPtr expression;  ///< may be null behind a base register
};

/// Options behind the operands, with their places for messages.
struct OptionsSyntax {
  std::optional<Place> async;
  std::optional<Place> save_address;
  std::optional<Name> activate;
  std::optional<Name> unblock;
  ExpressionPtr ut;
};

struct InstructionStatement {
  Place place;
  const pe::OpcodeInfo* info = nullptr;
  std::vector<OperandSyntax> operands;  ///< as many as the opcode has
  OptionsSyntax options;
};

using Statement =
    std::variant<ParamStatement, ConstStatement, DataStatement, QueueStatement, DsdStatement,
                 TaskStatement, FunctionStatement, LabelStatement, InstructionStatement>;

}  // namespace tessera::tasm
