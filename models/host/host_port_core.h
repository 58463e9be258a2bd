// Host port: the registers, windows and interrupts of memory_map.h around a machine (device.h).
// Plain C++; `host_port.h` is its module, with a TLM-2.0 socket.
//
// An access is decided in two steps. check() looks at what the access says and at nothing that
// changes, in this order: command, address, length and alignment, byte enables, whether the place
// can be read or written. carry_out() does it, all of it or nothing. An access of cycle `now` sees
// the machine as it is at the end of that cycle and acts on it from the next one on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/host/device.h"
#include "models/host/memory_map.h"

namespace tessera::host {

/// The answers of TLM-2.0, and kOk.
enum class Answer : std::uint8_t {
  kOk,
  kCommand,     ///< no such command, or the place cannot be read, or not be written
  kAddress,     ///< nothing is there
  kBurst,       ///< length, alignment or streaming width; or it leaves its window
  kByteEnable,  ///< byte enables where whole words move
  kGeneric,     ///< not now: no room, nothing to be read, a launch that starts nothing
};

/// A request as the bus says it.
struct Access {
  enum class Command : std::uint8_t { kRead, kWrite, kIgnore, kOther };
  Command command = Command::kRead;
  Address address = 0;
  std::byte* data = nullptr;
  std::uint32_t length = 0;
  std::uint32_t streaming_width = 0;           ///< bytes; `length` or more: no streaming
  const std::uint8_t* byte_enables = nullptr;  ///< 0xFF: moves, 0: does not
  std::uint32_t byte_enable_length = 0;

  bool is_read() const { return command == Command::kRead; }
};

enum class Window : std::uint8_t {
  kNone,
  kRegister,
  kCounter,
  kSlot,
  kDoorbell,
  kName,
  kArray,
  kText,
  kSymbol,
  kChannel,
  kEdge,
  kMemory,
};

class HostPortCore {
 public:
  struct Checked {
    Answer answer = Answer::kOk;
    Window window = Window::kNone;
    /// False: it tells or keeps what has nothing to do with the state of the machine.
    bool touches_machine = false;
    const char* why = "";  ///< why it is refused, in words
  };

  /// `device` must outlive the port. `stream_depth`: Register::kStreamDepth, at least 1.
  HostPortCore(Device& device, std::uint32_t stream_depth);

  Checked check(const Access& access) const;
  /// Requires check(access).answer == kOk. Answers kOk or kGeneric.
  Answer carry_out(const Access& access, Cycle now);
  /// Keeps why `access` was refused, to be read at kTextBase. `why` is Checked::why, or "" for the
  /// last carry_out(). Returns the sentence.
  const std::string& note_refusal(const Access& access, const char* why = "");

  /// What a read would answer from there on, without its effects; fewer bytes than `count` when the
  /// window ends earlier or a stream has no more. Returns how many.
  std::uint32_t debug_read(Address address, std::uint32_t count, std::byte* to, Cycle now) const;
  /// Into memory only: everything else acts. Returns how many bytes were written.
  std::uint32_t debug_write(Address address, std::uint32_t count, const std::byte* from);

  /// Where direct access may go: the whole memory of the tile, or array, that `address` lies in.
  struct Direct {
    std::byte* data = nullptr;  ///< nullptr: not now (the machine runs), or there is none
    Address begin = 0;          ///< what the answer holds for
    Address end = 0;            ///< last byte
  };
  Direct direct(Address address);

  // The machine tells.
  void launch_ended();
  void stream_completed();
  void came_to_rest();
  /// The machine stands still, and why.
  void failed(const std::string& why);

  /// The level of the interrupt line.
  bool irq() const { return (pending_ & enabled_) != 0; }
  /// Whether the last carry_out() made an end of direct access: it gave the machine something to do,
  /// or an array another size.
  bool ends_direct() const { return ends_direct_; }
  /// Whether the last carry_out() has reset the machine: time begins again with cycle 0.
  bool has_reset() const { return has_reset_; }

