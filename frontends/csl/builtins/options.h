// The structs of options that builtins take: which fields each has, what a field takes, which fields
// exclude each other and which generation has them (csl.md 7, 8). A struct is checked once, by its
// table; who reads a field afterwards relies on it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/csl/sema/engine.h"

namespace tessera::csl {

/// The fields of a struct that a program gives, in its order.
using Fields = std::vector<std::pair<std::string, Result>>;

enum class Machines : std::uint8_t { kBoth, kWse2, kWse3 };

bool has(Machines machines, bool is_wse3);

enum class FieldKind : std::uint8_t {
  kFlag,       ///< a bool
  kChoice,     ///< a struct with exactly one true field, one of `choices`
  kNumber,     ///< an integer of `lowest`..`highest`
  kIndex,      ///< a u16 that the running program may compute
  kHandle,     ///< a value of the type `handle`
  kDsr,        ///< a DSR of the kind `handle`, or of the kind of FIFOs in the same file
  kLocalTask,  ///< a local_task_id, or a task that is bound as a local one
  kUnblocked,  ///< what the end of an operation may unblock: depends on the generation
  kStruct,     ///< a struct of the fields `fields`
  kShape       ///< where the elements of a descriptor lie: `@get_dsd` reads it
};

struct ChoiceRow {
  std::string_view name;
  Machines machines = Machines::kBoth;
};

struct OptionsTable;

struct FieldRow {
  std::string_view name;
  FieldKind kind = FieldKind::kFlag;
  Machines machines = Machines::kBoth;
  std::string_view instead;  ///< follows the refusal on the other generation: what it has
  std::string_view handle;
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::vector<ChoiceRow> choices;
  const OptionsTable* fields = nullptr;
  bool may_run = false;  ///< in code of the running program it may be known to that program only
};

struct OptionsTable {
  std::string_view whose;  ///< "an operation": it has no option ..
  std::string_view noun;   ///< "option" or "field"
  std::vector<FieldRow> rows;
  std::vector<std::string_view> at_most_one;  ///< fields that exclude each other
};

/// The kind of a FIFO's DSR in the file of `kind`: `dsr_fifo_dest` of `dsr_dest`; of `xdsr` itself.
std::string fifo_kind(std::string_view kind);
/// `.high`, `.medium`, `.low`.
const std::vector<ChoiceRow>& priority_choices();
/// All tables, for the page of builtins.
const std::vector<const OptionsTable*>& all_options();
const OptionsTable& operation_options_table();
const OptionsTable& load_options_table();
/// Fails at an option of a load that descriptors of this kind have not (csl.md 7.3): some belong to the fabric,
/// `save_address` to memory.
void check_load_options(const Engine& engine, const Type& kind, const Fields& options,
                        const Node& at);
const OptionsTable& fifo_options_table();
const OptionsTable& queue_options_table();
const OptionsTable& control_table_options_table();
const OptionsTable& rotation_options_table();
/// The fields of `@get_dsd` beside those that say where and how many: of `fabin_dsd`, `mem1d_dsd` ..
const OptionsTable& dsd_fields_table(std::string_view kind);

/// Fails at `at` if `given` is not what the table says. `prefix` begins the message.
void check_options(const Engine& engine, const OptionsTable& table, const Fields& given,
                   const Node& at, const std::string& prefix = "");
/// One field of such a struct.
void check_option(const Engine& engine, const OptionsTable& table, const std::string& name,
                  const Result& value, const Node& at, const std::string& prefix = "");
/// The fields of an option that is a struct, of which the running program may know some.
Fields fields_of_option(const Engine& engine, const Result& option, const Node& at);
/// The true field of a checked choice.
std::string choice_of(const Result& option);

/// The program activates the id. A task that `@bind_task` has given the number of a color, and a parameter, is a local task
/// then (Tile::activated_colors). Returns whether such a task has the id.
bool activate_color(Tile& tile, unsigned id);
/// The id of the local task that a checked option `name` names. Fails unless a local task is bound
/// to it.
unsigned activated_id(const Engine& engine, const Tile& tile, const Result& value, const Node& at,
                      const std::string& name);
/// The id that an operation unblocks. Fails for tasks that are bound as control tasks or not at all.
unsigned unblocked_id(const Engine& engine, const Tile& tile, const Result& value, const Node& at,
                      const std::string& name);
/// The ids of the tasks that a completion may activate, or unblock: of local tasks, or of local and data tasks.
std::set<unsigned> ids_of_tasks(const Tile& tile, bool with_data_tasks);

}  // namespace tessera::csl
