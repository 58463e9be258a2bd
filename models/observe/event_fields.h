// Takes the packed integers of an Event apart (event.h says per kind what `a` and `b` hold).
#pragma once

#include "models/observe/event.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::observe {

/// Thread number of the main thread in kIssue, kOpStart, kOpEnd and kCompute; 0..7 are
/// microthreads.
inline constexpr unsigned kMainThread = 8;
inline constexpr unsigned kThreadCount = 9;
/// Thread number in kCompute for a single step of the main thread, which is executed in the slot of
/// its kIssue.
inline constexpr unsigned kStepOfMain = 9;
/// Task id in kTaskStart and kTaskEnd that stands for a function launched by the host.
inline constexpr unsigned kLaunchedTask = 64;
/// The same for a command of the host that the PE takes between two tasks, such as a copy.
inline constexpr unsigned kHostAccess = 65;

/// What kHop, kEdgeIn and kEdgeOut carry in `a`.
inline unsigned color_of(const Event& e) {
  return e.a & 0xFF;
}
inline Direction direction_of(const Event& e) {
  const unsigned code = (e.a >> 8) & 0xFF;
  return code < kDirectionCount ? static_cast<Direction>(code) : Direction::kRamp;
}
inline bool control_of(const Event& e) {
  return ((e.a >> 16) & 1U) != 0;
}
inline bool half_of(const Event& e) {
  return ((e.a >> 17) & 1U) != 0;
}
inline bool local_flip_of(const Event& e) {
  return ((e.a >> 18) & 1U) != 0;
}

/// `a` of kHop, kEdgeIn and kEdgeOut for wavelet `w` at port `d`.
inline std::uint32_t hop_word(const link::Wavelet& w, Direction d) {
  const std::uint32_t flags = (w.control ? 1U : 0U) | (w.half ? 2U : 0U) | (w.local_flip ? 4U : 0U);
  return w.color.value() | index(d) << 8 | flags << 16;
}

/// What kQueueIn and kQueueOut carry in `a`.
inline unsigned queue_of(const Event& e) {
  return e.a & 0xFF;
}
inline unsigned queue_color_of(const Event& e) {
  return (e.a >> 8) & 0xFF;
}

/// What kIssue, kOpStart, kOpEnd and kCompute carry in `a`. thread_of() counts a single step as the
/// main thread's.
inline unsigned opcode_of(const Event& e) {
  return e.a & 0xFF;
}
inline unsigned thread_of(const Event& e) {
  const unsigned thread = (e.a >> 8) & 0xFF;
  return thread < kMainThread ? thread : kMainThread;
}

}  // namespace tessera::observe
