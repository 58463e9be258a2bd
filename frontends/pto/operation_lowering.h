// The types that lower the operations of PTO text, each of them one group; fifo.h has the one for
// pipes between cores.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "frontends/pto/machine_types.h"
#include "frontends/pto/register_lowering.h"

namespace tessera::pto {

/// Operations of the scalar unit: arithmetic, arrays in its registers, pointers, loads, stores and its
/// cache (reference ascend.md 2.9, 4.3, 7).
class ScalarLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void constant(const Operation& op);
  void arithmetic(const Operation& op, const OperationInfo& info);
  void compare(const Operation& op);
  void cast(const Operation& op);
  void special(const Operation& op, const OperationInfo& info) {
    scope_.define_scalar(op, emitter_.get(info.special, op.place));
  }

  /// arith.fptosi and its relatives.
  void convert(const Operation& op, const OperationInfo& info);

  /// Arrays of event ids, local arrays, and structs, whose fields are elements.
  void array(const Operation& op);
  void set_element(const Operation& op);
  void get_element(const Operation& op);

  // One element of a tile in UB, counted row by row (pto.tgetval, pto.tsetval).
  void get_value(const Operation& op);
  void set_value(const Operation& op);
  /// pto.tprint and pto.print: a tile, a part of a tensor or a number, as the run shows it.
  void print(const Operation& op);

  void add_to_pointer(const Operation& op);
  /// Makes a pointer from a number, or a number from a pointer. A pointer that was made from a number
  /// points into no array, so only scalar accesses take it, unless the number came from a pointer.
  void cast_pointer(const Operation& op);
  void load(const Operation& op);
  void store(const Operation& op);
  /// pto.dcci and pto.cmo.cacheinvalid clean the line of the pointer, or all lines.
  void clean_cache(const Operation& op);
  /// pto.dsb and pto.fence.barrier_all. The model has barriers for GM only.
  void data_barrier(const Operation& op);

 private:
  const Value& pointer(const Argument& a) const;
  TileOperand element_at(const Argument& a, Operand index, Access access) const;
  Value number_of_pointer(const Operation& op, const Value& from);
  TileOperand element_of_tile(const Argument& tile, Operand index, Access access) const;
  /// Loads one element into a new register.
  Value loaded(TileOperand from, Place place);
  void store_to(TileOperand to, const Argument& what, Place place);
  /// The number of the element of an array, or of the field of a struct, that an operation names, and
  /// its type.
  std::pair<Operand, std::string> element_index(const Operation& op, const Value& array);
  /// kGetElement or kSetElement, from or to the register. Returns whether the element is a float.
  bool access(Opcode opcode, const Operation& op, Operand reg);
};

/// Communication through GM between clusters, and devices (docs/ascend-platform.md, section Communication).
class CommLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void notify(const Operation& op);
  /// pto.comm.twait and pto.comm.ttest.
  void test(const Operation& op);
  /// pto.comm.tput, .tget, .tbroadcast, .tgather and .tscatter: copies through staging tiles. An
  /// asynchronous one goes through the tile of its session.
  void transfer(const Operation& op);
  /// pto.comm.treduce: parts of other clusters are loaded, combined on the vector unit, and stored.
  void reduce(const Operation& op);
  /// A session of asynchronous transfers, or a prefetch. Its value is its staging tile, if any.
  void session(const Operation& op);
  /// A transfer was complete for the core when it was issued: MTE2 and MTE3 move it.
  void async_event(const Operation& op) { scope_.define_scalar(op, 1); }

 private:
  /// The element of an array that is a signal, and the word of GM in whose order it changes.
  TileOperand signal(const Argument& a, Access access) const;
  Operand word_of(const Argument& signal, Place place);
  void copy(const Operation& op, TileOperand target, TileOperand source);
  /// The part of a tensor that belongs to the n-th of a group: parts lie one after the other.
  static TileOperand nth(TileOperand tensor, const TileOperand& part, std::size_t n);
};

