// Input buffers of a router, per (input port, color) a FIFO of the wavelets that have been put; and
// where the head of a buffer, its oldest wavelet, goes, and as which colors (reference wse.md 1.4
// to 1.9). Plain C++.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/fabric/route_table.h"
#include "models/fabric/sender.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/ring.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::fabric {

/// Colors that one arrival may leave as: its own and, with color swap, its partner (c and c^1).
enum Variant : unsigned { kOwn, kPartner };
inline constexpr unsigned kVariants = 2;

/// The head of a buffer on its way out, as one of its colors.
struct Departure {
  bool filtered = false;      ///< whether the CE gets a copy has been decided
  bool to_ce = true;          ///< the CE gets a copy
  bool started = false;       ///< a copy has left: what follows is fixed
  bool routed = false;        ///< the switch position receives it
  DirectionSet branches;      ///< outputs still to go
  std::uint32_t payload = 0;  ///< payload of the copies for other tiles

  template <class Archive>
  void visit(Archive& archive) {
    archive(filtered, to_ce, started, routed, branches, payload);
  }
};

struct InputBuffer {
  struct Entry {
    link::Wavelet wavelet;
    Cycle due = 0;  ///< cycle in which it lands
    template <class Archive>
    void visit(Archive& archive) {
      archive(wavelet, due);
    }
  };
  Direction in;
  Color color;
  Ring<Entry> entries;
  std::array<Departure, kVariants> departures;

  const InputBuffer::Entry& head() const { return entries.front(); }
  bool started() const { return departures[kOwn].started; }
  Color color_as(unsigned variant) const { return Color(color.value() ^ variant); }
};

class InputBuffers {
 public:
  InputBuffers() { index_of_.fill(kNone); }

  /// An (input port, color) pair as one number: what the arbiters choose among.
  static unsigned pair_of(Direction in, Color color) {
    return color.value() * kDirectionCount + index(in);
  }
  static_assert(kColorCount * kDirectionCount <= CandidateSet::kSize);

  /// A buffer for `room` wavelets, if there is none yet.
  void add(Direction in, Color color, unsigned room) {
    std::uint8_t& added = index_of_[pair_of(in, color)];
    if (added != kNone) return;
    added = static_cast<std::uint8_t>(buffers_.size());
    buffers_.push_back({in, color, Ring<InputBuffer::Entry>(room), {}});
  }
  /// nullptr: the router has none for this input and color.
  const InputBuffer* find(Direction in, Color color) const {
    if (color.value() >= kColorCount || index_of_[pair_of(in, color)] == kNone) return nullptr;
    return &(*this)[pair_of(in, color)];
  }
  /// Requires that there is one.
  const InputBuffer& operator[](unsigned pair) const { return buffers_[index_of_[pair]]; }
  InputBuffer& operator[](unsigned pair) { return buffers_[index_of_[pair]]; }

  /// False, and no effect, when there is no room.
  bool put(Direction in, const link::Wavelet& w, Cycle due) {
    if (find(in, w.color) == nullptr) return false;
    const unsigned pair = pair_of(in, w.color);
    InputBuffer& buffer = (*this)[pair];
    if (buffer.entries.full()) return false;
    buffer.entries.push_back({w, due});
    occupied_.insert(pair);
    ++held_;
    if (w.control) ++controls_held_;
    return true;
  }
  void remove_head(InputBuffer& buffer) {
    if (buffer.head().wavelet.control) --controls_held_;
    buffer.entries.pop_front();
    --held_;
    if (buffer.entries.empty()) occupied_.erase(pair_of(buffer.in, buffer.color));
  }

  /// Pairs whose buffer holds something.
  const CandidateSet& occupied() const { return occupied_; }
  /// Wavelets, and control wavelets among them.
  std::size_t held() const { return held_; }
  std::size_t controls_held() const { return controls_held_; }
  /// Saves or restores what changes (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  static constexpr std::uint8_t kNone = 0xFF;

  std::vector<InputBuffer> buffers_;
  std::array<std::uint8_t, kColorCount * kDirectionCount> index_of_;  // index in buffers_, by pair
  CandidateSet occupied_;
  std::size_t held_ = 0;
  std::size_t controls_held_ = 0;
};

/// Applies the switch position of a color, color swap, filters, CE injection and teardown together.
class HeadRouting {
 public:
  /// Of the router of tile `here`. Both must outlive it.
  HeadRouting(RouteTable& routes, const InputBuffers& buffers, TileCoord here)
      : routes_(routes), buffers_(buffers), here_(here) {}

  /// The answers are those of cycle `now` from here on.
  void begin_cycle(Cycle now) { now_ = now; }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(now_);
  }

  /// Colors that a head has to be asked about: without color swap its own only.
  unsigned variants() const { return routes_.swaps() ? kVariants : 1U; }
  unsigned position_index(const RouteTable::Channel& channel) const {
    return channel.route.injection == Injection::kNone ? channel.route.current
                                                       : injecting_position(channel);
  }
  const RoutePosition& position_of(const RouteTable::Channel& channel) const {
    return channel.route.positions[position_index(channel)];
  }

  /// Outputs that the head has still to leave through.
  DirectionSet outputs(const InputBuffer& buffer, unsigned variant) const;
  /// outputs() for the own color, none in teardown. In a router without color swap nothing else is
  /// asked for nearly every wavelet.
  DirectionSet plain_outputs(const InputBuffer& buffer) const {
    const RouteTable::Channel& channel = routes_.at(buffer.color);
    if (channel.route.suspended) return {};
    const Departure& departure = buffer.departures[kOwn];
    if (departure.started) return departure.branches;
    if (channel.route.messages) return message_output(channel, buffer);
    const RoutePosition& position = position_of(channel);
    if (!position.valid || !position.rx.contains(buffer.in)) return {};
    return copies(position, departure);
  }
  /// wse.md 1.9: nothing of a color in teardown moves.
  bool is_suspended(const InputBuffer& buffer) const;
  /// A switch position takes it, and nothing is left to send.
  bool is_done(const InputBuffer& buffer) const;
  /// Whether no switch position, present or not, takes it as any of its colors.
  bool is_stranded(const InputBuffer& buffer) const;

  /// Decides, once for each head, whether the CE gets a copy (wse.md 1.5 NOCE, 1.7 filters). True:
  /// it was to get one and does not.
  bool ask_filters(InputBuffer& buffer);
  /// The first copy leaves: fixes where the others go and what the list of commands becomes.
  void start(InputBuffer& buffer) const;

 private:
  unsigned injecting_position(const RouteTable::Channel& channel) const;
  bool is_routed(const InputBuffer& buffer, unsigned variant) const;
  void start_as(InputBuffer& buffer, unsigned variant) const;
  DirectionSet message_output(const RouteTable::Channel& channel, const InputBuffer& buffer) const {
    return channel.messages.output(buffer.in, buffer.head().wavelet.payload, here_);
  }
  static DirectionSet copies(const RoutePosition& position, const Departure& departure) {
    DirectionSet outputs = position.tx;
    if (!departure.to_ce) outputs.erase(Direction::kRamp);
    return outputs;
  }

  RouteTable& routes_;
  const InputBuffers& buffers_;
  TileCoord here_;
  Cycle now_ = 0;
};

}  // namespace tessera::fabric
