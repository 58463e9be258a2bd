// The code of one tile while it is made: which functions, variables and descriptors the reachable
// part of a program needs (csl.md 4, 6). Everything is made when something mentions it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/ir/builder.h"
#include "frontends/csl/ir/dsd.h"
#include "frontends/csl/lower/dsr_plan.h"
#include "frontends/csl/lower/dsr_uses.h"
#include "frontends/csl/lower/function_pointers.h"
#include "frontends/csl/lower/known_dsrs.h"
#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {

class TileCode;

/// A function of the tile while its body is analysed. The frames of calls that are expanded in it
/// share it.
struct FunctionCode {
  FunctionCode(TileCode& of, ir::Module& module, ir::FunctionId number)
      : tile(of), id(number), builder(module, number) {}
  TileCode& tile;
  const ir::FunctionId id;
  ir::Builder builder;
  const Type* result = nullptr;
  std::optional<Storage> result_place;  ///< where a result goes that no register holds
  /// Variables of the source that are locals of the function.
  std::vector<std::pair<std::shared_ptr<ir::SourceLocal>, ir::VariableId>> locals;
  unsigned conditions = 0;  ///< branches of the running program around the current place
  KnownDsrs dsrs;
};

/// The queue of a fabric operand and its color.
struct QueueUse {
  QueueId queue;
  Color color;
};

/// What the words of a variable hold whose elements no register has.
pe::PackedType packed_type(const Type& element);

class TileCode {
 public:
  /// `queues`: those that the code names beside the ones of comptime blocks, as far as an earlier
  /// analysis has found them; queues that nobody names are chosen among the others.
  TileCode(Engine& engine, const Variant& variant, const std::vector<pe::QueueBinding>& queues);
  TileCode(const TileCode&) = delete;
  TileCode& operator=(const TileCode&) = delete;

  /// Everything that tasks and exported functions reach.
  ir::Module make();

  Engine& engine() const { return engine_; }
  /// A local variable that holds a descriptor which is known and never changes: its record is stored where it is declared, and
  /// loads take it from there (docs/csl.md, "Code of the vendor").
  void add_stored(ir::VariableId variable) { stored_.insert(variable); }
  bool is_stored(const LiveDsd& dsd) const {
    return dsd.record && dsd.record->address.is_address() &&
           stored_.count(dsd.record->address.number) != 0;
  }
  const Variant& variant() const { return variant_; }
  const Tile& tile() const { return variant_.tile; }
  ir::Module& module() { return module_; }
  const DsrPlan& dsrs() const { return dsrs_; }
  FunctionPointers& pointers() { return pointers_; }
  const pe::Fifo& fifo(std::size_t number);
  /// WSE-3: the microthread of operations that push to a FIFO, or pop from it, and have no operand of
  /// the fabric. It is one that no queue has; if there is none, the highest.
  MicrothreadId microthread_of_fifo(unsigned fifo, bool pushes);
  /// Remembers on which microthread operations with an explicit DSR run.
  void note_load(const pe::Operand& dsr, const pe::Dsd& dsd, const pe::OpConfig& config);
  DsrUses dsr_uses;
  /// An operation at `at` uses elements that lie beyond an array: an error, or a warning with
  /// Options::allows_overrun, if it only reads them, or if the code has no other variable that could lie there.
  enum class Beyond : std::uint8_t { kMayWrite, kReads };
  void note_overrun(const Node& at, std::string text, Beyond use = Beyond::kMayWrite) {
    overruns_.push_back({&engine_.place_of_user(at), std::move(text), use});
  }
  bool is_wse3() const { return engine_.options.arch == "wse3"; }

  /// The memory of a variable, or of a constant that needs an address.
  ir::VariableId variable_of(const std::shared_ptr<Cell>& cell, const Node& at);
  /// Memory of a local of the function.
  void set_storage(const std::shared_ptr<Cell>& cell, ir::VariableId variable);
  /// The function that a task or a launch starts.
  ir::FunctionId entry(const FunctionValue& function, const std::string& name, bool is_task);
  /// The function for arguments of some types; known values of parameters that have no register are
  /// part of it. nothing: the call has to be expanded.
  std::optional<ir::FunctionId> function_for(const FunctionValue& callee,
                                             const std::vector<Result>& arguments, const Node& at);
  /// The function that a call through a pointer of the type reaches.
  ir::FunctionId function_of_pointer(const FunctionValue& callee, const Type& type,
                                     const PassedInMemory& passed, const Node& at);
  /// Whether the caller passes an argument in a register.
  bool is_register_parameter(const Type* type, const Result& argument,
                             const Parameter& parameter) const;
  /// A descriptor of the program for one that is known.
  std::uint32_t descriptor_of(const Type& kind, const Dsd& dsd, const Node& at);
  std::uint32_t add_descriptor(ir::Descriptor descriptor);
  /// The queue that a fabric operand uses, bound to its color if it was not (csl.md 8.1, 9). One that
  /// is `later` bound to its color by the program need not be named on WSE-3.
  QueueUse use_queue(bool is_input, std::optional<unsigned> queue, std::optional<unsigned> color,
                     const Node& at, bool later = false);
  /// WSE-2: the queue in which a data task waits for its color.
  QueueId queue_of_task(unsigned color, const Node& at);
  /// The ids of the channels that the PE receives from. WSE-2: the colors with a route to the ramp, and those of its
  /// input queues; WSE-3: its input queues.
  std::set<unsigned> channels();
  /// The input or output queues that have a color, and their colors.
  std::set<unsigned> bound_queues(bool is_input) const;
  std::set<unsigned> colors_of_queues(bool is_input) const;
  /// Whether the color has a route to the ramp on a PE of this code.
  bool is_received(unsigned color) const;
  /// The colors with a route from the ramp.
  std::set<unsigned> sent_colors() const;
  /// The number of a text that the program prints.
  std::uint32_t string(const std::string& text);
  ir::Place place_of(const Node& at);
  /// The id that a task is bound to.
  TaskId id_of(const FunctionValue& task, const Node& at) const;
  /// The queue of an explicit DSR, once it is loaded with a descriptor of the fabric.
  std::map<std::pair<std::uint16_t, unsigned>, unsigned> dsr_queues;
  std::optional<ir::VariableId> find_variable(const Cell& cell) const;
  /// The variables of files by name.
  std::map<std::string, ir::VariableId> globals() const;
  std::vector<pe::QueueBinding> named_queues;
  /// The variables whose `linksection` has an address, with its name and that.
  std::map<ir::VariableId, std::pair<std::string, std::uint32_t>> sections;
  bool has_chosen_queue = false;  ///< a queue was chosen for a color that names none
  /// The functions of exported names, by name.
  std::map<std::string, ir::FunctionId> exported;

