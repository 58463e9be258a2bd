// Route epochs (reference numesh.md 7.4, S24; wse.md 1.9): finds wavelets that a program caught
// under way when it changed a route. One checker watches all routers of a machine; it changes
// nothing. docs/route-epochs.md explains the rules for users.
//
// Epoch. The life of a color on a tile is cut into epochs, counted from 0. A new one begins when
// the color enters teardown, and when the program writes a register of the color outside teardown
// so that something changes. Writes in teardown and its end belong to the epoch that it began.
// Switch advances belong to the stream.
//
// Tag. Every wavelet has a hidden one: the tile it was sent from, the cycle in which it left the
// router there, and the epoch of its color there. For the router of the tile itself the cycle in
// which the program wrote it into the output queue counts; a host stream is sent from the rim tile
// that it enters. The tags are kept here, by ident, and not in the wavelet.
//
// Rule. A wavelet belongs at a router to the last epoch that had begun when it was sent. If the
// epoch began by a marker (a TEARDOWN command), it also belongs to it when it came through the same
// input after the marker, or when its source had begun as late an epoch, or obeyed the same
// marker. The first epoch from there on whose route receives the wavelet's input is the one it was
// sent for. If a later epoch is in force and
//   - sends it somewhere else, it is misrouted;
//   - has no switch position that receives it, it is stranded.
// Conversely, a wavelet whose source had obeyed a marker and that leaves a router before that
// marker does is early, if the route that the router then gets would have sent it somewhere else.
//
// The answer does not depend on the order in which blocks are stepped: in a cycle it uses only what
// was told for earlier cycles, or by the same router.
//
// Memory: what a run of wavelets has in common is kept once; a new run begins after a
// reconfiguration. So it grows with the number of reconfigurations and not with the traffic.
#pragma once

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tlm_ifaces/vocabulary/route.h"
#include "models/observe/event.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::fabric {

/// Takes from the events of a run what leaves the programs and the host, and the instructions that
/// write registers; the routers report everything else by calls.
class EpochChecker : public observe::Sink {
 public:
  /// "row.tasm:41 (fn main)": the instruction `pc` of the program of tile `place`.
  using InstructionNames = std::function<std::string(std::uint32_t place, std::uint32_t pc)>;

  /// Tiles of the machine; places are y * width + x, as in events.
  EpochChecker(int width, int height);
  void set_instruction_names(InstructionNames names) { names_ = std::move(names); }
  /// Rim links with a host stream: the idents that the host gives count through all of them.
  void set_host_links(std::uint32_t links) { host_links_ = links; }

  void on_event(const observe::Event& e) override;
  void on_reset(Cycle origin) override;

  /// The head of a buffer.
  struct Head {
    std::uint32_t place;
    Direction in;
    Color color;  ///< the route that applies: its own or, with color swap, its partner
    const link::Wavelet& wavelet;  ///< as it came
  };
  /// `marker` is a TEARDOWN command and leaves; `route` is the one that it has taken.
  void tear_down(const Head& marker, const ColorRoute& route, Cycle now);
  /// The program has written a register of `color`. Throws IllegalBehaviour (kEpochEarlyId).
  void rewrite(std::uint32_t place, Color color, const ColorRoute& before, const ColorRoute& after,
               Cycle now);
  /// `head` leaves by a route to `outputs`. Throws IllegalBehaviour (kEpochMisroutedId).
  void take_route(const Head& head, DirectionSet outputs, Cycle now);
  /// `head` stays, because no switch position receives it. Throws IllegalBehaviour
  /// (kEpochStrandedId).
  void stay(const Head& head);

  /// Number of the present epoch of a color on a tile.
  unsigned epoch(std::uint32_t place, Color color) const;
  /// Whether the router of a tile was reconfigured at all.
  bool is_reconfigured(std::uint32_t place) const { return reconfigured_[place] != 0; }

 private:
  static constexpr std::uint32_t kNoPc = 0xFFFFFFFF;

