// The operations that the PTO front-end takes: how each is written and what it becomes. An operation
// without a row here is refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/cluster/program.h"

namespace tessera::pto {

/// How an operation is written behind its name. Attributes in braces may follow everywhere.
enum class Form : std::uint8_t {
  kConstant,    ///< 4 : index
  kOperands,    ///< %a, %b : T
  kCompare,     ///< slt, %a, %b : T
  kCast,        ///< %a : T to T
  kFor,         ///< %i = %a to %b step %c [iter_args(%x = %y) -> (T)] [: T] { }
  kIf,          ///< %c [-> (T)] { } [else { }]
  kYield,       ///< [%a, %b : T, T]
  kSection,     ///< { }
  kNullary,     ///< [-> T] or [: T]
  kAllocTile,   ///< [addr = %a] [valid_row = %r] [valid_col = %c] : T
  kTensorView,  ///< %p, shape = [..], strides = [..] : T
  kPartition,   ///< %v, offsets = [..], sizes = [..] : T -> T
  kTile,        ///< ins(%a, %b : T, T) outs(%c : T)
  kTileView,    ///< %a[%r, %c] sizes [n, m] [valid [%v, %w]] : T -> T, or %a, %r, %c : T
  kFlag,        ///< [<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
  kPipe,        ///< <PIPE_ALL> or "PIPE_ALL"
  kPipeIds,     ///< <PIPE_V>, 3 or "PIPE_V", %id : T; in brackets or not
  kWhile,       ///< (%x = %a) : (T) -> T { } do { ^bb0(%y: T): }
  kCondition,   ///< (%c) %a : T
  kCall,        ///< @f(%a) : (T) -> T
  kGroup,       ///< [{ }] [(%a : T, key = %b : T)] [{ }] [-> T] [key = #attribute, ..]
  kIndexed,     ///< %a[%i] [, %b] [: T] [-> T]
  kStoreTo,     ///< %v, %a[%i] : T, T
  kCleanCache,  ///< %a "SINGLE_CACHE_LINE" [, "CACHELINE_OUT"] : T, %a single_cache_line : T, all #s<gm>
};

/// What lowering does with it.
enum class Meaning : std::uint8_t {
  kAddPointer,
  kCastPointer,
  kLoadScalar,
  kStoreScalar,
  kCleanCache,
  kDataBarrier,
  kConstant,
  kArithmetic,  ///< opcode
  kCompare,
  kSelect,
  kCast,
  kSpecial,  ///< special
  kFor,
  kIf,
  kYield,
  kReturn,
  kCubeSection,
  kVectorSection,
  kAllocTile,
  kSubview,
  kReshape,
  kSetValidShape,
  kAssign,  ///< pto.tassign: the tile at another address
  kTensorView,
  kPartition,
  kLoad,
  kStore,
  kMove,
  kExtract,   ///< as kMove, from a place inside the first tile: ins(a, row, column)
  kInsert,    ///< .. to a place inside the result
  kMatmul,    ///< ins(a, b), ins(c, a, b) of .acc, ins(a, b, bias) of .bias
  kVector,    ///< vector_class; costs the elements of the result
  kVectorIn,  ///< .. costs the elements of the first input
  kSync,      ///< opcode, of the pipe and id
  kSyncSet,   ///< set_cross_core or set_intra_block, as the profile has it
  kSyncWait,
  kWhile,
  kCondition,
  kCall,
  kRecordEvent,  ///< set_flag between classes of operations
  kWaitEvent,
  kOperationBarrier,  ///< pipe_barrier of a class of operations
  kSyncAll,
  kEventArray,
  kEventArraySet,
  kEventArrayGet,
  kReserveBuffer,
  kImportBuffer,
  kOpenPipe,    ///< pipes between cube and vector; of one core kind, numbered by id
  kPipeHandle,  ///< .. and as a value
  kAllocEntry,  ///< a slot in GM as a tensor
  kPush,
  kPop,
  kFree,
  kFifoTile,
  kDeclareTile,
  kUnknown,  ///< not in the table: a cost that --pto-unknown gives
};
inline constexpr unsigned kMeaningCount = static_cast<unsigned>(Meaning::kUnknown) + 1;

inline constexpr unsigned kAnyResults = ~0U;

struct OperationInfo {
  std::string_view name;
  Form form;
  Meaning meaning;
  unsigned least = 0, most = 0;  ///< operands; of kTile those of ins; of kPipeIds ids
  unsigned results = 0;
  cluster::Opcode opcode = cluster::Opcode::kEnd;
  cluster::VectorClass vector_class = cluster::VectorClass::kSimple;
  cluster::SpecialValue special = cluster::SpecialValue::kBlockIndex;
  cluster::TileFunction function = cluster::TileFunction::kNone;
  cluster::Arithmetic arithmetic = cluster::Arithmetic::kAdd;
};

const std::vector<OperationInfo>& operations();
/// nullptr: no such operation.
const OperationInfo* find_operation(std::string_view name);
/// The row of an operation that has been parsed; of an unknown one a row with kUnknown.
const OperationInfo& operation_info(std::string_view name);
/// "; the nearest is 'pto.tload'", or "".
std::string nearest_operation(std::string_view name);

}  // namespace tessera::pto