/// Values that loops and branches carry in registers: a number is in one register, a tile has
/// registers for its address and for the valid sizes that its type leaves open, a pointer one for its address.
class CarriedValues : LoweringPart {
 public:
  explicit CarriedValues(LoweringContext& context) : LoweringPart(context), code_(context) {}

  /// Defines the arguments `name = init` of a loop, which begin at argument `first`.
  std::vector<Value> define_arguments(const Operation& op, std::size_t first);
  /// A value of the same type in new registers.
  Value like(const Value& like, Place place);
  /// Copies `values` to `targets`. Reads all before it writes, because a yield may exchange two.
  void assign(const std::vector<Value>& targets, const std::vector<Value>& values, Place place);
  const Value& number_or_tile(const Argument& a) const;
  /// A value with the kind of a type, for the results of a branch.
  Value of_type(const Type& type) const;

 private:
  void check_alike(const Value& to, const Value& from, Place place) const;

  RegisterCode code_;
};

/// Control flow: regions, loops, branches and calls.
class ControlLowering : LoweringPart {
 public:
  explicit ControlLowering(LoweringContext& context)
      : LoweringPart(context), carried_(context), code_(context) {}

  /// Lowers all operations of a region. Throws UserError if one follows the terminator.
  void region(const Region& region);
  /// Notes the terminator of a region: scf.yield, scf.condition or return.
  void terminate(const Operation& op) { terminator_ = &op; }
  void for_loop(const Operation& op);
  void while_loop(const Operation& op);
  void branch(const Operation& op);
  /// Selects one of two numbers, or of two tiles, which are then in registers.
  void select(const Operation& op);
  /// A region that is the body of a vector function.
  void vector_scope(const Operation& op);
  /// scf.execute_region and pto.fusion_region.
  void inline_region(const Operation& op);
  void section(const Operation& op, const OperationInfo& info) {
    if (is_cube() == (info.meaning == Meaning::kCubeSection)) body(op.regions[0], {}, op.place);
  }
  /// Lowers the body of the function in place of the call. Its arguments may be values of any kind.
  void call(const Operation& op);
  /// An operation that is not in operations.h takes the cycles of --pto-unknown. Only operations of
  /// the same kind can use its results.
  void unknown(const Operation& op);

 private:
  /// Lowers a region and copies the values of its scf.yield to `targets`.
  void body(const Region& body, const std::vector<Value>& targets, Place place,
            const char* what = "region");
  /// Lowers a region and returns the values of its terminator, which must have this name.
  std::vector<Value> values_of(const Region& body, const char* terminator, Place place);
  Value yielded_view(const Operation& op, std::size_t n) const;
  /// Whether this core runs the function. Throws UserError if it may not be called here.
  bool runs_here(const Operation& op, const Function& callee) const;

  CarriedValues carried_;
  RegisterCode code_;
  const Operation* terminator_ = nullptr;  // the terminator of the region that was lowered last
};