  using Choices = boost::container::static_vector<DirectionSet, kSwitchPositions>;

  struct Marker {
    std::uint64_t ident;
    Direction in;
    Color color;
  };
  struct Epoch {
    Cycle began;
    std::optional<Marker> marker;  // the write that began the epoch
    ColorRoute route;              // at the end of the epoch, or now
    bool same_ways;                // its routes equal those of the epoch before
    Cycle written_at = 0;          // cycle of the last write that belongs to the epoch
    std::uint32_t pc = kNoPc;      // instruction of that write
  };
  using History = std::vector<Epoch>;  // by number; empty: nothing but epoch 0

  /// Wavelets that were sent one after the other with no reconfiguration between: idents from
  /// `first` to `last`.
  struct Run {
    std::uint64_t first;
    std::uint64_t last;
    Cycle since;     // when the first was sent; no reconfiguration lies between them
    unsigned epoch;  // epoch of the color at the source, when they left its router
  };
  using Runs = std::vector<Run>;
  struct HostLink {
    std::uint32_t place = 0;
    Direction side = Direction::kWest;
    Runs written;
  };
  struct Tag {
    std::uint32_t place;
    Color color;  // its color when it left the router there
    Cycle since;
    unsigned epoch;
  };
  /// A wavelet that left by the route of an epoch before that of its source's marker.
  struct Early {
    std::uint64_t marker;
    std::uint64_t ident;
    Tag tag;
    unsigned epoch;
    Direction in;
    DirectionSet outputs;
    Cycle cycle;
  };
  struct Issue {
    Cycle cycle = kNever;
    std::uint32_t pc = kNoPc;
  };

  std::size_t key(std::uint32_t place, Color color) const {
    return place * std::size_t{kColorCount} + color.value();
  }
  const History& history(std::uint32_t place, Color color) const {
    return histories_[key(place, color)];
  }
  std::uint32_t host_link_of(std::uint64_t ident) const {
    return static_cast<std::uint32_t>(ident) % std::max(host_links_, 1U);
  }

  // What is known of a wavelet under way.
  void extend(Runs& runs, std::uint64_t ident, unsigned epoch, Cycle now) const;
  const Runs* written_here(const Head& head) const;
  std::optional<Tag> tag_of(const Head& head) const;

  // The comparison of the epochs of sender and router.
  static Choices choices(const ColorRoute& route, Direction in);
  bool obeyed_same_marker(const Tag& tag, const Marker& marker) const;
  unsigned epoch_of(const Head& head, const Tag& tag) const;
  std::optional<unsigned> past_epoch(const Head& head, const Tag& tag) const;
  void note_early(const Head& head, const Tag& tag, DirectionSet outputs, Cycle now);
  void check_early(std::uint32_t place, Color color);

  // A route changes.
  Epoch& begin(std::uint32_t place, Color color, const ColorRoute& before, Cycle now);

  // Parts of messages.
  std::string tile(std::uint32_t place) const;
  std::string sent_in_epoch(std::uint64_t ident, const Tag& tag) const;
  std::string late(const Head& head, const Tag& tag, unsigned past, const std::string& what) const;
  std::string change(std::uint32_t place, const Epoch& epoch) const;

  int width_;
  std::uint32_t host_links_ = 1;
  InstructionNames names_;
  std::vector<std::uint8_t> reconfigured_;            // by place
  std::vector<History> histories_;                    // by place and color
  std::vector<Runs> written_;                         // by place: into output queues
  std::vector<Runs> left_;                            // by place and color: out of their router
  std::unordered_map<std::uint32_t, HostLink> host_;  // by host_link_of()
  std::unordered_map<std::size_t, Early> early_;      // by place and color
  std::vector<Issue> issues_;                         // by place: the last one of the main thread
  std::optional<Cycle> last_change_;                  // the last reconfiguration of all
};

}  // namespace tessera::fabric
