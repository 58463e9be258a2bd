// Finds words that a phase change caught under way (reference numesh.md 3.2, 7.4). One checker
// watches a whole mesh; it changes nothing. It goes by what words carry hidden: the stream that
// their writer meant, their number in it, and the epoch in which they were written.
//
//   stranded    at a switch it lay in a VFSM that the new schedule does not run for its stream, or
//               in an output queue that the new schedule does not empty for it (R10). Counted at
//               the end of the cycle of the command; one that was being offered may get through all
//               the same
//   misrouted   a VFSM took it for another stream, or in another epoch than the one it was written
//               in (streams that are not continuing), or it was delivered where its stream has no
//               sink
//   order hole  at a sink a word came before one that was written earlier
//   duplicated  at a sink a word came a second time, or after a later one
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "models/scheduled/program.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/slot/word.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::scheduled {

class WordChecker {
 public:
  enum class Kind : std::uint8_t { kStranded, kMisrouted, kOrderHole, kDuplicated };
  static constexpr unsigned kKinds = 4;

  struct Finding {
    Kind kind = Kind::kStranded;
    Cycle cycle = 0;
    NodeId node = 0;
    slot::Word word;
    std::uint32_t epoch = 0;     ///< epoch of the node; if stranded, the new one
    StreamId taken_for = kNone;  ///< kMisrouted: the stream of the VFSM or address that took it
    End where;                   ///< VFSM, output or input of the node

    void visit(state::Archive& archive);
  };

  /// `program` outlives the checker. Keeps the first `most` findings, and counts all.
  explicit WordChecker(const Program& program, std::size_t most = 1000);

  /// As built: no word is known.
  void reset();
  /// For checkpoints (models/state/archive.h).
  void visit(state::Archive& archive);

  // What routers say. Findings are the same whatever the order of the calls within a cycle.
  /// A VFSM takes `word` for `stream`.
  void taken(NodeId node, Index vfsm, StreamId stream, bool continuing, const slot::Word& word,
             std::uint32_t epoch, Cycle now) {
    if (word.stream != stream || (!continuing && word.epoch != epoch))
      add({Kind::kMisrouted, now, node, word, epoch, stream, End::vfsm(vfsm)});
  }
  /// `word` enters input `input`.
  void delivered(NodeId node, Index input, const slot::Word& word, std::uint32_t epoch, Cycle now);
  /// `word` lies at `where` while the node goes to `epoch`.
  void stranded(NodeId node, End where, const slot::Word& word, std::uint32_t epoch, Cycle now) {
    ++stranded_at_[node];
    add({Kind::kStranded, now, node, word, epoch, kNone, where});
  }

  // Results.
  std::uint64_t count(Kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  std::uint64_t total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }
  /// Words stranded at `node`, in all switches.
  std::uint64_t stranded_at(NodeId node) const { return stranded_at_[node]; }
  /// In the order of cycle and node.
  std::vector<Finding> findings() const;
  /// "cycle 12: node 1 (1, 0, 0): word 3 of stream 'a' (phase 'p') is stranded in VFSM 0 ..".
  std::string text(const Finding& finding) const;
  /// Data words delivered so far at sink number `sink` of `stream`.
  std::uint32_t delivered(StreamId stream, std::size_t sink) const {
    return next_[first_sink_[stream] + sink];
  }

 private:
  void add(const Finding& finding);

  const Program& program_;
  const std::size_t most_;
  std::array<std::uint64_t, kKinds> counts_{};
  std::vector<std::uint64_t> stranded_at_;  // by node
  std::vector<std::uint32_t> first_sink_;   // by stream
  std::vector<std::uint32_t> next_;         // by sink: number of the next word
  std::vector<Finding> findings_;
};

const char* to_string(WordChecker::Kind kind);

/// "node 5 (1, 1, 0)".
std::string node_name(const Program& program, NodeId node);
/// "phase 'p'" of `epoch` on `node`, or "epoch 3" when the node has no such turn.
std::string phase_name(const Program& program, NodeId node, std::uint32_t epoch);
/// "stream 'a'".
std::string stream_name(const Program& program, StreamId stream);

}  // namespace tessera::scheduled
