// The rows of a wafer that another process has. This process leads: it sends requests, and the other
// one answers them in serve() (serve.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/observe/link_waits.h"
#include "models/observe/wait_book.h"
#include "models/wafer/plan/plan.h"
#include "models/wafer/sharing/host_order.h"
#include "models/wafer/sharing/packet.h"
#include "models/wafer/sharing/part.h"
#include "models/wafer/sharing/requests.h"
#include "models/wafer/sharing/threads.h"
#include "models/wafer/sharing/traced_events.h"

namespace tessera::wafer {

class RemotePart final : public Part {
 public:
  /// Which neighbours are in processes of their own too: what crosses the borders to them does not come to this process.
  struct Neighbours {
    bool north = false;
    bool south = false;
  };
  /// Lets the process behind `channel` build `rows`.
  RemotePart(Channel& channel, Neighbours neighbours, const Strip& rows, const Threads& threads,
             Outside& outside, observe::EventStream* events);
  /// Lets serve() come to its end.
  ~RemotePart() override;

  std::vector<std::uint16_t> rooms_at(Direction side) override;
  void set_rooms(Direction side, const std::vector<std::uint16_t>& rooms) override;
  void start() override;
  /// Cycle `now` is begun there, if something is due; step() waits for its end.
  void begin_step(Cycle now);
  void step(Cycle now) override;
  void shuffle_step_order(std::uint64_t seed) override;
  void launch(TileCoord tile, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at) override;
  void set_diagnoses(observe::Diagnoses* diagnoses) override { listener_ = diagnoses; }
  std::size_t wavelets_held() override;
  void describe_waits(observe::Waits& waits, Cycle now) override;
  unsigned capacity(std::uint32_t port, Color color) override;
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due) override;
  void credit(std::uint32_t port, Color color, Cycle due) override;
  std::vector<Crossing>& sent(Direction side) override {
    return sent_[side == Direction::kNorth ? 0 : 1];
  }
  void take(Direction side, std::vector<Crossing>& crossings, Cycle now) override;
  Cycle sent_directly(Direction side) override {
    return std::exchange(sent_directly_[side == Direction::kNorth ? 0 : 1], kNever);
  }
  void take_directly(Direction side, Cycle due, Cycle now) override;
  void hand_on(Cycle now) override;
  Cycle next_told() const override { return kept_.empty() ? kNever : kept_.front().at; }
  void begin_stage(const Window& window, unsigned stage) override;
  void step_stage(const Window& window, unsigned stage) override;
  Cycle failed_at() const override { return failed_at_; }
  Cycle last_ahead() const override { return last_ahead_; }
  void end_ahead(Cycle begin, Cycle end) override;

  /// SRAM of a tile, for the host; groups that are due before cycle `end` are executed first.
  std::vector<std::byte> read_memory(TileCoord tile, std::uint32_t address, std::uint32_t bytes,
                                     Cycle end);
  /// A half word of each of some tiles, at an address of its own.
  struct HalfWord {
    TileCoord tile;
    std::uint32_t address;
  };
  std::vector<std::uint16_t> read_half_words(const std::vector<HalfWord>& places, Cycle end);
  void write_memory(TileCoord tile, std::uint32_t address, const std::vector<std::byte>& bytes,
                    Cycle end);
  /// The tile takes `order` as it takes a HostAccess. `listener`, if the order is_told, is called at the end of the cycle in
  /// which it does.
  void order(TileCoord tile, const HostOrder& order, Cycle at, TakenListener listener);
  /// ComputeEngineCore::catch_up of all engines.
  void catch_up(Cycle end);
  /// How the engines there are observed from now on. `shown`: the tiles, by rising place, whose waits a trace shows;
  /// `listeners`: of traces.
  void observe(const ObservedParts& what, const std::vector<std::uint32_t>& shown,
               const TraceListeners& listeners);
  /// What a tile does, in words, for people.
  std::string state_of(std::uint32_t place, Cycle now);
  bool is_lost() const { return lost_; }
  /// Adds what was recorded there. Once, after the run.
  void collect(observe::EventStream& events);
  /// The cycles are those of observe::WaitBook::finish(). `links`: nullptr if they are not accounted.
  void collect_waits(observe::WaitBook& book, observe::LinkWaits* links, Cycle cycles,
                     Cycle stepped);

  // See Strips::visit: it puts its part into the archive, or takes it from there.
  void visit(StateOf what, const Visit& visit);
  WaferCore::Announcements announcements(Cycle next);
  /// Whether an order waits for a PE.
  bool has_orders() const { return !orders_.empty(); }
  void take_announcements(const WaferCore::Announcements& all);
  void go_on_at(Cycle next);
  /// The accounts with which its tiles go on.
  void put_waits(std::uint32_t place, observe::TileWaits& waits);
  /// `tiles`: of the whole wafer.
  void put_link_waits(const std::vector<observe::LinkWaits::Tile>& tiles);

 private:
  /// For hand_on().
  struct Kept {
    Cycle at;
    Packet told;
  };
  Packet& post(Request request);
  void send_now();
  template <class Take>
  void take_answer(Take&& take);
  void take_sent(Packet& answer);
  void put_visit(Packet& packet, StateOf what, const Visit& visit);
  void save(StateOf what, const Visit& visit);
  void restore(StateOf what, const Visit& visit);
  void tell(Packet& told);
  void tell_diagnosis(Packet& told);
  void tell_print(Packet& told);
  void send_soon();
  Packet call();

  Channel& channel_;
  const Strip rows_;
  Outside& outside_;
  observe::Diagnoses* listener_ = nullptr;
  TraceListeners traces_;
  std::unordered_map<std::uint64_t, TakenListener> orders_;  // that nobody has taken yet
  std::uint64_t next_order_ = 0;
  Packet out_;  // requests that were not sent yet
  bool stepping_ = false;
  bool lost_ = false;                          // it does not answer any more
  std::array<std::vector<Crossing>, 2> sent_;  // to north and south
  const Neighbours neighbours_;
  std::array<Cycle, 2> sent_directly_ = {kNever, kNever};
  std::vector<Kept> kept_;  // by rising cycle
  Cycle failed_at_ = kNever;
  Cycle last_ahead_ = 0;
};

}  // namespace tessera::wafer
