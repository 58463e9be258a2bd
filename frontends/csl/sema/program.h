// What the evaluation of a layout and of its tiles gives (csl.md 5): which code every PE runs, how
// its router is set, and what the comptime blocks of each code have declared.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/sema/module.h"

namespace tessera::csl {

/// Bits of a set of directions: WEST 1, EAST 2, SOUTH 4, NORTH 8, RAMP 16 (wse.md 1.2).
using Directions = std::uint8_t;

/// A switch position after position 0. A side without a value stays as the position before has it.
struct SwitchPosition {
  bool is_valid = false;
  std::optional<Directions> rx;
  std::optional<Directions> tx;
};

/// The configuration of a color on a PE (csl.md 10).
struct ColorConfig {
  Directions rx = 0;
  Directions tx = 0;
  bool swap_x = false;
  bool swap_y = false;
  std::array<SwitchPosition, 3> positions;
  unsigned current_position = 0;
  bool ring_mode = false;
  std::string pop_mode = "no_pop";
  bool teardown = false;
  bool messages = false;                      ///< carries the messages of `<message_passing>`
  std::map<std::string, std::string> filter;  ///< fields of the filter as text; empty: none
  const Node* at = nullptr;                   ///< where the program says so
};

enum class TaskKind : std::uint8_t { kLocal, kData, kControl };

/// Equal for configurations that make the same route.
void append_key(std::string& key, const ColorConfig& config);

struct TaskBinding {
  TaskKind kind = TaskKind::kLocal;
  unsigned id = 0;
  FunctionValue task;
  bool by_color = false;  ///< `@bind_task` with a color, SDK 0.4 to 0.9
};

/// Two tasks that take turns on one id (`@bind_rotating_tasks`).
struct RotatingTasks {
  unsigned id = 0;
  FunctionValue main;
  FunctionValue alternative;
  std::vector<std::pair<std::string, Result>> options;
  const Node* at = nullptr;        ///< where the program says so
  bool binds_alternative = false;  ///< no other statement does: its id follows from the queue
};

struct QueueBinding {
  bool is_input = true;
  unsigned id = 0;
  std::vector<std::pair<std::string, Result>> options;  ///< color, priority ..
  const Node* at = nullptr;                             ///< where the program says so
};

/// A symbol for the host that a layout declares with `@export_name`.
struct ExportedName {
  std::string name;
  const Type* type = nullptr;
  bool is_mutable = false;
  bool has_mutability = false;
};

/// The variable or function of a tile that implements an exported name.
struct ExportedSymbol {
  std::string name;
  const Type* type = nullptr;
  std::shared_ptr<const Cell> variable;  ///< nullptr: `function`
  FunctionValue function;
  const Node* at = nullptr;
};

/// `block`, `unblock`, `activate`, `high` or `low` (priority) of a comptime block: the state at the
/// start.
struct StartState {
  std::string action;
  const Type* handle = nullptr;
  unsigned id = 0;
  const Node* at = nullptr;
};

struct DsrLoad {
  const Type* dsr = nullptr;
  unsigned id = 0;
  std::optional<unsigned> extended;  ///< the XDSR that the program names
  std::vector<unsigned> strides;     ///< the stride registers that it names
  Result dsd;
  std::vector<std::pair<std::string, Result>> options;
  const Node* at = nullptr;
};

/// A FIFO; its number is the value of the constant that declares it.
struct FifoDeclaration {
  std::shared_ptr<const Cell> buffer;
  std::vector<std::pair<std::string, Result>> options;
  const Node* at = nullptr;
  /// The number of its DSRs and its extended DSR, if the program names them.
  std::optional<std::pair<unsigned, unsigned>> registers;
};

/// The table of control tasks, if they have a table of their own (wse.md 3.1).
struct ControlTable {
  unsigned instructions = 4;  ///< instructions in each entry: 2, 4 or 8
  unsigned stride = 1;        ///< 1..7
  const Node* at = nullptr;
};

/// What the comptime blocks of one code with its bindings have declared.
struct Tile {
  std::vector<TaskBinding> tasks;
  bool has_old_host =
      false;  ///< `@bind_task`: hosts of SDK 0.4 to 0.9 set any variable by its name
  std::vector<RotatingTasks> rotating_tasks;
  std::vector<QueueBinding> queues;
  std::map<unsigned, ColorConfig> colors;
  std::vector<ExportedSymbol> exports;
  std::vector<StartState> start;
  std::vector<DsrLoad> dsrs;
  std::vector<FifoDeclaration> fifos;
  std::optional<ControlTable> control_table;
  std::map<unsigned, FunctionValue> teardown_handlers;     ///< by color
  std::map<unsigned, FunctionValue> empty_queue_handlers;  ///< by output queue
  struct Word {
    std::int64_t value = 0;
    const Node* at = nullptr;
  };
  std::map<std::int64_t, Word> configuration;          ///< by address
  std::optional<std::uint8_t> main_thread_priority;    ///< at the start
  std::optional<std::uint8_t> control_transform_mask;  ///< at the start
  std::set<std::pair<std::string, unsigned>> dsr_ids;  ///< DSRs that the program names
  /// Tasks with parameters that have the number of a color and that the program activates: no wavelets start them, so that they
  /// are local tasks.
  std::set<unsigned> activated_colors;
  bool lacks_declarations =
      false;  ///< because of a mistake: what the code says of them means nothing
};

/// A file with bindings, compiled once for all PEs that have it.
struct Variant {
  std::string file;
  Result bindings;
  Instance* root = nullptr;
  Tile tile;
  std::size_t number = 0;          ///< index of Program::variants
  std::string routes;              ///< a key of the routes of its PEs, if codes are shared
  std::vector<std::uint32_t> pes;  ///< those that have it, indices of Program::pes
  /// An earlier one whose declarations are the same: then this one has neither `root` nor `tile`.
  const Variant* like = nullptr;

  const Tile& declared() const { return like != nullptr ? like->tile : tile; }
};

struct Pe {
  int variant = -1;  ///< -1: none
  std::map<unsigned, ColorConfig> colors;
};

struct Program {
  unsigned width = 0;
  unsigned height = 0;
  std::vector<Pe> pes;  ///< row by row
  std::vector<std::unique_ptr<Variant>> variants;
  std::vector<ExportedName> exports;

  Pe& at(unsigned x, unsigned y) { return pes[std::size_t{y} * width + x]; }
  const Pe& at(unsigned x, unsigned y) const { return pes[std::size_t{y} * width + x]; }
};

/// The program as JSON text: the code of each PE, its routes, and the tasks, queues and exports of
/// each code. `arch` is "wse2" or "wse3".
std::string layout_json(const Program& program, const std::string& arch);

}  // namespace tessera::csl
