// One of the strips of a wafer, as Strips sees it: in this process (LocalPart), or in another one
// (RemotePart, remote_part.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/observe/diagnosis.h"
#include "models/observe/wait.h"
#include "models/wafer/sharing/skew.h"
#include "models/wafer/wafer_core.h"

namespace tessera::wafer {

class Part {
 public:
  Part() = default;
  virtual ~Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// The next cycle in which the strip has something to do.
  Cycle next_due() const { return next_due_; }
  void wake(Cycle at) { next_due_ = std::min(next_due_, at); }
  /// What step() has thrown.
  std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

  // As those of WaferCore.
  virtual std::vector<std::uint16_t> rooms_at(Direction side) = 0;
  virtual void set_rooms(Direction side, const std::vector<std::uint16_t>& rooms) = 0;
  virtual void start() = 0;
  virtual void step(Cycle now) = 0;
  virtual void shuffle_step_order(std::uint64_t seed) = 0;
  virtual void launch(TileCoord tile, const pe::Function& function,
                      const std::vector<std::uint32_t>& arguments, Cycle at) = 0;
  virtual void set_diagnoses(observe::Diagnoses* diagnoses) = 0;
  virtual std::size_t wavelets_held() = 0;
  virtual void describe_waits(observe::Waits& waits, Cycle now) = 0;
  // As those of Ports.
  virtual unsigned capacity(std::uint32_t port, Color color) = 0;
  virtual void put(std::uint32_t port, const link::Wavelet& w, Cycle due) = 0;
  virtual void credit(std::uint32_t port, Color color, Cycle due) = 0;

  /// What has crossed the border at `side` in the last cycle.
  virtual std::vector<Crossing>& sent(Direction side) = 0;
  /// Takes what the neighbour at `side` sent in cycle `now`, and empties it.
  virtual void take(Direction side, std::vector<Crossing>& crossings, Cycle now) = 0;
  /// What has gone to the neighbour at `side` without this process: the first cycle in which it counts; kNever: nothing has.
  /// Asked once a cycle.
  virtual Cycle sent_directly(Direction /*side*/) { return kNever; }
  /// Takes what the neighbour at `side` has sent directly in cycle `now`, of which the first counts in cycle `due`.
  virtual void take_directly(Direction /*side*/, Cycle /*due*/, Cycle /*now*/) {}
  /// Tells others what was kept for them by the end of cycle `now`.
  virtual void hand_on(Cycle now) = 0;
  /// The cycle of the first thing that is still kept for listeners.
  virtual Cycle next_told() const = 0;

  // Cycles before their time (Window): the stages, where begin_stage() may leave the work to somebody else, for whom
  // step_stage() waits.
  virtual void begin_stage(const Window&, unsigned /*stage*/) {}
  virtual void step_stage(const Window& window, unsigned stage) = 0;
  /// As those of WaferCore; a failure in cycle `end` or a later one does not count either.
  virtual Cycle failed_at() const = 0;
  virtual Cycle last_ahead() const = 0;
  virtual void end_ahead(Cycle begin, Cycle end) = 0;
  /// The strip, if it is in this process.
  virtual WaferCore* core() { return nullptr; }

 protected:
  void set_next_due(Cycle at) { next_due_ = at; }
  void set_failure(std::exception_ptr failure) { failure_ = std::move(failure); }

 private:
  Cycle next_due_ = kNever;
  std::exception_ptr failure_;
};

/// A wavelet or a credit for a port, or from one.
struct PortMessage {
  std::uint32_t port;
  link::Wavelet wavelet;  ///< for a credit only its color is set
  Cycle due;
  bool credit;

  static PortMessage of_credit(std::uint32_t port, Color color, Cycle due) {
    link::Wavelet w;
    w.color = color;
    return {port, w, due, true};
  }
};

/// The outside of a strip that another thread may step. While several threads or processes are at work, or tiles are
/// stepped ahead of others, what the strip has for ports and listeners is kept, and handed on strip by strip when the
/// cycle is complete.
class KeepingOutside final : public Outside, public observe::Diagnoses {
 public:
  using Told = std::function<void(observe::Diagnoses&)>;

  /// Whether it keeps what there is for listeners, and for ports; both may change between cycles.
  struct Keeps {
    const bool& for_listeners;
    const bool& for_ports;
  };

  KeepingOutside(const Keeps& keeps, Outside& outside) : keeps_(keeps), outside_(outside) {}
  /// `now`: the cycle being stepped.
  void set_clock(const Cycle& now) { now_ = &now; }
  void set_listener(observe::Diagnoses* listener) { listener_ = listener; }

