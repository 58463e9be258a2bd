#include "models/scheduled/online_router_core.h"

namespace tessera::scheduled {

namespace {

// node << 16 | queue << 12 | words
NodeId peer_of(std::uint32_t header) {
  return header >> 16;
}
unsigned queue_of(std::uint32_t header) {
  return (header >> 12) & 0xF;
}
unsigned words_of(std::uint32_t header) {
  return header & OnlineRouterCore::kMaxWords;
}

}  // namespace

OnlineRouterCore::OnlineRouterCore(const Program& program, NodeId at, Interface& interface)
    : program_(program), config_(program.nodes[at].online), at_(at), interface_(interface) {
  arriving_.fill(kNoMessage);
  if (config_.enabled) queues_.resize(config_.queues);
}

OnlineRouterCore::Handle OnlineRouterCore::allot(std::uint32_t header) {
  Handle handle = static_cast<Handle>(messages_.size());
  if (free_.empty()) {
    messages_.emplace_back();
  } else {
    handle = free_.back();
    free_.pop_back();
  }
  Message& message = messages_[handle];
  message.words.clear();
  message.words.push_back(header);
  message.length = words_of(header) + 1;
  message.sent = 0;
  return handle;
}

Port OnlineRouterCore::next_hop(NodeId peer) const {
  const Coord here = program_.topology.coord(at_);
  const Coord there = program_.topology.coord(peer);
  if (here.x != there.x) return there.x < here.x ? Port::kXMinus : Port::kXPlus;
  if (here.y != there.y) return there.y < here.y ? Port::kYMinus : Port::kYPlus;
  return there.z < here.z ? Port::kZMinus : Port::kZPlus;
}

/// Puts a message on the list of its next hop, or into its queue.
void OnlineRouterCore::put(Handle handle) {
  const std::uint32_t header = messages_[handle].words.front();
  const NodeId peer = peer_of(header);
  if (peer == at_) {
    queues_[queue_of(header)].push_back(handle);
  } else {
    departing_[index(next_hop(peer))].push_back(handle);
  }
}

void OnlineRouterCore::send(NodeId peer, unsigned queue, const std::uint32_t* words,
                            unsigned count) {
  const Handle handle = allot(peer << 16 | queue << 12 | count);
  messages_[handle].words.insert(messages_[handle].words.end(), words, words + count);
  put(handle);
}

bool OnlineRouterCore::receive(unsigned queue, std::vector<std::uint32_t>& words) {
  List& list = queues_[queue];
  if (list.empty()) return false;
  const Message& message = messages_[list.front()];
  if (message.words.size() < message.length) return false;
  words.insert(words.end(), message.words.begin() + 1, message.words.end());
  free_.push_back(list.front());
  list.pop_front();
  return true;
}

bool OnlineRouterCore::arrival_at(unsigned port, Cycle now) const {
  const Index input = config_.inputs[port];
  return input != OnlineRouter::kNoAddress && interface_.inputs[input].available(now) > 0;
}

bool OnlineRouterCore::has_word_for(unsigned port) const {
  const List& list = departing_[port];
  if (list.empty()) return false;
  const Message& message = messages_[list.front()];
  return message.sent < message.words.size();
}

/// The output is empty, and there is something to send.
bool OnlineRouterCore::departure_at(unsigned port, Cycle now) const {
  if (!has_word_for(port)) return false;
  const InterfaceQueue& queue = interface_.outputs[config_.outputs[port]];
  return queue.room(now) == queue.depth();
}

void OnlineRouterCore::choose(Cycle now) {
  for (const Mode mode : {Mode::kArrival, Mode::kDeparture}) {
    for (unsigned i = 0; i < kPortCount; ++i) {
      const unsigned port = (next_port_ + i) % kPortCount;
      if (!(mode == Mode::kArrival ? arrival_at(port, now) : departure_at(port, now))) continue;
      mode_ = mode;
      port_ = port;
      next_port_ = (port + 1) % kPortCount;
      enters_at_ = now + config_.interrupt_cost;
      return;
    }
  }
}

void OnlineRouterCore::take_word(unsigned port, std::uint32_t data) {
  Handle& arriving = arriving_[port];
  if (arriving == kNoMessage) {
    arriving = allot(data);
    put(arriving);
  } else {
    messages_[arriving].words.push_back(data);
  }
  if (messages_[arriving].words.size() == messages_[arriving].length) arriving = kNoMessage;
}

/// Does one I/O of the interrupt that runs; false: there is none left to do.
bool OnlineRouterCore::move_word(Cycle now, std::uint32_t epoch, Step& step) {
  if (mode_ == Mode::kArrival) {
    InterfaceQueue& queue = interface_.inputs[config_.inputs[port_]];
    if (queue.available(now) == 0) return false;
    take_word(port_, queue.pop(now).data);
    ++step.read;
    return true;
  }
  InterfaceQueue& queue = interface_.outputs[config_.outputs[port_]];
  if (!has_word_for(port_) || queue.room(now) == 0) return false;
  const Handle handle = departing_[port_].front();
  Message& message = messages_[handle];
  slot::Word word;
  word.data = message.words[message.sent++];
  word.stream = config_.streams[port_];
  word.sequence = numbers_[port_]++;
  word.epoch = epoch & 0x7FFFFFFF;
  queue.push(word, now);
  ++step.written;
  if (message.sent == message.length) {
    departing_[port_].pop_front();
    free_.push_back(handle);
  }
  return true;
}

OnlineRouterCore::Step OnlineRouterCore::step(Cycle now, unsigned budget, std::uint32_t epoch) {
  Step step;
  if (!config_.enabled) return step;
  if (mode_ == Mode::kIdle) choose(now);
  if (mode_ == Mode::kIdle) return step;
  step.busy = true;
  if (now < enters_at_) return step;
  for (unsigned i = 0; i < budget; ++i) {
    if (move_word(now, epoch, step)) continue;
    mode_ = Mode::kIdle;
    break;
  }
  return step;
}

}  // namespace tessera::scheduled
