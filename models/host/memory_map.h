// Memory map of the host port, as a driver sees it (docs/host-port.md). All words are little
// endian; addresses count from the base of the port. Nothing here is published by a vendor: the map
// is ours.
//
//   0x0000_0000  registers: words of 32 bits (Register)
//   0x0000_1000  counters: 64 bits each, read only, in the order of DeviceInfo::counters
//   0x0000_2000  launch slots, kSlotStride bytes each (SlotField)
//   0x0000_3000  doorbells, a word each, write only: any value starts what is in the slot
//   0x0000_4000  names of functions, kNameBytes each, padded with zeros, read only
//   0x0000_5000  arrays, kArrayEntry bytes each (ArrayField): a device that has no memory of tiles
//                may have arrays instead
//   0x0000_6000  texts, kTextBytes each, padded with zeros, read only: why the last access was refused;
//                why the machine has stopped
//   0x0002_0000  symbols of tile programs, kSymbolEntry bytes each (SymbolField), read only
//   0x0010_0000  streams: kEdgeStride bytes an edge (a rim link that the host holds), in them
//                kChannelStride bytes a color (ChannelField), after the colors EdgeField
//   0x0100_0000  kWindowBytes of the memory below, those that Register::kWindow names: so a base address
//                register of 32 bits reaches all
//   0x1_0000_0000  memory: kTileStride bytes a tile, row-major; DeviceInfo::tile_bytes of them are
//                there; or kArrayStride bytes an array, of which its size is there
//
// What lies between is reserved: an address error.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera::host {

using Address = std::uint64_t;

inline constexpr Address kRegisterBase = 0x0000;
inline constexpr Address kCounterBase = 0x1000;
inline constexpr Address kSlotBase = 0x2000;
inline constexpr Address kDoorbellBase = 0x3000;
inline constexpr Address kNameBase = 0x4000;
inline constexpr Address kArrayBase = 0x5000;
inline constexpr Address kTextBase = 0x6000;
inline constexpr Address kSymbolBase = 0x2'0000;
inline constexpr Address kStreamBase = 0x0010'0000;
inline constexpr Address kWindowBase = 0x0100'0000;
inline constexpr Address kWindowBytes = 0x0100'0000;
inline constexpr Address kMemoryBase = 0x1'0000'0000;

inline constexpr std::uint32_t kSlots = 8;
inline constexpr std::uint32_t kSlotStride = 0x40;
inline constexpr std::uint32_t kMaxArguments = 4;
inline constexpr std::uint32_t kNameBytes = 0x40;
inline constexpr std::uint32_t kMaxFunctions = 64;
inline constexpr std::uint32_t kMaxCounters = 256;
inline constexpr std::uint32_t kEdgeStride = 0x1000;
inline constexpr std::uint32_t kChannelStride = 0x80;
inline constexpr Address kTileStride = 0x1'0000;
inline constexpr std::uint32_t kMaxArrays = 32;
inline constexpr std::uint32_t kArrayEntry = 0x40;
/// Size of the window of an array, and so its largest size.
inline constexpr std::uint32_t kArrayStride = 0x4000'0000;

inline constexpr std::uint32_t kTextBytes = 0x400;
inline constexpr std::uint32_t kSymbolEntry = 0x50;
/// Symbols in the table; a device that has more shows the first ones.
inline constexpr std::uint32_t kMaxSymbols = 8192;

/// Value of Register::kId: "TSSR".
inline constexpr std::uint32_t kIdValue = 0x52535354;
/// Value of Register::kVersion: major << 16 | minor. A new major number breaks drivers.
inline constexpr std::uint32_t kMapVersion = 0x0001'0003;

/// Offset of a register or field in its window.
template <class Field>
constexpr std::uint32_t offset_of(Field field) {
  return static_cast<std::uint32_t>(field);
}

/// Offsets from kRegisterBase. R: read, W: write; an access that a register does not have is a
/// command error.
enum class Register : std::uint32_t {
  kId = 0x00,            ///< R  kIdValue
  kVersion = 0x04,       ///< R  kMapVersion
  kKind = 0x08,          ///< R  DeviceKind
  kCapabilities = 0x0C,  ///< R  Capability bits
  kWidth = 0x10,         ///< R  tiles from west to east, or clusters
  kHeight = 0x14,        ///< R  tiles from north to south
  kTileBytes = 0x18,     ///< R  bytes of memory of a tile that the host reaches
  kEdges = 0x1C,         ///< R  edges with streams
  kFunctions = 0x20,     ///< R  functions that can be launched
  kCounters = 0x24,      ///< R  counters
  kStreamDepth = 0x28,   ///< R  wavelets of a color that may wait in front of an edge
  kPeriodPs = 0x2C,      ///< R  clock period in ps
  kArrays = 0x30,        ///< R  arrays
  kSymbols = 0x34,       ///< R  symbols in the table
  kPrograms = 0x38,      ///< R  programs that can be loaded
  kControl = 0x40,       ///< W  ControlBit
  kStatus = 0x44,        ///< R  StatusBit
  kIrqEnable = 0x50,     ///< RW IrqBit
  kIrqPending = 0x54,    ///< R  IrqBit
  kIrqClear = 0x58,      ///< W  IrqBit: a 1 clears
  kScratch = 0x5C,       ///< RW for the driver
  kOpenLaunches = 0x60,  ///< R  functions started by doorbells that have not come to their end
  kMissing = 0x64,       ///< R  wavelets that channels still expect
  kRefused = 0x68,       ///< R  accesses answered with a generic error since the last reset
  kCycleLow = 0x70,      ///< R  cycle of the access, low 32 bits
  kCycleHigh = 0x74,     ///< R  cycle of the access, high 32 bits
  kWindow = 0x78,        ///< RW which piece of kWindowBytes of the memory stands at kWindowBase
  kTile = 0x7C,          ///< RW number of a tile, row-major
  kTileProgram = 0x80,   ///< R  its program, as SymbolField::kProgram; kNoProgram: it has none
  /// RW number of the loaded program. A write resets the machine and loads another one, or the same: registers
  /// of sizes and numbers, names, symbols, arrays and memory become those of that program.
  kProgram = 0x84,
};