  unsigned capacity(std::uint32_t port, Color color) const override {
    return outside_.capacity(port, color);
  }
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due) override {
    if (!keeps_.for_ports) return outside_.put(port, w, due);
    to_ports_.push_back({port, w, due, false});
  }
  void credit(std::uint32_t port, Color color, Cycle due) override {
    if (!keeps_.for_ports) return outside_.credit(port, color, due);
    to_ports_.push_back(PortMessage::of_credit(port, color, due));
  }
  void on_diagnosis(const observe::Diagnosis& diagnosis) override;
  void on_print(const observe::Print& print) override;
  void on_ready(std::uint32_t place) override;

  /// What was kept by the end of cycle `now`.
  void hand_on(Cycle now);
  /// Sorts by cycle and tile what was kept while tiles were ahead of others; nothing stays of cycle `end` or later ones.
  void sort(Cycle end);
  /// The cycle of the first thing that was kept for listeners.
  Cycle next_told() const { return told_.empty() ? kNever : told_.front().at; }

 private:
  struct Kept {
    Cycle at;  ///< when it is heard
    Cycle of;  ///< when it happened
    std::uint32_t place;
    Told tell;
  };
  void tell(Cycle of, std::uint32_t place, Told what);

  const Keeps keeps_;
  const Cycle* now_ = nullptr;
  Outside& outside_;
  observe::Diagnoses* listener_ = nullptr;
  std::vector<PortMessage> to_ports_;
  std::vector<Kept> told_;
};

class LocalPart final : public Part {
 public:
  /// `keeps`: as that of KeepingOutside. A part that is `alone` keeps nothing for ports.
  LocalPart(const KeepingOutside::Keeps& keeps, bool alone, const Strip& strip, Outside& outside,
            observe::EventStream* events)
      : outside_(keeps, outside),
        core_(strip, alone ? outside : static_cast<Outside&>(outside_), events) {
    outside_.set_clock(core_.now());
  }

  /// The strip has been restored: the last cycle that was stepped, and whether it is due in the next one.
  void go_on_behind(Cycle now, bool is_due) {
    core_.go_on_behind(now, is_due);
    set_next_due(core_.next_due(now));
  }
  void step_and_measure(Cycle now) {
    measure([this, now] { step(now); });
  }
  /// What step_and_measure() or step_stage() took of its thread.
  double seconds() const { return seconds_; }

  std::vector<std::uint16_t> rooms_at(Direction side) override { return core_.rooms_at(side); }
  void set_rooms(Direction side, const std::vector<std::uint16_t>& rooms) override {
    core_.rims().set_rooms(side, rooms);
  }
  void start() override {
    core_.start();
    wake(0);
  }
  void step(Cycle now) override;
  void shuffle_step_order(std::uint64_t seed) override { core_.shuffle_step_order(seed); }
  void launch(TileCoord tile, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at) override {
    core_.launch(tile, function, arguments, at);
    wake(at);
  }
  void set_diagnoses(observe::Diagnoses* diagnoses) override {
    outside_.set_listener(diagnoses);
    core_.set_diagnoses(diagnoses == nullptr ? nullptr : &outside_);
  }
  std::size_t wavelets_held() override { return core_.wavelets_held(); }
  void describe_waits(observe::Waits& waits, Cycle now) override {
    core_.describe_waits(waits, now);
  }
  unsigned capacity(std::uint32_t port, Color color) override {
    return core_.ports().capacity(port, color);
  }
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due) override {
    core_.ports().put(port, w, due);
    wake(due);
  }
  void credit(std::uint32_t port, Color color, Cycle due) override {
    core_.ports().credit(port, color, due);
    wake(due);
  }
  std::vector<Crossing>& sent(Direction side) override { return core_.rims().sent(side); }
  void take(Direction side, std::vector<Crossing>& crossings, Cycle now) override;
  void hand_on(Cycle now) override { outside_.hand_on(now); }
  Cycle next_told() const override { return outside_.next_told(); }
  void step_stage(const Window& window, unsigned stage) override {
    measure([&] { window.step(core_, stage); });
  }
  Cycle failed_at() const override { return core_.failed_at(); }
  Cycle last_ahead() const override { return core_.last_ahead(); }
  void end_ahead(Cycle begin, Cycle end) override;
  WaferCore* core() override { return &core_; }

 private:
  /// That this thread has computed.
  static double own_seconds();
  template <class Work>
  void measure(Work&& work) {
    const double begin = own_seconds();
    work();
    seconds_ = own_seconds() - begin;
  }

  KeepingOutside outside_;
  WaferCore core_;
  double seconds_ = 0;
};

}  // namespace tessera::wafer
