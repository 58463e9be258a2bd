// Online routing (reference numesh.md 2.3): one-hop streams to every neighbour and
// store-and-forward in software. A message is a header word (node, queue, length) and data words;
// it goes in dimension order, x before y before z. An arrival interrupts the processor, which
// parses the header, allots a buffer in its memory and puts it on the list of the next hop; the
// interrupt "output empty" pumps the list out, as far as words have come. Buffers are as many as
// are needed: nothing is refused, so reading is not synchronous and no length of a message proves
// anything about the reader (3.3).
//
// Time. An interrupt takes OnlineRouter::interrupt_cost cycles, then a word of the interface I/O
// each, until there is nothing left to move; then it ends. One interrupt runs at a time; ports take
// turns, arrivals go before departures. Tasks of the node stand still meanwhile.
#pragma once

#include <boost/container/deque.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "models/scheduled/interface.h"
#include "models/scheduled/program.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::scheduled {

class OnlineRouterCore {
 public:
  static constexpr unsigned kMaxWords = 0xFFF;  ///< longest message in words, without its header
  static constexpr unsigned kMaxQueues = 16;
  static constexpr unsigned kMaxNodes = 0x10000;

  struct Step {
    /// The tasks stand still in this cycle, and it wants to be stepped in the next.
    bool busy = false;
    unsigned written = 0;
    unsigned read = 0;
  };

  /// `program` and `interface` outlive it. Does nothing if the node has no online router.
  OnlineRouterCore(const Program& program, NodeId at, Interface& interface);

  /// The work of cycle `now`, with at most `budget` I/Os; `epoch` tags what it writes.
  Step step(Cycle now, unsigned budget, std::uint32_t epoch);
  /// A message of the node itself: `words` are copied.
  void send(NodeId peer, unsigned queue, const std::uint32_t* words, unsigned count);
  /// Whether queue `queue` has a complete message; if so, its words are appended to `words`.
  bool receive(unsigned queue, std::vector<std::uint32_t>& words);
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  using Handle = std::uint32_t;
  struct Message {
    std::vector<std::uint32_t> words;  // header and what has come
    std::uint32_t length = 0;          // words of the whole message, with header
    std::uint32_t sent = 0;

    void visit(state::Archive& archive);
  };
  using List = boost::container::deque<Handle>;  // takes no memory while it is empty
  enum class Mode : std::uint8_t { kIdle, kArrival, kDeparture };

  Handle allot(std::uint32_t header);
  void put(Handle message);
  Port next_hop(NodeId peer) const;
  bool arrival_at(unsigned port, Cycle now) const;
  bool departure_at(unsigned port, Cycle now) const;
  bool has_word_for(unsigned port) const;
  void choose(Cycle now);
  void take_word(unsigned port, std::uint32_t data);
  bool move_word(Cycle now, std::uint32_t epoch, Step& step);

  const Program& program_;
  const OnlineRouter& config_;
  const NodeId at_;
  Interface& interface_;
  Mode mode_ = Mode::kIdle;
  unsigned port_ = 0;
  unsigned next_port_ = 0;
  Cycle enters_at_ = 0;
  std::vector<Message> messages_;
  std::vector<Handle> free_;
  static constexpr Handle kNoMessage = 0xFFFFFFFF;
  std::array<Handle, kPortCount> arriving_;
  std::array<List, kPortCount> departing_;
  std::array<std::uint32_t, kPortCount> numbers_{};
  std::vector<List> queues_;
};

}  // namespace tessera::scheduled
