// Where the events of a run go: into the digest and the counters always, into traces as the user
// asks for them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/observe/counters.h"
#include "models/observe/digest.h"
#include "models/observe/event.h"
#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::observe {

/// The one Sink of a run. The class is final and all of `record` is inline: a model that announces
/// millions of events a second holds an EventStream*, or a Probe made of one, and pays no virtual
/// call.
class EventStream final : public Sink {
 public:
  /// Tiles of the machine. With `per_tile` the counters are kept for every tile too.
  EventStream(unsigned width, unsigned height, bool per_tile)
      : EventStream(per_tile ? Counters(width, height) : Counters()) {}
  /// With counters that keep only some of each tile.
  explicit EventStream(Counters counters) : counters_(std::move(counters)) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Forwards every event to `sink` too, which is not owned.
  void add(Sink& sink) {
    others_.push_back(&sink);
    aim(*this, 0);
    for (const auto& part : parts_) part->add(sink);
  }
  /// Drops events of cycle `end` and later: a run that is stopped before `end` does not reach what
  /// was announced for then. Default: none are dropped.
  void set_end(Cycle end) {
    end_ = end;
    aim(*this, 0);
    for (const auto& part : parts_) part->set_end(end);
    for (const auto& part : ahead_) part->set_end(end);
  }
  Cycle end() const { return end_; }
  /// Adds what another process has recorded.
  void add(std::uint64_t digest_terms, const Counters::State& counters) {
    digest_.add(digest_terms);
    counters_.add(counters);
  }
  /// Part number `number` of the stream: what one of several threads records. Digest and counters of
  /// the parts are in those of the stream, to be read while no thread records. A thread may record in the stream
  /// itself while others record in parts, but no event whose Counter of a tile they count too (Counters::beside).
  /// Other sinks are not for several threads: see is_traced().
  EventStream& part(std::size_t number) {
    while (parts_.size() <= number)
      parts_.push_back(std::unique_ptr<EventStream>(new EventStream(*this, counters_.beside())));
    return *parts_[number];
  }

  /// The machine was reset: digest and counters begin again.
  void on_reset(Cycle origin) override {
    clear();
    for (const auto& part : parts_) part->clear();
    for (Sink* sink : others_) sink->on_reset(origin);
  }

  /// Somebody but digest and counters listens; only such readers look at Event::ident.
  bool is_traced() const { return !others_.empty(); }

  /// Cycles `begin` to `begin` + `cycles` - 1 are recorded in any order, each after ahead(), until keep()
  /// says up to which of them this stays so. Requires that only digest and counters of the machine listen.
  void begin_ahead(Cycle begin, unsigned cycles);
  /// What is recorded now belongs to cycle `now`, but for events of earlier cycles.
  void ahead(Cycle now) {
    is_ahead_ = true;
    aim(*ahead_[now - begin_], now);
  }
  /// Drops what belongs to cycle `end` or a later one.
  void keep(Cycle end);

  [[gnu::always_inline]] void record(const Event& e) {
    if (e.cycle - plain_from_ < plain_cycles_)
      present_->count(e);
    else if (e.cycle < end_)
      record_elsewhere(e.cycle, e.place, e.kind, e.a, e.b, e.ident);
  }
  void on_event(const Event& e) override { record(e); }

  /// Records events of one kind and cycle together, which is cheaper where millions of them follow each other.
  class OfOneKind;

  const Digest& digest() const {
    collect();
    return digest_;
  }
  const Counters& counters() const {
    collect();
    return counters_;
  }