/// Operations that define tiles and tensors, or parts of them. They cost nothing.
class TileLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void alloc(const Operation& op);
  /// A tile that is an argument of a function which no other one calls.
  Value of_parameter(const Parameter& p);
  /// The address of a pointer into a buffer on chip that is such an argument: it gets 8 KiB, or what
  /// small buffers have.
  std::int64_t room_for_pointer(const Parameter& p, const TileOperand& place);
  /// Define several tiles of one type, one after the other, and one of them.
  void alloc_several(const Operation& op);
  void one_of_several(const Operation& op);
  /// Valid sizes of a tile, sizes and strides of a view.
  void size_of(const Operation& op);
  /// Defines a part of a tile.
  void subview(const Operation& op);
  /// Defines a tile of another shape or type at the same bytes.
  void reshape(const Operation& op);
  void set_valid_shape(const Operation& op);
  /// Defines a tile of the same type at another address.
  void assign(const Operation& op);
  void tensor_view(const Operation& op);
  /// Defines a part of a tensor.
  void partition(const Operation& op);

 private:
  /// Writes the registers of a tile whose valid sizes change.
  void set_valid(const Value& tile, const std::vector<Operand>& sizes, Place place) {
    for (unsigned d = 0; d < 2; ++d) emitter_.set(tile.sizes[d], sizes[d], place);
  }
  /// Throws UserError for a tile whose rows, or whose address, are not aligned as its buffer needs
  /// them (ascend.md 1.3).
  void check_layout(const Operation& op, const Value& tile) const;
  void check_address(const Operation& op, const Value& tile, Operand address) const;
  /// Throws UserError if an element of a tensor has an address that does not fit 64 bits.
  void check_view(const Operation& op, const TileOperand& view) const;
  /// Throws UserError if the part does not lie in the tensor, as far as both are known.
  void check_part_type(const Operation& op, const Type& part) const;
  void check_part(const Operation& op, const Type& tensor, const std::vector<Operand>& offsets,
                  const std::vector<Operand>& sizes) const;
};

/// Operations that move tiles: between GM and chip, and between the buffers of a cluster.
class MoveLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void load(const Operation& op);
  void store(const Operation& op, const OperationInfo& info);
  /// pto.set_quant_scalar and pto.set_quant_vector: what FIX scales by from here on.
  void set_quantization(const Operation& op);
  /// pto.tmov, pto.textract (which moves a part of the first tile) and pto.tinsert (which moves
  /// into a part of the result).
  void move(const Operation& op, const OperationInfo& info);

 private:
  /// Throws UserError if the part of the tensor does not fit the tile, or has other elements, which
  /// only FIX converts.
  void check_copy(const Operation& op, const Value& view, const Value& tile) const;
  /// The rows of a copy between GM and a tile, and the bytes in a row (for FIX: the elements).
  std::array<Operand, 3> copy_sizes(Opcode opcode, const Value& view, const Value& tile,
                                    Place place);
  Opcode path_between(const Operation& op, const Value& from, const Value& to) const;
  /// Only FIX and the path to the bias table convert: on other paths both types must be the same.
  static Pipe pipe_of(Opcode opcode, const Value& to);
  void check_types(const Operation& op, const Value& from, const Value& to) const;
  void attach_move(const Operation& op, const OperationInfo& info);
  /// What FIX scales `from` by on its way to elements of `to`: an operand of the text, or what an instruction has
  /// set if FIX does not convert without. nullptr: nothing.
  const Value* scale_of(const Operation& op, const OperationInfo& info, const Value& from,
                        Element to, Location target) const;
};

