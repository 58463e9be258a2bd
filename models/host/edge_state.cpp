// What changes in a host edge, for checkpoints (models/state/archive.h).
#include "models/host/edge_core.h"
#include "models/state/archive.h"

namespace tessera::host {

void EdgeCore::visit(state::Archive& archive) {
  for (Dropped& drop : drops_) archive(drop.count, drop.first);
  for (Stream& stream : streams_) {
    stream.outgoing.resize(archive.count(stream.outgoing.size()));
    for (Batch& batch : stream.outgoing) {
      batch.words.resize(archive.count(batch.words.size()));
      for (Word& word : batch.words) archive(word.payload, word.control);
      archive(batch.sent, batch.from);
    }
    archive(stream.sent, stream.expected, stream.taken, stream.open_from);
    stream.received.resize(archive.count(stream.received.size()));
    for (Received& received : stream.received) archive(received.cycle, received.wavelet);
  }
  archive(sending_, arrivals_, credits_, arbiter_, sent_);
}

// Whatever it holds may go on in `next`, if anything does.
std::vector<Cycle> EdgeCore::due_cycles(Cycle next, bool is_due) const {
  std::vector<Cycle> cycles;
  if (is_due) cycles.push_back(next);
  const auto add = [&](Cycle at) {
    if (at > next) cycles.push_back(at);
  };
  credits_.for_each_due(add);
  for (std::size_t i = 0; i < arrivals_.size(); ++i) add(arrivals_[i].due);
  for (const Stream& stream : streams_) {
    if (!stream.outgoing.empty()) add(stream.outgoing.front().from);
    if (at_ramp() && stream.can_take()) add(stream.open_from);
  }
  return cycles;
}

}  // namespace tessera::host
