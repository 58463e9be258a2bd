// The C interface between a kernel in C++ and the simulator that runs it. Both sides include this file: the headers
// of pto/ turn each call of a kernel into one call of TsrApi, and the bodies of all operations are in the simulator.
#pragma once

#include <cstddef>
#include <cstdint>

#define TSR_INTERFACE_VERSION 4

/// Where the boxes of a tile begin, and which way they go (ascend.md 1.3).
enum TsrBoxes { TSR_NO_BOXES = 0, TSR_ROW_BOXES = 1, TSR_COLUMN_BOXES = 2 };

/// What all tiles of one C++ type have in common.
struct TsrTileType {
  const char* location;  ///< "vec", "mat", "left", "right", "acc", "bias", "scaling"
  const char* element;   ///< "f32", "f16", "bf16", "i8", "ui8", .., as in PTO assembly
  std::int32_t rows, columns;
  std::uint8_t by_columns;  ///< the elements, or the boxes if there are any, lie column by column
  std::uint8_t boxes;       ///< TsrBoxes
  std::uint16_t fractal;    ///< bytes of a box
  std::uint8_t pad;         ///< 0: none, 1: zero, 2: largest, 3: least
  std::uint8_t compact;     ///< 0: none, 1: boxes as the valid rows need them, 2: one row more
  std::uint8_t open;        ///< valid sizes are known at run time only
};
constexpr std::uint64_t TSR_NO_ADDRESS = std::uint64_t{1} << 63;
struct TsrTile {
  const TsrTileType* type;
  std::uint64_t address;  ///< bytes; the low 32 bits count; with TSR_NO_ADDRESS nothing has given it one
  // Two names: kernels write the one of the public library, too.
  union {
    std::int32_t valid_rows;
    std::uint32_t RowMaskInternal;
  };
  union {
    std::int32_t valid_columns;
    std::uint32_t ColMaskInternal;
  };
};

/// Those of scales have pairs along k.
enum TsrLayout {
  TSR_ND, TSR_DN, TSR_NZ, TSR_MX_A_ZZ, TSR_MX_A_ND, TSR_MX_A_DN, TSR_MX_B_NN, TSR_MX_B_ND, TSR_MX_B_DN
};
struct TsrTensor {
  const char* element;
  std::uint8_t layout;  ///< TsrLayout
  const void* data;
  std::int64_t shape[5], stride[5];
};

enum TsrRole {
  TSR_IN,        ///< a TsrTile that is read
  TSR_OUT,       ///< a TsrTile that is written
  TSR_TENSOR_IN,
  TSR_TENSOR_OUT,
  TSR_INTEGER,   ///< a number that may differ each time
  TSR_REAL,
  TSR_POSITION,  ///< a row or column of a tile
  TSR_OPTION     ///< name and value: an attribute of PTO assembly
};
struct TsrOperand {
  TsrRole role;
  union {
    const TsrTile* tile;
    const TsrTensor* tensor;
    std::int64_t integer;
    double real;
    const char* option;
  };
  const char* value;  ///< the value of a TSR_OPTION
};
struct TsrCall {
  const char* operation;  ///< its name in PTO assembly: "pto.tadd"
  std::uint32_t count;
  const TsrOperand* operands;
};

/// Instructions that order pipes and cores.
enum TsrSync {
  TSR_SET_FLAG,
  TSR_WAIT_FLAG,
  TSR_BARRIER,
  TSR_GET_BUFFER,
  TSR_RELEASE_BUFFER,
  TSR_SET_CROSS_CORE,   ///< id: the message of ffts_cross_core_sync
  TSR_WAIT_CROSS_CORE,
  TSR_SET_INTRA_BLOCK,
  TSR_WAIT_INTRA_BLOCK,
  TSR_SET_FFTS,
  TSR_DATA_BARRIER
};