 private:
  EventStream(const EventStream& whole, Counters counters)
      : counters_(std::move(counters)), end_(whole.end_), others_(whole.others_) {
    aim(*this, 0);
  }
  void clear() {
    digest_ = {};
    counters_.clear();
  }
  void collect() const {
    for (const auto& part : parts_) {
      digest_.add(part->digest_.value());
      part->digest_ = {};
      counters_.collect(part->counters_);
    }
  }
  [[gnu::always_inline]] void count(const Event& e) {
    digest_.record(e);
    counters_.record(e);
  }
  /// From now on events of cycle `from` and later are counted by `present` and nobody else, if that is so.
  void aim(EventStream& present, Cycle from) {
    present_ = &present;
    plain_from_ = from;
    plain_cycles_ = others_.empty() && from < end_ ? end_ - from : 0;
  }
  // Its members one by one: an Event would have to be in memory for the call, and would be put there before the test.
  [[gnu::cold, gnu::noinline]] void record_elsewhere(Cycle cycle, std::uint32_t place,
                                                     EventKind kind, std::uint32_t a,
                                                     std::uint32_t b, std::uint64_t ident) {
    const Event e{cycle, place, kind, a, b, ident};
    if (is_ahead_) return ahead_[e.cycle > begin_ ? e.cycle - begin_ : 0]->count(e);
    count(e);
    forward(e);
  }
  void forward(const Event& e) const {
    for (Sink* sink : others_) sink->on_event(e);
  }

  // Mutable: who reads them collects what the parts have.
  mutable Digest digest_;
  mutable Counters counters_;
  Cycle end_ = kNever;
  std::vector<Sink*> others_;
  std::vector<std::unique_ptr<EventStream>> parts_;
  // While cycles are recorded in any order: a stream for each of them.
  std::vector<std::unique_ptr<EventStream>> ahead_;
  bool is_ahead_ = false;
  Cycle begin_ = 0;
  // Who counts the events of most cycles, without any other test.
  EventStream* present_ = this;
  Cycle plain_from_ = 0;
  Cycle plain_cycles_ = kNever;
};

inline void EventStream::begin_ahead(Cycle begin, unsigned cycles) {
  begin_ = begin;
  while (ahead_.size() < cycles)
    ahead_.push_back(std::unique_ptr<EventStream>(new EventStream(*this, counters_.beside())));
}

inline void EventStream::keep(Cycle end) {
  for (std::size_t i = 0; i < ahead_.size(); ++i) {
    if (begin_ + i < end) {
      digest_.add(ahead_[i]->digest_.value());
      counters_.collect(ahead_[i]->counters_);
    }
    ahead_[i]->clear();
  }
  is_ahead_ = false;
  aim(*this, 0);
}

/// From construction to destruction no other events of the stream may matter to its reader:
/// counters and digest are brought up at the end.
class EventStream::OfOneKind {
 public:
  /// `stream` may be nullptr.
  OfOneKind(EventStream* stream, Cycle cycle, EventKind kind)
      : stream_(stream != nullptr ? stream->present_ : nullptr), cycle_(cycle), kind_(kind),
        when_(Digest::when(cycle, kind)),
        together_(stream != nullptr && cycle < stream->end_ && !stream->is_traced() &&
                  !stream->counters_.has_tiles()) {}
  ~OfOneKind() {
    if (!together_) return;
    stream_->digest_.add(terms_);
    stream_->counters_.add(kind_, counts_, cycle_);
  }
  OfOneKind(const OfOneKind&) = delete;
  OfOneKind& operator=(const OfOneKind&) = delete;

  /// Where several events happen.
  struct Place {
    std::uint32_t place;
    std::uint64_t mixed;
  };
  Place at(std::uint32_t place) const { return {place, Digest::where(when_, place)}; }
  /// `a`, `b` and `ident` as in Event.
  [[gnu::always_inline]] void record(const Place& at, std::uint32_t a, std::uint32_t b,
                                     std::uint64_t ident = 0) {
    if (!together_) return record_alone({cycle_, at.place, kind_, a, b, ident});
    terms_ += Digest::term(at.mixed, a, b);
    ++counts_[Counters::class_in_kind(a)];
  }

 private:
  [[gnu::noinline]] void record_alone(const Event& e) const {
    if (stream_ != nullptr) stream_->record(e);
  }

  EventStream* const stream_;
  const Cycle cycle_;
  const EventKind kind_;
  const std::uint64_t when_;
  const bool together_;
  std::uint64_t terms_ = 0;
  Counters::OfKind counts_{};
};

}  // namespace tessera::observe
