// Lowers one function for one kind of core; lower.h says what that means.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontends/pto/fifo_ends.h"
#include "frontends/pto/kinds.h"
#include "frontends/pto/lower.h"
#include "frontends/pto/operations.h"
#include "frontends/pto/reserved.h"

namespace tessera::pto {

class FunctionLowering {
 public:
  /// `arrays`: those in GM that the program uses so far; grows.
  FunctionLowering(const Module& module, const FunctionKinds& kinds, const LowerOptions& options,
                   cluster::CoreKind kind, const ReservedBuffers& reserved,
                   std::vector<cluster::GmArray>& arrays);
  ~FunctionLowering();

  cluster::Program run(const Function& function);
  /// The pipes to the other kind of core that the function opens; after run().
  std::vector<PipeEnd> take_pipe_ends() { return std::move(pipe_ends_); }

 private:
  using Operand = cluster::Operand;
  using Opcode = cluster::Opcode;
  using Role = Argument::Role;

  /// What a name of the text stands for.
  struct Value {
    enum class Kind : std::uint8_t {
      kScalar,
      kFloat,
      kPointer,
      kAddress,  ///< a pointer made from a number
      kView,
      kTile,
      kEvents,
      kPipe,
      kSlot,  ///< what pto.tpop gives to pto.get_fifo_tile
      kUnknown
    };
    Kind kind = Kind::kScalar;
    Operand scalar;
    Type type;
    bool is_placed = false;      ///< a tile whose address the program gives
    std::vector<Operand> sizes;  ///< of a partition; of a tile valid rows and columns;
                                 ///< of kEvents the registers of its elements
    double number = 0;           ///< kFloat, unless `scalar` is a register
    /// Where it is: of a pointer, a view and a tile. Its access and sizes are set at use.
    cluster::TileOperand place;
    unsigned pipe = 0;                                  ///< of kPipe and kSlot: in fifos_
    const ReservedBuffers::Buffer* reserved = nullptr;  ///< whose address it is
  };
  using Names = std::map<std::string, Value>;

  void add_parameters(const Function& function);
  double float_argument(const Parameter& p, const Function& function) const;
  [[noreturn]] void fail_without_value(const Parameter& p, const Function& function) const;
  void collect_resized(const Function& function);
  void lower(const Region& region);
  void lower(const Operation& op);
  void lower_scalar(const Operation& op, const OperationInfo& info);
  void lower_extended(const Operation& op, const OperationInfo& info);

  // Scalars and control flow.
  void lower_constant(const Operation& op);
  void lower_arithmetic(const Operation& op, Opcode opcode);
  void lower_compare(const Operation& op);
  void lower_select(const Operation& op);
  // The memory of the scalar unit (scalar_memory_lowering.cpp).
  void add_to_pointer(const Operation& op);
  void cast_pointer(const Operation& op);
  void lower_load_scalar(const Operation& op);
  void lower_store_scalar(const Operation& op);
  void lower_clean_cache(const Operation& op);
  void lower_data_barrier(const Operation& op);
  const Value& pointer(const Argument& a) const;
  cluster::TileOperand element_in_gm(const Argument& a, Operand index,
                                     cluster::Access access) const;

  void lower_for(const Operation& op);
  void lower_if(const Operation& op);
  /// The region in a scope of its own; what its scf.yield gives goes to `targets`.
  void lower_body(const Region& region, const std::vector<Value>& targets, Place place);

  void lower_while(const Operation& op);
  void lower_call(const Operation& op);
  /// The values that the region ends with, of an operation called `terminator`.
  std::vector<Value> lower_region(const Region& region, const char* terminator, Place place);
  /// Values in registers of their own, that loops and branches carry (control_lowering.cpp).
  std::vector<Value> carry_arguments(const Operation& op, std::size_t first);
  Value carried_like(const Value& like, Place place);
  void assign(const std::vector<Value>& targets, const std::vector<Value>& values, Place place);
  void check_alike(const Value& to, const Value& from, Place place) const;
  const Value& number_or_tile(const Argument& a) const;
  Operand address_of(const Value& tile, Place place);
  void define_results(const Operation& op, const std::vector<Value>& values);
  void lower_unknown(const Operation& op);
  /// Of a function whose operations belong to both kinds of core: this one is not of ours.
  bool belongs_elsewhere(const Operation& op) const;

