#include "models/scheduled/word_checker.h"

#include <algorithm>
#include <tuple>

namespace tessera::scheduled {

const char* to_string(WordChecker::Kind kind) {
  static constexpr std::array<const char*, WordChecker::kKinds> kNames = {
      "stranded", "misrouted", "order hole", "duplicated"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string node_name(const Program& program, NodeId node) {
  const Coord c = program.topology.coord(node);
  std::string text = "node " + std::to_string(node);
  if (program.topology.dimensions() == 1) return text;
  text += " (" + std::to_string(c.x) + ", " + std::to_string(c.y);
  if (program.topology.dimensions() == 3) text += ", " + std::to_string(c.z);
  return text + ")";
}

std::string phase_name(const Program& program, NodeId node, std::uint32_t epoch) {
  const Node& n = program.nodes[node];
  for (const Turn& turn : n.turns)
    if (turn.epoch == epoch) return "phase '" + n.phases[turn.phase].name + "'";
  return "epoch " + std::to_string(epoch);
}

std::string stream_name(const Program& program, StreamId stream) {
  if (stream >= program.streams.size()) return "no stream";
  return "stream '" + program.streams[stream].name + "'";
}

WordChecker::WordChecker(const Program& program, std::size_t most)
    : program_(program), most_(most), stranded_at_(program.nodes.size()) {
  std::uint32_t sinks = 0;
  for (const Stream& stream : program.streams) {
    first_sink_.push_back(sinks);
    sinks += static_cast<std::uint32_t>(stream.sinks.size());
  }
  next_.assign(sinks, 0);
}

void WordChecker::reset() {
  counts_ = {};
  std::fill(stranded_at_.begin(), stranded_at_.end(), 0);
  std::fill(next_.begin(), next_.end(), 0);
  findings_.clear();
}

void WordChecker::delivered(NodeId node, Index input, const slot::Word& word, std::uint32_t epoch,
                            Cycle now) {
  if (word.stream >= program_.streams.size()) return;
  const std::vector<Stream::Sink>& sinks = program_.streams[word.stream].sinks;
  const auto sink = std::find_if(sinks.begin(), sinks.end(), [&](const Stream::Sink& s) {
    return s.node == node && s.input == input;
  });
  const End where = End::input(input);
  if (sink == sinks.end()) return add({Kind::kMisrouted, now, node, word, epoch, kNone, where});
  if (word.marker) return;
  std::uint32_t& next = next_[first_sink_[word.stream] + (sink - sinks.begin())];
  if (word.sequence == next) {
    ++next;
    return;
  }
  const bool early = word.sequence > next;
  add({early ? Kind::kOrderHole : Kind::kDuplicated, now, node, word, epoch, kNone, where});
  if (early) next = word.sequence + 1;
}

void WordChecker::add(const Finding& finding) {
  ++counts_[static_cast<std::size_t>(finding.kind)];
  if (findings_.size() < most_) findings_.push_back(finding);
}

std::vector<WordChecker::Finding> WordChecker::findings() const {
  std::vector<Finding> sorted = findings_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.cycle, a.node) < std::tie(b.cycle, b.node);
  });
  return sorted;
}

std::string WordChecker::text(const Finding& f) const {
  static constexpr std::array<const char*, 4> kPlaces = {"link", "output", "input", "VFSM"};
  const std::string place = std::string(kPlaces[static_cast<std::size_t>(f.where.kind)]) + " " +
                            std::to_string(f.where.index);
  std::string text = "cycle " + std::to_string(f.cycle) + ": " + node_name(program_, f.node) +
                     ": " +
                     (f.word.marker ? "the marker" : "word " + std::to_string(f.word.sequence)) +
                     " of " + stream_name(program_, f.word.stream) + ", written in " +
                     phase_name(program_, f.node, f.word.epoch) + ", ";
  const std::string here = phase_name(program_, f.node, f.epoch);
  switch (f.kind) {
  case Kind::kStranded:
    return text + "is stranded in " + place + ": the node goes to " + here;
  case Kind::kMisrouted:
    return text + "is misrouted: " + place + " takes it for " + stream_name(program_, f.taken_for) +
           " in " + here;
  case Kind::kOrderHole:
    return text + "leaves a hole in the order at " + place + " in " + here;
  case Kind::kDuplicated:
    return text + "comes again or too late at " + place + " in " + here;
  }
  return text;
}

}  // namespace tessera::scheduled