 private:
  struct Place {  // where an address leads
    Window window = Window::kNone;
    std::uint32_t number = 0;  // slot, array, edge or tile
    Color color;               // kChannel
    std::uint32_t offset = 0;  // from the start of the window
    std::uint32_t bytes = 0;   // size of the window; an array may have fewer bytes
    /// Index of its Channel.
    std::size_t channel() const { return number * std::size_t{kColorCount} + color.value(); }
    bool is_stream_data() const { return window == Window::kChannel && offset < kDataBytes; }
  };
  struct Channel {
    std::size_t read = 0;      // wavelets that the host has read
    std::size_t written = 0;   // wavelets that were handed to the edge
    std::size_t expected = 0;  // wavelets in all that were expected
  };
  struct Rights {
    bool read = false;
    bool write = false;
  };

  // host_port_core.cpp: what an access may do
  Place find(Address address) const;
  Place find_memory(Address offset) const;
  Place find_stream(Address offset) const;
  Place find_window(Address offset) const;
  Checked check_words(const Access& access, const Place& place) const;
  Rights rights_at(const Place& place) const;
  bool touches_machine(const Access& access, const Place& place) const;

  // host_port_access.cpp: doing it
  Answer carry_out_words(const Access& access, const Place& place, Cycle now);
  Answer write_word(const Place& place, std::uint32_t value, Cycle now);
  Answer write_register(std::uint32_t offset, std::uint32_t value);
  Answer move_memory(const Access& access, const Place& place);
  Answer write_stream(const Place& place, const std::byte* data, std::uint32_t count, bool control,
                      Cycle now);
  Answer read_stream(const Access& access, const Place& place);
  Answer ring(std::uint32_t slot, Cycle now);
  Answer resize(std::uint32_t array, std::uint32_t bytes);
  /// kGeneric, for a reason that note_refusal() tells.
  Answer refuse(const char* why) {
    why_ = why;
    return Answer::kGeneric;
  }
  /// Bytes of memory that are there now, from the start of the window on.
  std::uint32_t memory_bytes(const Place& place) const;
  std::uint32_t read_word(const Place& place, Cycle now) const;
  std::uint32_t read_register(std::uint32_t offset, Cycle now) const;
  std::uint32_t read_channel(const Place& place) const;
  std::uint32_t read_edge(const Place& place) const;
  std::uint32_t read_symbol(const Place& place) const;
  std::uint32_t peek_stream(const Place& place, std::uint32_t count, std::byte* to) const;
  void expect(const Place& place, std::uint32_t count);
  void cancel(const Place& place);
  void control(std::uint32_t bits);
  Answer load_program(std::uint32_t program);
  /// Throws std::invalid_argument for a device beyond the map.
  void describe();
  void reset_registers();
  /// What the port knows of a machine that has been reset.
  void forget_machine();

  const std::vector<Received>& received(const Place& place) const {
    return device_.edge(place.number).received(place.color);
  }
  /// What ChannelField::kWaiting, kRoom, kLevel and kExpect of a channel read.
  std::uint32_t waiting(const Place& place) const;
  std::uint32_t room(const Place& place) const;
  std::uint32_t level(const Place& place) const;
  std::uint64_t missing(const Place& place) const;
  /// What Register::kMissing reads: the sum over all channels.
  std::uint64_t missing() const;

  Device& device_;
  const std::uint32_t stream_depth_;
  std::array<std::uint32_t, offset_of(Register::kPrograms) / 4 + 1> constants_{};  // from kId on
  std::array<std::array<std::uint32_t, kSlotBytes / 4>, kSlots> slots_{};
  std::vector<Channel> channels_;  // by edge, then color
  std::uint32_t enabled_ = 0;
  std::uint32_t pending_ = 0;
  std::uint32_t scratch_ = 0;
  std::uint32_t refused_ = 0;
  std::uint32_t window_ = 0;
  std::uint32_t tile_ = 0;
  const char* why_ = "";
  std::string refusal_;
  std::string failure_;
  std::uint64_t open_launches_ = 0;
  bool expecting_ = false;
  bool busy_ = false;  // the host gave the machine something to do that has not come to rest
  bool ends_direct_ = false;
  bool has_reset_ = false;
};

}  // namespace tessera::host