  // Tiles.
  void lower_alloc(const Operation& op);
  /// A tile of the type, without an address. Sizes that are ? have yet to get their register.
  Value tile_of(const Type& type, const std::string& name);
  void lower_subview(const Operation& op);
  void lower_reshape(const Operation& op);
  void lower_valid_shape(const Operation& op);
  void lower_assign(const Operation& op);
  /// Tiles whose valid sizes change need registers for them.
  void lower_view(const Operation& op);
  void lower_partition(const Operation& op);
  void lower_load(const Operation& op);
  void lower_store(const Operation& op);
  void lower_move(const Operation& op, const OperationInfo& info);
  void lower_matmul(const Operation& op, const OperationInfo& info);
  void lower_vector(const Operation& op, const OperationInfo& info);
  cluster::BankConflict conflict_of(const Operation& op, const OperationInfo& info) const;
  void check_copy(const Operation& op, const Value& view, const Value& tile) const;
  void check_valid(const Operation& op, const Value& tile) const;
  /// Rows and bytes per row of what moves between GM and a tile.
  void set_copy_sizes(cluster::Instruction& i, const Value& view, const Value& tile);
  Opcode move_between(const Operation& op, const Value& from, const Value& to) const;

  // Operands (operands.cpp).
  using Access = cluster::Access;
  std::uint16_t array_of(const Parameter& p);
  /// Where a tile without `addr =` lies: behind those before it.
  std::int64_t allot(const Operation& op, const cluster::TileOperand& tile);
  void check_room(const Operation& op, const cluster::TileOperand& tile,
                  std::int64_t address) const;
  cluster::TileOperand tile_operand(const Argument& a, Access access) const;
  cluster::TileOperand view_operand(const Argument& a, Access access) const;
  /// Gives the instruction emitted last its operands: inputs, then the result.
  cluster::TileOperation& attach(std::vector<cluster::TileOperand> operands);
  /// .. all tiles and scalars of the operation in the order of the text.
  cluster::TileOperation& attach_all(const Operation& op, const OperationInfo& info);
  void attach_move(const Operation& op, const OperationInfo& info);
  /// Scratch tiles are written, and what an attribute says.
  void set_options(const Operation& op, cluster::TileOperation& operation) const;
  /// Of functions that one name stands for, and those with more or fewer inputs.
  void choose_function(const Operation& op, cluster::TileOperation& operation) const;
  void check_operands(const Operation& op, const cluster::TileOperation& operation) const;
  void check_blocks(const Operation& op, const cluster::TileOperation& operation) const;
  /// Offsets and sizes that are written as numbers. What is computed may stand in a branch that is not
  /// taken for the sizes of this launch.
  void refuse_negative(const Operation& op) const;
  /// Known sizes and strides of a tensor: nothing that 64 bits do not hold.
  void check_view(const Operation& op, const cluster::TileOperand& view) const;
  /// A known part lies in a tensor whose type says how large it is.
  void check_part(const Operation& op, const Type& tensor, const std::vector<Operand>& offsets,
                  const std::vector<Operand>& sizes) const;
  void check_move(const Operation& op, const Value& from, const Value& to) const;
  /// The part of `part` from (row, column) on lies in `whole`.
  void check_inside(const Operation& op, const Value& whole, const Value& part, Operand row,
                    Operand column) const;
  /// rows * columns, or what else is a product of sizes: it does not wrap around.
  Operand size_product(Operand a, Operand b, Place place);
  /// The place (row, column) inside a tile.
  static void move_inside(cluster::TileOperand& tile, Operand row, Operand column);
  void set_valid(Value& v, Operand rows, Operand columns, Place place);
  cluster::Element element_of(const Type& type) const;

