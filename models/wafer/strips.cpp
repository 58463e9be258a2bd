#include "models/wafer/strips.h"

#include <ctime>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace tessera::wafer {

namespace {

// A cycle that takes one thread this long is worth several: to set them to work and to wait for them
// takes a few microseconds, twice.
constexpr double kWorthThreads = 30e-6;
constexpr unsigned kCyclesPerMeasurement = 8;
// So long one thread works alone where several were slower: on a computer that is busy otherwise.
constexpr unsigned kCyclesInTurn = 2000;
// A measurement has this part in a mean.
constexpr double kNew = 0.25;
// Below this the calling thread hands over what crosses the borders.
constexpr std::size_t kFewCrossings = 256;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// That this thread has computed.
double own_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// What a row costs where all of it is busy: an engine takes about as long as ten routers.
std::uint64_t weight_of_row(const Plan& plan, int y) {
  const std::uint32_t begin = plan.place_of({0, y});
  const std::uint32_t end = plan.place_of({0, y + 1});
  std::uint64_t weight = plan.tile_routes_begin[end] - plan.tile_routes_begin[begin];
  for (std::uint32_t place = begin; place < end; ++place)
    weight += plan.image_of_tile[place] >= 0 ? 10 : 0;
  return weight;
}

// The first row of every strip, and the end: strips of about one weight, each of a row at least.
std::vector<int> cut_into(unsigned strips, const Plan& plan) {
  std::vector<std::uint64_t> weight_before = {0};  // .. a row; one more, so that no row is free
  for (int y = 0; y < plan.height; ++y)
    weight_before.push_back(weight_before.back() + weight_of_row(plan, y) + 1);
  std::vector<int> cuts = {0};
  const auto count = static_cast<int>(strips);
  for (int i = 1; i < count; ++i) {
    const std::uint64_t wanted = weight_before.back() * static_cast<unsigned>(i) / strips;
    const auto at = std::lower_bound(weight_before.begin(), weight_before.end(), wanted);
    cuts.push_back(std::clamp(static_cast<int>(at - weight_before.begin()), cuts.back() + 1,
                              plan.height - (count - i)));
  }
  cuts.push_back(plan.height);
  return cuts;
}

}  // namespace

/// A strip, and what it has for others while several threads are at work: ports and listeners are
/// told in the calling thread, strip by strip, when the cycle is complete.
class Strips::Part final : private Outside, private observe::Diagnoses {
 public:
  Part(const bool& together, bool alone, const Strip& strip, Outside& outside,
       observe::EventStream* events)
      : together_(together), outside_(outside),
        core_(strip, alone ? outside : static_cast<Outside&>(*this), events), alone_(alone) {}

  WaferCore& core() { return core_; }
  const WaferCore& core() const { return core_; }
  void set_diagnoses(observe::Diagnoses* diagnoses) {
    listener_ = diagnoses;
    core_.set_diagnoses(alone_ || diagnoses == nullptr ? diagnoses : this);
  }
  /// The next cycle in which the strip has something to do.
  Cycle next_due() const { return next_due_; }
  void wake(Cycle at) { next_due_ = std::min(next_due_, at); }
  void step(Cycle now) {
    try {
      next_due_ = core_.step(now);
    } catch (...) {
      failure_ = std::current_exception();
      next_due_ = core_.next_due(now);
    }
  }
  void step_and_measure(Cycle now) {
    const double begin = own_seconds();
    step(now);
    seconds_ = own_seconds() - begin;
  }
  double seconds() const { return seconds_; }
  /// What step() has thrown.
  std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

  void take(Direction side, std::vector<Crossing>& crossings, Cycle now) {
    if (crossings.empty()) return;
    core_.take(side, crossings, now);
    next_due_ = core_.next_due(now);
  }
  /// Tells others what was kept for them.
  void hand_on() {
    for (const Kept& kept : kept_) {
      if (kept.credit) {
        outside_.credit(kept.port, kept.wavelet.color, kept.due);
      } else {
        outside_.put(kept.port, kept.wavelet, kept.due);
      }
    }
    kept_.clear();
    for (const auto& tell : told_) tell(*listener_);
    told_.clear();
  }

 private:
  struct Kept {
    std::uint32_t port;
    link::Wavelet wavelet;  ///< of a credit: only the color
    Cycle due;
    bool credit;
  };