 private:
  /// "x" of the file of the code, "module.x" of others; the `linkname` if there is one.
  std::string name_of(const Cell& cell) const;
  std::string imported_as(const Instance& instance) const;
  /// A function whose body is still to be analysed. `arguments`: what is known of them.
  struct Pending {
    ir::FunctionId id;
    FunctionValue function;
    std::vector<Result> arguments;
    unsigned depth = 0;  ///< calls from a task, or what the host launches, to this one
    const Node* called_at =
        nullptr;  ///< the first call; nullptr: it is a task, or the host launches it
    std::optional<Storage> result_place;  ///< as that of FunctionCode
  };
  void analyse(const Pending& pending);
  void take_parameters(const Pending& pending, Evaluator& evaluator, FunctionCode& code);
  /// Analyses what is pending and what that leads to.
  void analyse_all();
  void append_packed(ir::Variable& variable, const Type& type, const Value& value,
                     std::int64_t offset, const Node& at);
  void append_bits(ir::Variable& variable, const Type& type, const Value& value,
                   std::int64_t offset, const Node& at);
  void judge_overruns();
  /// Notes the mistakes that do not follow from those of the functions, and throws all of them.
  /// `has_tasks`: none of them is one of the tasks.
  void judge_mistaken(bool has_tasks);
  QueueUse use_input_queue(std::optional<unsigned> queue, std::optional<unsigned> color,
                           const Node& at);
  QueueUse use_output_queue(std::optional<unsigned> queue, std::optional<unsigned> color,
                            const Node& at);
  QueueUse move_color(const pe::QueueBinding* own, unsigned queue, unsigned color, const Node& at);
  QueueUse use_taken_queue(std::optional<unsigned> queue, std::optional<unsigned> color,
                           const Node& at);
  /// A number that no receiver has, if there is one.
  std::optional<unsigned> free_receiver();
  /// A receiver that shares the length and the microthread of queue `shared`.
  QueueUse add_receiver(unsigned id, unsigned shared, std::optional<unsigned> color,
                        const Node& at);
  QueueUse add_queue(bool is_input, unsigned id, std::optional<unsigned> color, bool is_named,
                     const Node& at);
  pe::QueueBinding* find_queue(bool is_input, std::optional<unsigned> id,
                               std::optional<unsigned> color);
  /// `is_shared`: the queue that the program names serves another color.
  std::optional<unsigned> free_queue(bool is_input, bool is_shared);
  void tell_shared_queue(unsigned queue, const Node& at);
  void tell_queue_of_color(const pe::QueueBinding& of_color, unsigned queue, const Node& at);
  /// Whether `leads` holds for the color on one of the PEs of this code.
  bool is_routed(unsigned color, bool (*leads)(const ColorConfig&)) const;
  /// Input queues of data tasks to which nothing binds a color.
  void add_silent_queues();
  Color color_of(const pe::QueueBinding& queue) const;
  /// The highest color without a queue.
  unsigned unused_color() const;

  Engine& engine_;
  const Variant& variant_;
  const DsrPlan dsrs_;
  std::set<unsigned> chosen_queues_;              ///< input queues for colors that name none
  std::map<unsigned, unsigned> output_of_color_;  ///< output queues of WSE-2, by color
  std::map<std::pair<unsigned, bool>, unsigned> fifo_microthreads_;  ///< by FIFO and direction
  ir::Module module_;
  std::map<const Cell*, ir::VariableId> variables_;
  std::vector<std::shared_ptr<Cell>> kept_;  ///< so that no other object gets their addresses
  std::map<std::string, ir::FunctionId> functions_;
  std::vector<Pending> pending_;
  unsigned depth_ = 0;  // of the function that is analysed
  FunctionPointers pointers_{*this};
  std::map<std::string, std::uint32_t> descriptors_;
  std::map<std::string, std::uint32_t> strings_;
  std::map<std::uint16_t, std::uint32_t> files_;
  struct Overrun {
    const Node* at;
    std::string text;
    Beyond use;
  };
  std::vector<Overrun> overruns_;
  std::set<ir::VariableId> stored_;
};

}  // namespace tessera::csl