/// What get_block_idx() and its relatives ask for.
enum TsrSpecial {
  TSR_BLOCK_INDEX,
  TSR_BLOCK_COUNT,
  TSR_SUBBLOCK_INDEX,
  TSR_SUBBLOCK_COUNT,
  TSR_CYCLE,
  TSR_CLUSTER,
  TSR_CORE
};

/// Where a thread stands in its block, or a block among all; how many there are.
struct TsrPlace {
  std::uint32_t x, y, z;
};
/// A function of threads: each of them calls `run(closure)`, and finds its numbers where the last four point to.
struct TsrThreads {
  std::uint32_t size[3];  ///< of the block
  void (*run)(void*);
  void (*drop)(void*);  ///< frees the closure
  void* closure;
  TsrPlace *thread, *count, *block, *blocks;
};

/// An operand of an instruction on vector registers.
enum TsrVectorRole {
  TSR_REGISTER,
  TSR_REGISTER_RESULT,
  TSR_MASK,
  TSR_MASK_RESULT,
  TSR_UB,              ///< where it accesses UB
  TSR_VECTOR_INTEGER,  ///< a number that may differ each time
  TSR_VECTOR_REAL,
  TSR_WORD             ///< a word of PTO assembly, or an attribute, "key=word"
};
struct TsrVectorOperand {
  TsrVectorRole role;
  const char* element;  ///< type of the lanes, or of what lies in UB; TSR_WORD: the word
  const void* place;    ///< the object that stands for the register or mask; an address
  std::int64_t integer;
  double real;
};
struct TsrVectorCall {
  const char* operation;  ///< "pto.vadd", or "move"
  std::uint32_t count;
  const TsrVectorOperand* operands;
  std::uint8_t merges;  ///< lanes that the mask leaves out keep their values
};

/// What the simulator offers. `self` is the first argument of all functions.
struct TsrApi {
  std::uint32_t version;
  void* self;
  void (*operation)(void* self, const TsrCall* call);
  void (*sync)(void* self, TsrSync what, int pipe, int to, std::int64_t id, int mode);
  std::int64_t (*special)(void* self, TsrSpecial what);
  /// Native code at `from` is about to read or write GM or UB there.
  void (*access)(void* self, const void* address, std::size_t bytes, bool stores, const void* from);
  /// dcci: the line of `address`; nullptr: all lines.
  void (*clean)(void* self, const void* address);
  /// The address of a byte of a buffer, as native code sees it.
  void* (*address)(void* self, const char* location, std::uint64_t byte);
  /// A launch `kernel<<<blocks, ..>>>(arguments)`: `run(closure)` calls the kernel, `drop(closure)` frees it.
  void (*launch)(void* self, std::uint64_t blocks, void (*run)(void*), void (*drop)(void*),
                 void* closure);
  /// A basic block at `from` has been executed.
  void (*block)(void* self, const void* from);
  void (*fail)(void* self, const char* text);
  /// Memory in GM, for a host program.
  void* (*allocate)(void* self, std::size_t bytes);
  /// As fail(), for a function of the library that native code at `from` has called.
  void (*fail_at)(void* self, const char* text, const void* from);
  /// Puts a function of threads into the queue of pipe V.
  void (*threads)(void* self, const TsrThreads* launch);
  /// A thread waits for the others of its block.
  void (*meet)(void* self);
  /// A thread gives a value to the others of its warp that call from the same place, and gets theirs, by lane. Answers which
  /// lanes these are, a bit each.
  std::uint32_t (*exchange)(void* self, std::uint64_t value, std::uint64_t* lanes);
  /// Adds an instruction to the vector function that native code is in.
  void (*vector)(void* self, const TsrVectorCall* call);
  /// A vector function begins, or ends.
  void (*scope)(void* self, int begins);
};

/// A function that --function names: how it takes its arguments.
struct TsrParameter {
  const char* type;  ///< type of the number or of what a pointer points to; "" for a pointer to something else
  std::uint8_t is_pointer, is_real;
};
struct TsrEntry {
  std::uint32_t count;
  const TsrParameter* parameters;
  void (*call)(const std::int64_t* values);  ///< reals as the bits of a double
};