  // Outside
  unsigned capacity(std::uint32_t port, Color color) const override {
    return outside_.capacity(port, color);
  }
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due) override {
    if (!together_) return outside_.put(port, w, due);
    kept_.push_back({port, w, due, false});
  }
  void credit(std::uint32_t port, Color color, Cycle due) override {
    if (!together_) return outside_.credit(port, color, due);
    link::Wavelet w;
    w.color = color;
    kept_.push_back({port, w, due, true});
  }

  // observe::Diagnoses
  void tell(std::function<void(observe::Diagnoses&)> what) {
    if (!together_) return what(*listener_);
    told_.push_back(std::move(what));
  }
  void on_diagnosis(const observe::Diagnosis& diagnosis) override {
    tell([diagnosis](observe::Diagnoses& to) { to.on_diagnosis(diagnosis); });
  }
  void on_print(const observe::Print& print) override {
    tell([print, text = std::string(print.text)](observe::Diagnoses& to) {
      observe::Print copy = print;
      copy.text = text;
      to.on_print(copy);
    });
  }
  void on_ready(std::uint32_t place) override {
    tell([place](observe::Diagnoses& to) { to.on_ready(place); });
  }

  const bool& together_;
  Outside& outside_;
  WaferCore core_;
  const bool alone_;
  Cycle next_due_ = kNever;
  observe::Diagnoses* listener_ = nullptr;
  std::exception_ptr failure_;
  double seconds_ = 0;
  std::vector<Kept> kept_;
  std::vector<std::function<void(observe::Diagnoses&)>> told_;
};

Strips::Strips(const Plan& plan, Threads threads, Outside& outside, observe::EventStream* events)
    : plan_(plan), threads_(threads), events_(events) {
  const unsigned rows = static_cast<unsigned>(std::max(plan.height, 1));
  const std::vector<int> cuts = cut_into(std::clamp(threads.count, 1U, rows), plan);
  const bool alone = cuts.size() == 2;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    observe::EventStream* const stream = alone || events == nullptr ? events : &events->part(i);
    const Strip strip(plan, cuts[i], cuts[i + 1]);
    parts_.push_back(std::make_unique<Part>(together_, alone, strip, outside, stream));
    part_of_row_.insert(part_of_row_.end(), static_cast<std::size_t>(cuts[i + 1] - cuts[i]),
                        static_cast<std::uint32_t>(i));
  }
}

Strips::~Strips() = default;

void Strips::start() {
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    WaferCore& north = parts_[i - 1]->core();
    WaferCore& south = parts_[i]->core();
    north.rims().set_rooms(Direction::kSouth, south.rooms_at(Direction::kNorth));
    south.rims().set_rooms(Direction::kNorth, north.rooms_at(Direction::kSouth));
  }
  for (const auto& part : parts_) {
    part->core().start();
    part->wake(0);
  }
}

// --- a cycle

Cycle Strips::step(Cycle now) {
  if (parts_.size() == 1) return parts_.front()->core().step(now);
  due_.clear();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i]->next_due() <= now) due_.push_back(i);
  }
  if (due_.size() > 1 && is_worth_threads()) {
    step_together(now);
  } else {
    step_in_turn(now);
  }
  report_failure();
  Cycle next = kNever;
  for (const auto& part : parts_) next = std::min(next, part->next_due());
  return next;
}

Cycle Strips::next_due(Cycle now) const {
  Cycle next = kNever;
  for (const auto& part : parts_) next = std::min(next, part->core().next_due(now));
  return next;
}

// Sinks other than digest and counters take the events of a cycle from one thread.
bool Strips::is_worth_threads() {
  if (events_ != nullptr && events_->is_traced()) return false;
  if (!threads_.when_busy) return true;
  if (in_turn_for_ > 0) {
    --in_turn_for_;
    return false;
  }
  return cost_s_ >= kWorthThreads;
}

void Strips::step_in_turn(Cycle now) {
  const bool measured = threads_.when_busy && ++unmeasured_ == kCyclesPerMeasurement;
  if (measured) unmeasured_ = 0;
  double seconds = 0;
  for (const std::size_t i : due_) {
    if (measured) {
      parts_[i]->step_and_measure(now);
      seconds += parts_[i]->seconds();
    } else {
      parts_[i]->step(now);
    }
  }
  if (measured) cost_s_ += (seconds - cost_s_) * kNew;
  for (std::size_t i = 0; i < parts_.size(); ++i) exchange(i, now);
}

