// Payloads of the sync protocol (reference ascend.md 2.6, 2.7): what an AI core asks of the cluster
// sync unit, and the answer. Plain values, no heap, no SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>

namespace tessera::sync {

/// The pipes of an AI core, with the numbers of ascend.md 1.2. kAll selects all of them in a
/// barrier and is no pipe.
enum class Pipe : std::uint8_t { kS, kV, kMte1, kMte2, kMte3, kM, kAll, kFix };
inline constexpr unsigned kPipeCount = 8;
inline constexpr std::array<Pipe, 7> kPipes = {Pipe::kS,    Pipe::kV, Pipe::kMte1, Pipe::kMte2,
                                               Pipe::kMte3, Pipe::kM, Pipe::kFix};

constexpr unsigned index(Pipe pipe) {
  return static_cast<unsigned>(pipe);
}
constexpr const char* to_string(Pipe pipe) {
  constexpr std::array<const char*, kPipeCount> kNames = {"S",    "V", "MTE1", "MTE2",
                                                          "MTE3", "M", "ALL",  "FIX"};
  return kNames[index(pipe)];
}
inline std::ostream& operator<<(std::ostream& os, Pipe pipe) {
  return os << to_string(pipe);
}

/// A core of the machine: its cluster, and its unit there (0: AIC, 1: AIV0, 2: AIV1).
struct CoreId {
  std::uint16_t cluster = 0;
  std::uint16_t unit = 0;

  constexpr bool is_aic() const { return unit == 0; }
  /// For an AIV: its number in the cluster.
  constexpr unsigned subblock() const { return unit - 1U; }
  /// Place of the core in a machine: three a cluster.
  constexpr unsigned index() const { return cluster * 3U + unit; }
  /// The core with that index().
  static constexpr CoreId at(std::size_t index) {
    return {static_cast<std::uint16_t>(index / 3), static_cast<std::uint16_t>(index % 3)};
  }
  friend constexpr bool operator==(CoreId a, CoreId b) { return a.index() == b.index(); }
  friend constexpr bool operator!=(CoreId a, CoreId b) { return !(a == b); }
};

/// "AIV1 of cluster 3".
inline std::string to_string(CoreId core) {
  const std::string unit = core.is_aic() ? "AIC" : "AIV" + std::to_string(core.subblock());
  return unit + " of cluster " + std::to_string(core.cluster);
}
inline std::ostream& operator<<(std::ostream& os, CoreId core) {
  return os << to_string(core);
}

enum class Operation : std::uint8_t { kSet, kWait };

/// Modes of ascend.md 2.6. The counters of kIntraBlock are separate from those of the others, which
/// share theirs; a wait names kAll for the shared ones, whatever mode has set them.
enum class Mode : std::uint8_t { kAll = 0, kSubblocks = 1, kCluster = 2, kIntraBlock = 4 };

inline constexpr unsigned kFlagIds = 16;        ///< ids of modes 0 to 2
inline constexpr unsigned kIntraBlockIds = 32;  ///< ids of mode 4, on the AIC

struct Request {
  Operation operation = Operation::kSet;
  Mode mode = Mode::kAll;
  Pipe pipe = Pipe::kS;   ///< the pipe whose queue holds the operation
  std::uint8_t id = 0;    ///< 0..15, or 0..31 in mode 4, as the core writes it
  CoreId core;            ///< who asks
  std::uint32_t tag = 0;  ///< comes back in the answer; the instruction
};

inline std::ostream& operator<<(std::ostream& os, const Request& r) {
  os << (r.operation == Operation::kSet ? "set" : "wait") << " id " << unsigned{r.id};
  if (r.operation == Operation::kSet || r.mode == Mode::kIntraBlock)
    os << " mode " << static_cast<unsigned>(r.mode);
  return os << " on " << r.pipe << " of " << r.core;
}

/// kGranted: the wait is over. kWaits: its counter is zero; kGranted follows. kIllegal: nobody may
/// do that now; a set is answered only so.
enum class Verdict : std::uint8_t { kGranted, kWaits, kIllegal };

/// Why an operation is illegal.
enum class Reason : std::uint8_t { kNone, kOverflow, kUnreachable };

struct Answer {
  Verdict verdict = Verdict::kGranted;
  Reason reason = Reason::kNone;
  Request request;  ///< what is answered
};

inline std::ostream& operator<<(std::ostream& os, const Answer& a) {
  constexpr std::array<const char*, 3> kVerdicts = {"granted", "waits", "illegal"};
  return os << a.request << ": " << kVerdicts[static_cast<unsigned>(a.verdict)];
}

}  // namespace tessera::sync
