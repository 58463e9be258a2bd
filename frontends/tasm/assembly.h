// The assembler at work: statements in, image out, in the steps of assembler.cpp. A name may stand
// above its declaration, except in the values of consts and params, so declaring and resolving are
// steps of their own.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
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

/// What a `line` directive says about the statements below it.
struct NamedLine {
  std::uint32_t file = 0;  ///< index into Image::files
  std::uint32_t line = 0;  ///< 0: the statements stand for themselves
};

/// What names stand for so far.
enum class Known : std::uint8_t {
  kNumbersAbove,  ///< the params and consts above the line
  kNumbers,       ///< all params and consts
  kAddresses,     ///< all params and consts, and the addresses of data symbols
};

/// The registers of a descriptor that its loads do not name. A DSR keeps its registers for the
/// whole program.
class LoadRegisters {
 public:
  static constexpr unsigned kCount = 8;
  static_assert(kCount == pe::kXdsrCount && kCount == pe::kStrideRegisterCount);

  /// A load or a FIFO names it.
  void take(std::uint8_t number) { taken_ |= 1U << number; }
  /// Register `which` of `dsr`; no value: all are taken.
  std::optional<std::uint8_t> of(const pe::Operand& dsr, std::size_t which);

 private:
  unsigned taken_ = 0;  // one bit each
  std::map<std::array<std::size_t, 3>, std::uint8_t> given_;
};

struct Assembly {
  Assembly(const AssembleOptions& options_in, const Diagnostics& diagnostics_in)
      : options(options_in), diagnostics(diagnostics_in), names(diagnostics_in) {}

  const AssembleOptions& options;
  const Diagnostics& diagnostics;
  Names names;
  pe::Image image;
  std::vector<NamedLine> named_lines;  ///< one for each statement
  std::vector<Section> sections;
  std::vector<PlacedInstruction> instructions;
  Known known = Known::kNumbersAbove;
  std::size_t numbers_declared = 0;  ///< statements above which params and consts have values
  LoadRegisters xdsrs;
  LoadRegisters stride_registers;
  std::map<std::pair<std::string, std::string>, std::uint32_t> file_numbers;  ///< by name and use

  /// Number of this file in the image, to which it is added if it is new.
  std::uint32_t file_number(const pe::SourceFile& source);
  /// Names are params and consts and, once they are known, byte addresses of symbols.
  Evaluator evaluator() const;
  bool is_wse2() const { return options.generation == Generation::kWse2; }
  /// An integer in low..high; without them any that T holds.
  template <class T = std::int64_t>
  T integer(const Expression& e, const std::string& expected,
            std::int64_t low = std::numeric_limits<T>::min(),
            std::int64_t high = std::numeric_limits<T>::max()) const {
    return static_cast<T>(evaluator().integer(e, expected, low, high));
  }
  /// Throws UserError at `option` if it is given and this is the generation of the program.
  template <class Option>
  void refuse_on(Generation generation, const Option& option, const char* word,
                 const char* why) const {
    if (!option || options.generation != generation) return;
    fail(place_of(option), "expected no ", word, ", found one; ", why);
  }
  /// Throws UserError at `place`.
  template <class... Parts>
  [[noreturn]] void fail(Place place, const Parts&... problem) const {
    diagnostics.fail(place, problem...);
  }
};

/// "'x' of line 3": something that the program declares.
template <class Declared>
std::string named(const Assembly& a, const Declared& declared) {
  return in_quotes(declared.name) + " of line " + a.diagnostics.line_text(declared.line);
}

// The steps, in their order.

// expand.cpp
/// Reads the lines of a program, and in place of include, macro, repeat and if the lines that these
/// stand for (docs/tile-programs.md). Declares params and consts where their expressions need them,
/// and adds what expands to `diagnostics`, which are those of `a`. Throws UserError at the first
/// line that is not part of the language, and where 64 levels or 1,000,000 words are exceeded.
std::vector<Statement> read_statements(std::string_view text, Assembly& a,
                                       Diagnostics& diagnostics);