inline constexpr std::uint32_t kNoProgram = 0xFFFFFFFF;

enum class DeviceKind : std::uint32_t { kWse = 1, kAscend = 2, kNumesh = 3 };

enum Capability : std::uint32_t {
  kHasMemory = 1U << 0,
  kHasStreams = 1U << 1,
  kHasDmi = 1U << 2,
  kHasArrays = 1U << 3,  ///< the memory is that of arrays
};

enum ControlBit : std::uint32_t {
  /// Slots, scratch, interrupts (enable and pending) and kRefused as at the start. The machine goes
  /// on.
  kReset = 1U << 0,
  /// The machine is as at power-on, in the middle of anything: fabric, queues, engines, launches, streams,
  /// expectations, flags and counters, and the port as with kReset. Simulated time goes on; cycles
  /// count from 0 again.
  kResetMachine = 1U << 1,
  kKeepMemory = 1U << 2,  ///< with kResetMachine: memory stays as it is
};

enum StatusBit : std::uint32_t {
  kRunning = 1U << 0,    ///< the machine has something to do
  kLaunched = 1U << 1,   ///< a launched function has not come to its end
  kExpecting = 1U << 2,  ///< a channel expects wavelets
  kFailed = 1U << 3,     ///< the machine met behaviour that it does not have, and stands still
};

/// Pending bits are set by the machine; the line is high while one of them is enabled.
enum IrqBit : std::uint32_t {
  kLaunchDone = 1U << 0,  ///< the last of the launched functions came to its end
  kStreamDone = 1U << 1,  ///< the last wavelet came that a channel expected
  kAtRest = 1U << 2,      ///< nothing moves any more
  kFailure = 1U << 3,     ///< kFailed has been set
};
inline constexpr std::uint32_t kAllIrqs = kLaunchDone | kStreamDone | kAtRest | kFailure;

/// Offsets in a launch slot; all RW.
enum class SlotField : std::uint32_t {
  kFunction = 0x00,       ///< number of the function
  kArgumentCount = 0x04,  ///< 0..kMaxArguments
  kX = 0x08,              ///< rectangle of tiles; width or height 0: the whole grid
  kY = 0x0C,
  kWidth = 0x10,
  kHeight = 0x14,
  kArgument0 = 0x20,  ///< kMaxArguments words
};
inline constexpr std::uint32_t kSlotBytes = 0x30;

/// Offsets in the entry of an array.
enum class ArrayField : std::uint32_t {
  kName = 0x00,  ///< R  kArrayNameBytes, padded with zeros
  /// RW size in bytes. A write makes it an array of so many zeros, for good: a program that reaches
  /// beyond is wrong. 0: without contents, and as large as what a program makes of it.
  kBytes = 0x30,
};
inline constexpr std::uint32_t kArrayNameBytes = 0x30;
inline constexpr std::uint32_t kArrayFieldsEnd = 0x34;

/// Offsets in the entry of a symbol, all R. Tiles that run one program have its symbols at the same
/// addresses.
enum class SymbolField : std::uint32_t {
  kName = 0x00,     ///< kSymbolNameBytes, padded with zeros
  kProgram = 0x40,  ///< number of the program
  kAddress = 0x44,  ///< in the memory of a tile
  kBytes = 0x48,    ///< size
  kType = 0x4C,     ///< of its elements: a place in kSymbolTypes
};
/// i64, u64, i8 and u8 lie packed in memory; of the three 16-bit formats of floats a program has one.
inline constexpr std::array<std::string_view, 12> kSymbolTypes = {
    "i16", "u16", "i32", "u32", "f16", "f32", "i8", "u8", "i64", "u64", "bf16", "cb16"};
inline constexpr std::uint32_t kSymbolNameBytes = 0x40;

/// Offsets in a channel: a color at an edge.
enum class ChannelField : std::uint32_t {
  /// RW kDataBytes: a word written enters the fabric as a wavelet; a word read is the next one that
  /// came out. The word's address inside the window does not matter.
  kData = 0x00,
  kControlData = 0x40,  ///< W  as kData, control wavelets
  kWaiting = 0x44,      ///< R  wavelets written that have not entered yet
  kRoom = 0x48,         ///< R  wavelets that may be written
  kLevel = 0x4C,        ///< R  wavelets that can be read
  kIsControl = 0x50,    ///< R  1: the next one to be read is a control wavelet
  kExpect = 0x54,       ///< RW a write expects so many more; a read tells how many are missing
  kCancel = 0x58,       ///< W  any value: nothing is expected any more
};
inline constexpr std::uint32_t kDataBytes = 0x40;
inline constexpr std::uint32_t kChannelBytes = 0x5C;

/// Offsets in an edge, all R.
enum class EdgeField : std::uint32_t {
  kX = 0xF00,
  kY = 0xF04,
  kSide = 0xF08,       ///< Direction
  kColorsOut = 0xF0C,  ///< colors that the host takes from the fabric, one bit each
};
inline constexpr std::uint32_t kEdgeFieldsEnd = 0xF10;

}  // namespace tessera::host
