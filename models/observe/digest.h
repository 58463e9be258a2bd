// Digest of the event stream: the golden value of timing tests (docs/architecture.md#events).
#pragma once

#include <cstdint>
#include <string>

#include "models/observe/event.h"

namespace tessera::observe {

/// Wrapping sum of a 64-bit mix of every event, but for the serial number of its wavelet. Addition
/// commutes, so neither the order of events inside a cycle nor the structure the machine was built
/// in matters, while one event more, fewer or elsewhere changes the value.
class Digest final : public Sink {
 public:
  void record(const Event& e) { sum_ += term(e); }
  /// What `e` adds to the digest.
  static std::uint64_t term(const Event& e) {
    return term(where(e.cycle, e.place, e.kind), e.a, e.b);
  }
  /// The same in two parts, for several events of a kind at one place in one cycle.
  static std::uint64_t where(Cycle cycle, std::uint32_t place, EventKind kind) {
    return where(when(cycle, kind), place);
  }
  /// The first part of these in two, for events of a kind at several places in one cycle.
  static std::uint64_t when(Cycle cycle, EventKind kind) {
    return cycle * kGolden + (static_cast<std::uint64_t>(kind) << 32);
  }
  static std::uint64_t where(std::uint64_t when, std::uint32_t place) { return mix(when + place); }
  static std::uint64_t term(std::uint64_t where, std::uint32_t a, std::uint32_t b) {
    return mix(where ^ (a | static_cast<std::uint64_t>(b) << 32));
  }
  /// The sum of the terms of several events.
  void add(std::uint64_t terms) { sum_ += terms; }
  void on_event(const Event& e) override { record(e); }
  std::uint64_t value() const { return sum_; }
  /// 16 lower-case hex digits; all zeros when there was no event.
  std::string hex() const {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text(16, '0');
    for (unsigned i = 0; i < 16; ++i) text[i] = kDigits[(sum_ >> (60 - 4 * i)) & 0xF];
    return text;
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  /// The finaliser of splitmix64: a bijection in which every input bit reaches every output bit.
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }
  std::uint64_t sum_ = 0;
};

}  // namespace tessera::observe
