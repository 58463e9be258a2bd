// The rows of a wafer that another process has. This process leads: it sends requests, and the other
// one answers them in serve() (serve.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/observe/link_waits.h"
#include "models/observe/wait_book.h"
#include "models/wafer/plan/plan.h"
#include "models/wafer/sharing/packet.h"
#include "models/wafer/sharing/part.h"
#include "models/wafer/sharing/requests.h"
#include "models/wafer/sharing/threads.h"

namespace tessera::wafer {

class RemotePart final : public Part {
 public:
  /// Lets the process behind `channel` build `rows`.
  RemotePart(Channel& channel, const Strip& rows, const Threads& threads, Outside& outside,
             const observe::EventStream* events);
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
  void write_memory(TileCoord tile, std::uint32_t address, const std::vector<std::byte>& bytes,
                    Cycle end);
  /// ComputeEngineCore::catch_up of all engines.
  void catch_up(Cycle end);
  /// Every engine there accounts its waits from now on, and with `links` every router too.
  void account_waits(bool links);
  bool is_lost() const { return lost_; }
  /// Adds what was recorded there. Once, after the run.
  void collect(observe::EventStream& events);
  /// The cycles are those of observe::WaitBook::finish(). `links`: nullptr if they are not accounted.
  void collect_waits(observe::WaitBook& book, observe::LinkWaits* links, Cycle cycles,
                     Cycle stepped);

  // Restoring, see Strips::visit: it takes its part from the archive.
  void restore(StateOf what, const Visit& visit);
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
  void tell(Packet& told);
  void send_soon();
  Packet call();

  Channel& channel_;
  const Strip rows_;
  Outside& outside_;
  observe::Diagnoses* listener_ = nullptr;
  Packet out_;  // requests that were not sent yet
  bool stepping_ = false;
  bool lost_ = false;                          // it does not answer any more
  std::array<std::vector<Crossing>, 2> sent_;  // to north and south
  std::vector<Kept> kept_;                     // by rising cycle
  Cycle failed_at_ = kNever;
  Cycle last_ahead_ = 0;
};

}  // namespace tessera::wafer
