// What a tile runs: an immutable code image, shared by all tiles that run the same program with the
// same parameters. Written by frontends/tasm, read by the compute engine. Addresses are bytes
// (wse.md 6.1), extents and strides elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/pe/isa.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::pe {

enum class ElementType : std::uint8_t { kI16, kU16, kI32, kU32, kF32 };

unsigned bytes_of(ElementType type);
std::string_view to_string(ElementType type);
std::optional<ElementType> element_type_from(std::string_view name);

/// A named array in SRAM. Contents start as `init` (raw bits, one entry an element), then zeros.
struct Symbol {
  std::string name;
  ElementType type = ElementType::kF32;
  std::uint32_t address = 0;
  std::uint32_t count = 0;
  std::vector<std::uint32_t> init;
  std::uint32_t line = 0;
};

enum class DsdKind : std::uint8_t { kMem1d, kFabin, kFabout };

/// A descriptor as `lddsr` loads it (wse.md 5.2, 5.5).
struct Dsd {
  std::string name;
  DsdKind kind = DsdKind::kMem1d;
  std::uint16_t extent = 0;  ///< elements; 0x7FFF: endless (wse.md 5.8)
  // mem1d
  std::uint16_t base = 0;   ///< byte address of element 0, offset included
  std::int16_t stride = 1;  ///< elements
  std::uint8_t element_bytes = 4;
  // fabin, fabout
  QueueId queue;
  Color color;  ///< fabout: color of the wavelets sent
  std::uint32_t line = 0;
};
inline constexpr std::uint16_t kEndless = 0x7FFF;

/// An input queue and the color it receives, or an output queue; on WSE-2 an output queue may have
/// no color of its own (wse.md 2.2).
struct QueueBinding {
  std::string name;
  bool input = true;
  QueueId id;
  std::optional<Color> color;
  std::uint32_t line = 0;
};

enum class TaskKind : std::uint8_t { kData, kLocal };

/// wse.md 3.1: the id of a data task is its color on WSE-2 and its input queue on WSE-3.
struct TaskBinding {
  std::string name;
  TaskKind kind = TaskKind::kLocal;
  TaskId id;
  QueueId queue;            ///< data tasks: where their wavelets arrive
  std::uint32_t entry = 0;  ///< index of the first instruction
  bool active = false;      ///< initially
  bool blocked = false;     ///< initially
  std::uint32_t line = 0;
};

/// A host-callable or local function. It ends with `ret`.
struct Function {
  std::string name;
  std::uint32_t entry = 0;
  std::uint32_t line = 0;
};

/// A label inside a task or function, kept for the disassembler and for diagnoses.
struct Label {
  std::string name;
  std::uint32_t target = 0;
};

struct Image {
  std::string file;
  Generation generation = Generation::kWse3;
  std::vector<Instruction> code;
  std::vector<Symbol> symbols;
  std::vector<Dsd> dsds;
  std::vector<QueueBinding> queues;
  std::vector<TaskBinding> tasks;
  std::vector<Function> functions;
  std::vector<Label> labels;
  std::uint32_t data_end = 0;  ///< first byte behind code, task table and data

  const Symbol* find_symbol(std::string_view name) const;
  const Function* find_function(std::string_view name) const;
  const QueueBinding* find_queue(bool input, QueueId id) const;
  /// "gemv.tasm:31 (task reduce)": where instruction `pc` stands, for messages.
  std::string place_of(std::uint32_t pc) const;
};

/// Bytes at the start of SRAM that the task table takes: 64 entries of four instructions
/// (wse.md 3.1).
inline constexpr std::uint32_t kTaskTableBytes = kTaskCount * 4 * kInstructionBytes;
inline constexpr std::uint32_t kSramBytes = 48 * 1024;  // wse.md 6.2

}  // namespace tessera::pe
