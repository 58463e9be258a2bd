// The assembler at work: statements in, image out, in the steps of assembler.cpp. A name may stand
// above its declaration, except in the values of consts and params, so declaring and resolving are
// steps of their own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontends/tasm/assembler.h"
#include "frontends/tasm/names.h"

namespace tessera::tasm {

/// A task or function while it is assembled.
struct Section {
  std::string title;  ///< "task reduce", for messages
  Place place;
  std::map<std::string, std::uint32_t> labels;  ///< to the index of the instruction
};

/// An instruction and the section it stands in.
struct PlacedInstruction {
  const InstructionStatement* statement = nullptr;
  std::size_t section = 0;
};

/// What names stand for so far.
enum class Known : std::uint8_t {
  kNumbersAbove,  ///< the params and consts above the line
  kNumbers,       ///< all params and consts
  kAddresses,     ///< and the addresses of data symbols
};

struct Assembly {
  Assembly(const AssembleOptions& options_in, const Diagnostics& diagnostics_in)
      : options(options_in), diagnostics(diagnostics_in), names(diagnostics_in) {}

  const AssembleOptions& options;
  const Diagnostics& diagnostics;
  Names names;
  pe::Image image;
  std::vector<Section> sections;
  std::vector<PlacedInstruction> instructions;
  Known known = Known::kNumbersAbove;

  /// Names are params and consts and, once they are known, byte addresses of symbols.
  Evaluator evaluator() const;
  std::int64_t integer(const Expression& e, const std::string& expected, std::int64_t low,
                       std::int64_t high) const {
    return evaluator().integer(e, expected, low, high);
  }
};

/// Params and consts, in the order of the text (declare_numbers.cpp).
void declare_numbers(Assembly& a, const std::vector<Statement>& statements);
/// What holds for the whole program and has no name: half, control_table, main_thread, microthread
/// (settings.cpp).
void declare_settings(Assembly& a, const std::vector<Statement>& statements);
/// Names of everything else; sizes of data, queues (declare.cpp).
void declare_names(Assembly& a, const std::vector<Statement>& statements);
/// DSRs and XDSRs of FIFOs, alignment of their symbols (fifos.cpp).
void reserve_fifos(Assembly& a, const std::vector<Statement>& statements);
/// Sections, labels and the list of instructions (sections.cpp).
void lay_out_code(Assembly& a, const std::vector<Statement>& statements);
/// Addresses of symbols; the program must fit into SRAM (data.cpp).
void place_data(Assembly& a, const std::vector<Statement>& statements);
/// First values of symbols (data.cpp).
void initialise_data(Assembly& a, const std::vector<Statement>& statements);
/// Descriptors (descriptors.cpp, memory_descriptors.cpp, fabric_descriptors.cpp).
void resolve_dsds(Assembly& a, const std::vector<Statement>& statements);
void resolve_memory_dsd(const Assembly& a, const DsdStatement& s, pe::Dsd& dsd);
void resolve_fabric_dsd(const Assembly& a, const DsdStatement& s, pe::Dsd& dsd);
/// Task ids (tasks.cpp).
void resolve_tasks(Assembly& a, const std::vector<Statement>& statements);
/// Rotating tasks (rotations.cpp).
void resolve_rotations(Assembly& a, const std::vector<Statement>& statements);
/// Everything else of FIFOs (fifos.cpp).
void resolve_fifos(Assembly& a, const std::vector<Statement>& statements);
/// DSRs loaded before the start (descriptors.cpp).
void resolve_initial_loads(Assembly& a, const std::vector<Statement>& statements);
/// Id of a data or local task, or of the channel of an input queue: its color on WSE-2, the queue
/// on WSE-3 (wse.md 3.1) (tasks.cpp).
TaskId resolve_task_id(const Assembly& a, const Name& name);
/// As above, for what can only be a local task.
TaskId resolve_local_task_id(const Assembly& a, const Name& name);
/// The code (encode.cpp).
void encode_instructions(Assembly& a);

/// Throws unless the operands of a DSD operation make one of the forms of wse.md 6.7 (forms.cpp).
void check_vector_form(const Assembly& a, const InstructionStatement& s,
                       const pe::Instruction& instruction);

}  // namespace tessera::tasm
