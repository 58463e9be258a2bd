// What a program can see of a PE, kept as plainly as possible: the state that the reference of the
// property test of DSD operations works on (reference wse.md 5). No timing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/pe/program.h"
#include "tests/models/pe/property_elements.h"
#include "tlm_ifaces/link/wavelet.h"

namespace tessera::pe::test {

/// Operands and results lie in [kDataBegin, kDataBegin + kDataBytes).
inline constexpr std::uint32_t kDataBegin = 4096;
inline constexpr std::uint32_t kDataBytes = 4096;
/// Local tasks that count their runs, each in a word at the start of the data: three that
/// operations activate, one that is active but blocked, one that FIFOs activate.
inline constexpr unsigned kFirstTask = 24;
inline constexpr unsigned kPlainTasks = 3;
inline constexpr unsigned kBlockedTask = kFirstTask + kPlainTasks;
inline constexpr unsigned kFifoTask = kBlockedTask + 1;
inline constexpr unsigned kTasks = kPlainTasks + 2;

/// The drawn operation has no defined result: it waits for ever, or leaves its memory. The
/// generator draws another one.
struct Undefined {
  const char* why;
};

/// Bytes [begin, end) that an operation may touch.
struct Arena {
  std::uint32_t begin = kDataBegin;
  std::uint32_t end = kDataBegin + kDataBytes;
};

struct Descriptor {
  int dsd = -1;   ///< index into Image::dsds; -1: none
  int fifo = -1;  ///< index into Image::fifos; -1: none
  OpConfig config;
  std::uint32_t base = 0;
  std::uint32_t extent = 0;
  int stride = 1;
  std::uint32_t left = 0;       ///< FIFO: what a terminated operation left
  std::uint32_t step = 0;       ///< single_step: elements from base
  std::uint32_t remaining = 0;  ///< single_step: elements to come
  // single_step: the wavelet that a step began, to read or to send.
  unsigned held = 0;
  std::uint32_t payload = 0;
  std::vector<std::uint32_t> collected;
  // Who loaded its XDSR and stride registers; compare State::xdsr and sr.
  unsigned xdsr = 0;
  std::array<unsigned, 3> sr{};
};

/// Byte address of element `k` of a memory descriptor that has moved to `base` and `stride`.
/// Loop j moves at every multiple of the trips inside it; only the outermost loop that moves adds
/// its stride (wse.md 5.3). The slowest loop never ends.
inline std::uint32_t element_address(const Dsd& dsd, std::uint32_t base, int stride,
                                     std::uint32_t k) {
  const std::int64_t bytes = dsd.element_bytes;
  if (dsd.kind == DsdKind::kCircbuf) {
    const std::uint32_t size = dsd.wrap_count * dsd.element_bytes;
    return dsd.wrap_base + (base - dsd.wrap_base + k * dsd.element_bytes) % size;
  }
  std::int64_t address = base;
  std::uint32_t inside = 1;
  for (unsigned j = 0; j < dsd.dimensions; ++j) {
    std::int64_t moves = k / inside;
    if (j + 1U < dsd.dimensions) {
      inside *= dsd.extents[j];
      moves -= k / inside;
    }
    address += moves * (j == 0 ? stride : dsd.strides[j]) * bytes;
  }
  return static_cast<std::uint32_t>(address);
}

struct FifoList {
  std::deque<std::uint16_t> words;
  std::uint32_t pushed = 0;       ///< words, ever: the place in the ring
  std::uint32_t wanted_data = 0;  ///< bytes that an operation on the empty FIFO lacked; 0: none
  std::uint32_t wanted_room = 0;
};

/// What an operation that has ended did: enters the comparison with the events of the engine.
struct Ended {
  Opcode op;
  std::uint32_t done;
  friend bool operator<(const Ended& a, const Ended& b) {
    return a.op != b.op ? a.op < b.op : a.done < b.done;
  }
  friend bool operator==(const Ended& a, const Ended& b) {
    return a.op == b.op && a.done == b.done;
  }
};

struct State {
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kDataBytes);
  std::array<std::uint16_t, kRegisterCount> registers{};
  bool flag = false;
  std::uint32_t control_mask = 0;
  std::array<std::array<Descriptor, kDsrsPerFile>, 3> files;
  std::array<unsigned, kXdsrCount> xdsr{};
  std::array<unsigned, kStrideRegisterCount> sr{};
  unsigned loads = 0;
  std::vector<FifoList> fifos;
  std::array<std::vector<link::Wavelet>, kMaxQueues> inputs;  ///< all that ever arrive
  std::array<std::size_t, kMaxQueues> taken{};
  std::array<std::vector<link::Wavelet>, kMaxQueues> sent;
  std::array<bool, kTasks> active{};
  std::vector<Ended> ended;