void Strips::step_together(Cycle now) {
  if (!pool_) pool_ = std::make_unique<ThreadPool>(static_cast<unsigned>(parts_.size()));
  const double begin = wall_seconds();
  together_ = true;
  pool_->run([this, now](unsigned i) {
    if (parts_[i]->next_due() <= now) parts_[i]->step_and_measure(now);
  });
  exchange_all(now);
  together_ = false;
  for (const auto& part : parts_) part->hand_on();
  if (!threads_.when_busy) return;
  double seconds = 0;
  for (const std::size_t i : due_) seconds += parts_[i]->seconds();
  cost_s_ += (seconds - cost_s_) * kNew;
  together_s_ += (wall_seconds() - begin - together_s_) * kNew;
  if (together_s_ < cost_s_) return;
  in_turn_for_ = kCyclesInTurn;
  together_s_ = 0;
}

void Strips::exchange_all(Cycle now) {
  std::size_t crossings = 0;
  for (const auto& part : parts_) {
    Rims& rims = part->core().rims();
    crossings += rims.sent(Direction::kNorth).size() + rims.sent(Direction::kSouth).size();
  }
  if (crossings >= kFewCrossings) return pool_->run([this, now](unsigned i) { exchange(i, now); });
  for (std::size_t i = 0; i < parts_.size(); ++i) exchange(i, now);
}

void Strips::exchange(std::size_t i, Cycle now) {
  if (i > 0)
    parts_[i]->take(Direction::kNorth, parts_[i - 1]->core().rims().sent(Direction::kSouth), now);
  if (i + 1 < parts_.size())
    parts_[i]->take(Direction::kSouth, parts_[i + 1]->core().rims().sent(Direction::kNorth), now);
}

// Of several failures the one of the first tile: strips follow each other as their tiles do.
void Strips::report_failure() {
  std::exception_ptr first;
  for (const auto& part : parts_) {
    const std::exception_ptr failure = part->take_failure();
    if (first == nullptr) first = failure;
  }
  if (first != nullptr) std::rethrow_exception(first);
}

// --- tiles and ports

Strips::Part& Strips::part_of(TileCoord tile) const {
  return *parts_[strip_of(tile)];
}

Strips::Part& Strips::part_of_port(std::uint32_t port) const {
  return part_of(plan_.ports[port].tile);
}

pe::ComputeEngineCore* Strips::engine(TileCoord tile) {
  return part_of(tile).core().engine(tile);
}

void Strips::launch(TileCoord tile, const pe::Function& function,
                    const std::vector<std::uint32_t>& arguments, Cycle at) {
  part_of(tile).core().launch(tile, function, arguments, at);
  part_of(tile).wake(at);
}

// What it does for the host is not for several threads at a time.
void Strips::access(TileCoord tile, pe::HostAccess access, Cycle at) {
  if (parts_.size() > 1) {
    access.act = [this, act = std::move(access.act)](pe::Sram& sram, Cycle now) {
      const std::lock_guard<std::mutex> lock(host_);
      act(sram, now);
    };
  }
  part_of(tile).core().access(tile, std::move(access), at);
  part_of(tile).wake(at);
}

unsigned Strips::capacity(std::uint32_t port, Color color) const {
  return part_of_port(port).core().ports().capacity(port, color);
}

void Strips::put(std::uint32_t port, const link::Wavelet& w, Cycle due) {
  part_of_port(port).core().ports().put(port, w, due);
  part_of_port(port).wake(due);
}

void Strips::credit(std::uint32_t port, Color color, Cycle due) {
  part_of_port(port).core().ports().credit(port, color, due);
  part_of_port(port).wake(due);
}

void Strips::shuffle_step_order(std::uint64_t seed) {
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->core().shuffle_step_order(seed + i);
}

void Strips::set_diagnoses(observe::Diagnoses* diagnoses) {
  for (const auto& part : parts_) part->set_diagnoses(diagnoses);
}

std::size_t Strips::wavelets_held() const {
  std::size_t held = 0;
  for (const auto& part : parts_) held += part->core().wavelets_held();
  return held;
}

void Strips::describe_waits(observe::Waits& waits, Cycle now) const {
  for (const auto& part : parts_) part->core().describe_waits(waits, now);
}

std::vector<pe::Sram> Strips::take_memories() {
  std::vector<pe::Sram> memories;
  for (const auto& part : parts_) {
    for (Pe& pe : part->core().pes()) memories.push_back(std::move(pe.engine.sram()));
  }
  return memories;
}

void Strips::put_memories(std::vector<pe::Sram> memories) {
  auto next = memories.begin();
  for (const auto& part : parts_) {
    for (Pe& pe : part->core().pes()) pe.engine.sram().take_over(std::move(*next++));
  }
}

}  // namespace tessera::wafer