  // Pipes between cube and vector (fifo_lowering.cpp, fifo.h).
  struct Fifo;
  struct FifoEnd;
  void lower_pipe_operation(const Operation& op, Meaning meaning);
  void lower_reserved(const Operation& op, bool imports);
  unsigned open_fifo(const Operation& op, std::int64_t id, bool through_gm);
  /// `c2v`, `v2c`: addresses of the buffers of the consumers.
  void open_ends(Fifo& fifo, const Operation& op, const Value* gm, const Value& c2v,
                 const Value& v2c);
  void note_end(const Fifo& fifo, const Operation& op, const Value& c2v, const Value& v2c);
  /// The ring of the consumer lies in its memory, and in the buffer that is reserved for it.
  void check_ring(const Fifo& fifo, const Operation& op, const Value& buffer, bool to_aiv) const;
  void note_tile(const Fifo& fifo, const Operation& op, const Type& type, bool pushes);
  void open_pipe(const Operation& op);
  void open_handle(const Operation& op);
  Fifo& fifo_of(const Operation& op);
  FifoEnd& end_of(Fifo& fifo, const Operation& op, bool produces);
  /// The wait for free slots, if the next tile needs one.
  void ask_for_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op);
  Value entry_of(const Operation& op, Fifo& fifo, const FifoEnd& end, const Type& type);
  void alloc_entry(const Operation& op);
  void push_entry(const Operation& op, Fifo& fifo, FifoEnd& end);
  void pop_entry(const Operation& op, Fifo& fifo, FifoEnd& end);
  void note_entry(const Fifo& fifo, const Operation& op, const Type& type, bool pushes);
  void push(const Operation& op);
  void pop(const Operation& op);
  Value declared_tile(const Operation& op, const Type& type);
  Value pop_tile(const Operation& op, Fifo& fifo, const Type& type, Operand slot);
  void free_slot(const Operation& op);
  void close_fifos(Place place);
  void copy_to_slot(Fifo& fifo, FifoEnd& end, const Operation& op, const Value& source,
                    Operand slot);
  void copy_from_slot(Fifo& fifo, FifoEnd& end, const Operation& op, const Value& tile);
  cluster::TileOperand slot_in_gm(const Fifo& fifo, const FifoEnd& end, const Value& tile,
                                  Operand slot, Place place);
  void touch_slot(cluster::Pipe pipe, const Operation& op, const Value& tile);
  void fifo_signal(const Fifo& fifo, bool sets, cluster::Pipe pipe, std::int64_t id, Place place);
  Operand subblock(Place place);
  Operand within(Operand count, std::int64_t period, Place place);
  void add_one(unsigned target, Place place);
  /// The instructions that `emit_body` adds run if `condition` is 0.
  template <class Body>
  void unless(Operand condition, Place place, Body emit_body);
  template <class Body>
  void take_part(const Fifo& fifo, Place place, Body emit_body);
  void redefine(const std::string& name, Value value);

  // Sync.
  void lower_sync(const Operation& op, Opcode opcode);
  void set_unit_flag(const Operation& op);
  void lower_event(const Operation& op, bool records);
  void lower_operation_barrier(const Operation& op);
  void lower_sync_all(const Operation& op);
  void lower_soft_sync_all(const Operation& op, cluster::SyncScope scope);
  /// The word of GM that `pointer` of a SYNCALL in software names.
  Operand sync_word(const Argument& pointer) const;
  void lower_events(const Operation& op, Meaning meaning);
  cluster::Pipe pipe_named(const Argument& a) const;
  Operand event_id(const Argument& a) const;

  // Names.
  const Value& value(const Argument& a, Value::Kind kind, const char* what) const;
  const Value& any_value(const Argument& a) const;
  const Value* find_value(const std::string& name) const;
  Operand scalar(const Argument& a) const;
  Operand scalar_or_number(const Argument& a) const;
  const Value& tile(const Argument& a) const;
  const Argument& argument(const Operation& op, Role role, std::size_t n = 0) const;
  void define(const Operation& op, Value value);
  void define(const std::string& name, Place place, Value value);

  // Instructions.
  unsigned new_register(Place place);
  cluster::Instruction& emit(Opcode opcode, Place place, cluster::Pipe pipe);
  cluster::Instruction& emit_tile(Opcode opcode, const Operation& op, cluster::Pipe pipe);
  Operand compute(Opcode opcode, Operand a, Operand b, Place place);
  void set(unsigned target, Operand value, Place place);
  std::uint32_t next() const { return static_cast<std::uint32_t>(program_.code.size()); }
  cluster::DataType data_type(const Type& type) const;
  static unsigned bits_of(const std::string& element);

  const FunctionKinds& kinds_;
  const LowerOptions& options_;
  const cluster::CoreKind kind_;
  const Diagnostics diagnostics_;
  const cluster::Capacities capacities_;
  std::array<std::int64_t, cluster::kLocationCount> allotted_{};  // bytes, by Location
  std::vector<cluster::GmArray>& arrays_;
  cluster::Program program_;
  std::vector<Names> scopes_;
  std::set<std::string> resized_;       // tiles that set_validshape changes
  const Operation* yield_ = nullptr;    // of the region that is being lowered
  std::vector<const Function*> calls_;  // that we are in, the root first
  const ReservedBuffers& reserved_;
  std::vector<Fifo> fifos_;
  std::vector<PipeEnd> pipe_ends_;  // of fifos_
  std::int64_t next_flag_ = 0;      // of a pipe without flag_base
  std::set<cluster::Pipe> tile_pipes_;
  bool has_sync_ = false;
};

}  // namespace tessera::pto