// declare.cpp
/// Declares params and consts, in the order of the text, as far as it is read.
void declare_numbers_above(Assembly& a, const std::vector<Statement>& statements);
/// Declares all of them; the params that the options give must be declared.
void declare_numbers(Assembly& a, const std::vector<Statement>& statements);
/// Reads what holds for the whole program and has no name: half, control_table, main_thread,
/// routing_registers, microthread.
void declare_settings(Assembly& a, const std::vector<Statement>& statements);
/// Declares the names of everything else, with sizes of data and with queues.
void declare_names(Assembly& a, const std::vector<Statement>& statements);

// fifos.cpp
/// Reserves the DSRs and XDSRs of FIFOs and aligns their symbols.
void reserve_fifos(Assembly& a, const std::vector<Statement>& statements);

// sram_layout.cpp
/// Lays out sections, labels and the list of instructions.
void lay_out_code(Assembly& a, const std::vector<Statement>& statements);
/// Gives symbols their addresses; the program must fit into SRAM.
void place_data(Assembly& a, const std::vector<Statement>& statements);
/// Computes the first values of symbols.
void initialise_data(Assembly& a, const std::vector<Statement>& statements);

// descriptors.cpp, tasks.cpp, fifos.cpp
void resolve_dsds(Assembly& a, const std::vector<Statement>& statements);
void resolve_tasks(Assembly& a, const std::vector<Statement>& statements);
void resolve_rotations(Assembly& a, const std::vector<Statement>& statements);
void resolve_fifos(Assembly& a, const std::vector<Statement>& statements);
/// Resolves the DSRs that are loaded before the start.
void resolve_initial_loads(Assembly& a, const std::vector<Statement>& statements);

// encode_options.cpp
/// Reserves the XDSRs and stride registers that loads and FIFOs name.
void reserve_load_registers(Assembly& a, const std::vector<Statement>& statements);

// encode.cpp
/// Encodes the code.
void encode_instructions(Assembly& a);

// places.cpp
/// Records the files and lines of instructions and declarations, which until then have the numbers
/// of the assembler's own lines.
void record_places(Assembly& a, const std::vector<Statement>& statements);

// link_check.cpp
/// Warns of a `ret` that goes to the place after a call which has returned already (wse.md 6.1).
void check_returns(Assembly& a);
/// A program that leaves the registers of the router alone accesses none of them.
void check_routing(Assembly& a);

// What several steps use.

/// Id of a data or local task, or of the channel of an input queue: its color on WSE-2, the queue
/// on WSE-3 (wse.md 3.1) (tasks.cpp).
TaskId resolve_task_id(const Assembly& a, const Name& name);
/// The same for an id that can only be that of a local task.
TaskId resolve_local_task_id(const Assembly& a, const Name& name);

// encode_options.cpp. Which options exist, what each follows, which exclude each other
// (wse.md 5.7, 5.11, 6.7), and on which generation (ut= on WSE-3, priority= on WSE-2, wse.md 4).
// Both throw UserError at the option.
/// Options of the load of `dsd` into `dsr`, by `lddsr` or a `dsr` line. Also throws if the DSR may
/// not hold the descriptor, or if it or its XDSR belongs to a FIFO of `a.image`. `place`: where the
/// name of the dsd stands.
pe::OpConfig encode_load_options(Assembly& a, const OptionsSyntax& options, const pe::Operand& dsr,
                                 const pe::Dsd& dsd, Place place);
/// Options of an `lddsr` from a record, whose descriptor is known at run time only. `place`: where
/// the DSR stands.
pe::OpConfig encode_record_options(Assembly& a, const OptionsSyntax& options,
                                   const pe::Operand& dsr, Place place);
/// Options of any other instruction, which has its operands already.
pe::OpConfig encode_operation_options(Assembly& a, const InstructionStatement& s,
                                      const pe::Instruction& instruction);

}  // namespace tessera::tasm
