// The table of operations that the PTO front-end takes: how each one is written, and what it is
// lowered to. The parser refuses an operation that has no row here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/cluster/program/program.h"

namespace tessera::pto {

// What this front-end names of the instruction set of AI cores.
using cluster::Access;
using cluster::Arithmetic;
using cluster::CoreKind;
using cluster::DataType;
using cluster::Element;
using cluster::GmArray;
using cluster::Holder;
using cluster::Instruction;
using cluster::IntegerType;
using cluster::Location;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::Predicate;
using cluster::Profile;
using cluster::Program;
using cluster::reg;
using cluster::SpecialValue;
using cluster::SyncScope;
using cluster::TileFunction;
using cluster::TileOperand;
using cluster::TileOperation;
using cluster::VectorClass;

/// The text that follows the name of an operation. Attributes in braces may follow every form.
enum class Form : std::uint8_t {
  kConstant,     ///< 4 : index
  kOperands,     ///< %a, %b : T
  kCompare,      ///< slt, %a, %b : T
  kCast,         ///< %a : T to T
  kFor,          ///< %i = %a to %b step %c [iter_args(%x = %y) -> (T)] [: T] { }
  kIf,           ///< %c [-> (T)] { } [else { }]
  kYield,        ///< [%a, %b : T, T]
  kSection,      ///< { }
  kRegion,       ///< [-> T] { } [: T]
  kNullary,      ///< [-> T] or [: T]
  kAllocTile,    ///< [addr = %a] [valid_row = %r] [valid_col = %c] : T
  kTensorView,   ///< %p, shape = [..], strides = [..] : T
  kPartition,    ///< %v, offsets = [..], sizes = [..] : T -> T
  kReinterpret,  ///< %p to offset: [%o], sizes: [..], strides: [..] : T to T
  kMemrefPart,   ///< %m[%o, 0] [4, 8] [1, 1] : T to T
  kTile,         ///< ins(%a, %b : T, T) outs(%c : T)
  kTileView,     ///< %a[%r, %c] sizes [n, m] [valid [%v, %w]] : T -> T, or %a, %r, %c : T
  kFlag,         ///< `[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]`
  kPipe,         ///< `<PIPE_ALL>` or `"PIPE_ALL"`
  kPipeIds,      ///< `<PIPE_V>, 3` or `"PIPE_V", %id : T`; in brackets or not
  kWhile,        ///< (%x = %a) : (T) -> T { } do { ^bb0(%y: T): }
  kCondition,    ///< (%c) %a : T
  kCall,         ///< `@f(%a) : (T) -> T`
  kGroup,        ///< `[{ }] [(%a : T, key = %b : T)] [{ }] [-> T] [key = #attribute, ..]`
  kIndexed,      ///< %a[%i] [, %b] [: T] [-> T]
  kStoreTo,      ///< %v, %a[%i] : T, T
  /// `%a "SINGLE_CACHE_LINE" [, "CACHELINE_OUT"] : T`, `%a single_cache_line : T`, `all #s<gm>`
  kCleanCache,
  /// (%a, %b, buf(%t, ..), recv(%t, ..), group(%v, ..) : T, ..) [-> T]: operands in a list have its name as key
  kLists,
  kPrintText,  ///< ins("text", %a : T)
  /// The register level: %a[%i], "WORD", key(%b, word) {..} : T, T -> T, T
  kRegister,
};

/// What an operation is lowered to. lower.cpp has a handler for each meaning.
enum class Meaning : std::uint8_t {
  kAddPointer,
  kCastPointer,
  kLoadScalar,
  kStoreScalar,
  kCleanCache,
  kDataBarrier,
  kGetValue,  ///< one element of a tile
  kSetValue,
  kPrint,
  kConstant,
  kArithmetic,  ///< a scalar instruction: `opcode`
  kCompare,
  kSelect,
  kCast,
  kSizeOf,         ///< the valid sizes of a tile, or a size or stride of a view
  kConvertScalar,  ///< between an integer and a real: `opcode`
  kSpecial,        ///< reads `special`
  kFor,
  kIf,
  kTerminator,  ///< the end of a region: scf.yield, scf.condition, return
  kCubeSection,
  kVectorSection,
  kAllocTile,
  kSubview,
  kReshape,
  kSetValidShape,
  kAllocMultiTile,  ///< several tiles, one after the other
  kMultiTile,       ///< one of the tiles of a kAllocMultiTile
  kSetQuantization,
  kAssign,  ///< pto.tassign: the tile at another address
  kTensorView,
  kPartition,
  kLoad,
  kStore,
  kMove,
  kExtract,       ///< moves a part of the first tile: ins(a, row, column)
  kInsert,        ///< moves into a part of the result: ins(a, row, column)
  kMatmul,        ///< ins(a, b); .acc: ins(c, a, b); .bias: ins(a, b, bias)
  kScaleAddress,  ///< the scales of a tile, the end of one: nothing to do
  kGatherMemory,  ///< gathers elements of a tensor in GM, or scatters to it
  kImageColumns,  ///< the columns of an image for a convolution
  kInterleave,    ///< two rows that alternate, or the inverse
  kVector,        ///< costs `vector_class` for each element of the result
  kVectorIn,      ///< costs `vector_class` for each element of the first input
  kSync,          ///< the instruction `opcode` with its pipe and id
  kSignal,        ///< the signal `opcode` between cores of A2/A3, or the one of A5 in its place
  kWhile,
  kRegion,  ///< a region that runs once and gives the values of its terminator
  kCall,
  kEvent,             ///< the flag `opcode` between the pipes of two classes of operations
  kOperationBarrier,  ///< pipe_barrier for the pipe of a class of operations
  kSyncAll,
  kArray,  ///< an array of scalars, in registers
  kArraySet,
  kArrayGet,
  kNotify,      ///< sets a signal in GM, or adds to it
  kTestWait,    ///< waits until a signal in GM compares with a number, or tests it
  kTransfer,    ///< copies a part of a tensor to another one through tiles
  kReduce,      ///< adds parts of tensors, or takes the larger or smaller elements, through tiles
  kSession,     ///< a session of asynchronous transfers, or an operation with no effect but on L2
  kAsyncEvent,  ///< waits for an asynchronous transfer or tests it: it is complete
  kReserveBuffer,
  kImportBuffer,
  kOpenPipe,    ///< opens a pipe between cube and vector that has an id
  kPipeHandle,  ///< opens a pipe that is a value
  kAllocEntry,  ///< gives a slot in GM as a tensor
  kPush,
  kPop,
  kFree,
  kFifoTile,
  kDeclareTile,
  kVectorScope,  ///< the body of a vector function
  kRegister,     ///< an instruction on vector registers: register_table.h
  kRawMove,      ///< a copy, a product or a state of the register level
  kUnknown,      ///< an operation without a row; it costs what --pto-unknown says
};
inline constexpr unsigned kMeaningCount = static_cast<unsigned>(Meaning::kUnknown) + 1;

inline constexpr unsigned kAnyResults = ~0U;

struct OperationInfo {
  std::string_view name;
  Form form;
  Meaning meaning;
  unsigned least = 0, most = 0;  ///< number of operands; kTile: in ins(..); kPipeIds: ids
  unsigned results = 0;
  Opcode opcode = Opcode::kEnd;
  VectorClass vector_class = VectorClass::kSimple;
  SpecialValue special = SpecialValue::kBlockIndex;
  TileFunction function = TileFunction::kNone;
  Arithmetic arithmetic = Arithmetic::kAdd;
  bool relu = false;  ///< negative values of the result become 0
};

const std::vector<OperationInfo>& operations();
/// Returns nullptr if there is no such operation.
const OperationInfo* find_operation(std::string_view name);
/// The row of an operation that was parsed. An operation that is not known has a row with kUnknown.
const OperationInfo& operation_info(std::string_view name);
/// A hint such as "; did you mean 'pto.tload'?", or "".
std::string nearest_operation(std::string_view name);

}  // namespace tessera::pto