/// Operations that compute with tiles: on the vector unit and on the cube.
class ComputeLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  void matmul(const Operation& op, const OperationInfo& info);
  void vector(const Operation& op, const OperationInfo& info);
  /// pto.mgather and pto.mscatter.
  void gather_memory(const Operation& op);
  /// pto.timg2col: a map of channels as the matrix that a filter multiplies.
  void image_columns(const Operation& op);
  /// pto.tinterleave and pto.tdeinterleave.
  void interleave(const Operation& op);

 private:
  void attach_rearranged(const Operation& op, std::vector<TileOperand> inputs,
                         std::vector<TileOperand> results,
                         std::shared_ptr<const cluster::Rearrangement> order);
  /// A product of `rows` and `columns` on A2/A3 lies in L0C as M writes it, not as its tile says.
  void lay_out_product(const Operation& op, Operand rows, Operand columns);
  void gather_to_l1(const Operation& op);
  /// What pto.mgather and pto.mscatter do with their indices.
  cluster::TableAccess table_access(const Operation& op, const Value& indices,
                                    const Value& values) const;
  /// The attributes of pto.thistogram, pto.trandom and pto.tquant.mx.
  void choose_special(const Operation& op, TileOperation& operation) const;
  void choose_groups(const Operation& op, TileOperation& operation) const;
  /// pto.texpands and pto.tfillpad on a tile in L1.
  void fill_in_l1(const Operation& op, const OperationInfo& info);
  /// The tile with the widest elements. Throws UserError if a tile does not lie in UB.
  const Value& widest_tile(const Operation& op) const;
  /// Which instructions the library makes of the operation on this profile.
  cluster::VectorForm form_of(const Operation& op, const TileOperation& operation) const;
  VectorClass class_of(const Operation& op, const OperationInfo& info, VectorClass usual) const;
  void count_merges(const TileOperation& operation, Operand columns);
  bool is_whole_column(const Operation& op) const;
  /// pto.tci without scratch: the scalar unit stores number after number (ascend_2.md 2.4).
  bool counts_by_scalars(const Operation& op) const;
  void count_by_scalars(const Operation& op);
  cluster::BankConflict conflict_of(const Operation& op, const OperationInfo& info) const;
  void set_factor_rounding(const Operation& op);
  void require_scale_values();
  /// Whether a compiler may put the last vector operation into the vector function of the one in front.
  bool continues_function();
  /// Attaches all tiles and scalars in the order of the text.
  void attach_all(const Operation& op, const OperationInfo& info);
  void follow_result(const Operation& op, TileOperation& operation) const;
  /// Chooses the function and the number of inputs where one name stands for several.
  void choose_function(const Operation& op, TileOperation& operation) const;
  static void convert_small_floats(TileOperation& operation);
  void choose_quantization(const Operation& op, TileOperation& operation, unsigned tiles) const;
  // These throw UserError if the operands break a rule of models/cluster/program/operand_rules.h.
  void check_operands(const Operation& op, const TileOperation& operation) const;
  bool compares(const Operation& op) const;
  void pack_selected(TileOperation& operation) const;
  void masks_as_bytes(TileOperation& operation) const;
  void bits_as_integers(TileOperation& operation) const;
  void gather_compare(const Operation& op, TileOperation& operation) const;
  void check_machine_types(const Operation& op, const TileOperation& operation) const;
  void check_machine_type(const Operation& op, const OperationTypes* types, Element found) const;
  void check_blocks(const Operation& op, const TileOperation& operation) const;
};

/// Synchronisation: flags, buffers and barriers of a core, signals between cores, SYNCALL.
class SyncLowering : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// An operation that is one instruction: the opcode of its row.
  void one_instruction(const Operation& op, const OperationInfo& info) { emit(op, info.opcode); }
  /// pto.sync.set and pto.sync.wait use the signals between cores that the profile has.
  void signal(const Operation& op, const OperationInfo& info) {
    const bool sets = info.opcode == Opcode::kSetCrossCore;
    emit(op, !is_a5() ? info.opcode : sets ? Opcode::kSetIntraBlock : Opcode::kWaitIntraCore);
  }
  /// Between two pipes an event is a flag. In one pipe a wait is a barrier, a record nothing.
  void event(const Operation& op, const OperationInfo& info);
  void operation_barrier(const Operation& op);
  void sync_all(const Operation& op);

 private:
  void emit(const Operation& op, Opcode opcode);
  std::uint8_t mode_of_signal(const Operation& op) const;
  /// On A5 only MTE2 and MTE3 have barriers (ascend.md 2.3).
  bool has_barrier(Pipe pipe) const {
    return !is_a5() || pipe == Pipe::kMte2 || pipe == Pipe::kMte3;
  }
  void soft_sync_all(const Operation& op, SyncScope scope);
  /// The number of cores that take part if the operation does not name one.
  Operand participants_of(SyncScope scope, Place place);
  Pipe pipe_named(const Argument& a) const;
  /// An event such as EVENT_ID0, a number, or a value.
  Operand event_id(const Argument& a) const;
};

}  // namespace tessera::pto