  Descriptor& descriptor(const Operand& o) {
    return files[o.kind == kDest ? 0 : o.kind == kSrc0 ? 1 : 2][o.reg];
  }
  void load(const Image& image, const Operand& dsr, unsigned dsd, const OpConfig& config) {
    Descriptor& d = descriptor(dsr);
    d = Descriptor();
    d.dsd = static_cast<int>(dsd);
    d.config = config;
    d.base = image.dsds[dsd].base;
    d.extent = d.remaining = image.dsds[dsd].extent;
    d.stride = image.dsds[dsd].strides[0];
    if (config.xdsr) d.xdsr = xdsr[*config.xdsr] = ++loads;
    for (unsigned i = 0; i < d.sr.size(); ++i) {
      if (config.sr[i]) d.sr[i] = sr[*config.sr[i]] = ++loads;
    }
  }
  /// Whether the extended parts are still those of its load.
  bool whole(const Descriptor& d) const {
    if (d.config.xdsr && xdsr[*d.config.xdsr] != d.xdsr) return false;
    for (unsigned i = 0; i < d.sr.size(); ++i) {
      if (d.config.sr[i] && sr[*d.config.sr[i]] != d.sr[i]) return false;
    }
    return true;
  }

  static void require_inside(std::uint32_t address, unsigned bytes, const Arena& arena) {
    if (address < arena.begin || address + bytes > arena.end) throw Undefined{"memory elsewhere"};
    if (address % 2 != 0) throw Undefined{"half a word"};
  }
  std::uint32_t read(std::uint32_t address, unsigned bytes, const Arena& arena = {}) const {
    require_inside(address, bytes, arena);
    std::uint32_t value = 0;
    for (unsigned b = 0; b < bytes; ++b) value |= memory[address - kDataBegin + b] << (8 * b);
    return value;
  }
  void write(std::uint32_t address, unsigned bytes, std::uint32_t value, const Arena& arena = {}) {
    require_inside(address, bytes, arena);
    for (unsigned b = 0; b < bytes; ++b) {
      memory[address - kDataBegin + b] = static_cast<std::uint8_t>(value >> (8 * b));
    }
  }

  using Registers = std::array<std::uint16_t, kRegisterCount>;
  static std::uint32_t value_of(const Operand& o, const Registers& r) {
    if (o.kind == kReg16) return r[o.reg];
    if (o.kind == kReg32) return r[o.reg] | static_cast<std::uint32_t>(r[o.reg + 1U]) << 16;
    return static_cast<std::uint32_t>(o.value);
  }
  static void set(const Operand& o, std::uint32_t value, Registers& r) {
    r[o.reg] = static_cast<std::uint16_t>(value);
    if (o.kind == kReg32) r[o.reg + 1U] = static_cast<std::uint16_t>(value >> 16);
  }
  void activate(TaskId id) {
    if (id.value() >= kFirstTask) active[id.value() - kFirstTask] = true;
  }
};

}  // namespace tessera::pe::test
