// Parameters of a machine of AI-core clusters (reference ascend.md 0, 2, 4): the profile, what the
// documents leave open, and the numbers of the cost model. Cycles and bytes; no floating point.
//
// a2a3_config() and a5_config() are the calibration card of ascend.md 0. Where it says "open" or
// "guess" the field says so too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/cluster/program/program.h"
#include "models/cluster/program/vector_sequence.h"

namespace tessera::cluster {

/// What a sync operation that the documents leave undefined does.
enum class Undefined : std::uint8_t { kError, kIgnore };

struct SyncConfig {
  unsigned flag_latency = 3;  ///< set_flag fires to wait_flag goes on (4.5: guess, 2 to 4)
  unsigned sync_cycles = 1;   ///< cycles of a pipe for a sync operation (4.1)
  /// A set fires to a waiter goes on; at least 3, the way there and back. Nobody has published them.
  /// Modes 1 and 2: fitted to QuantGroupMatmul of ascend.md 5.4 on A2 (4.5 guesses 100 to 300); the
  /// other two are guesses of 4.5.
  unsigned cluster_latency = 850;  ///< modes 1 and 2
  unsigned all_latency = 1500;     ///< mode 0
  unsigned intra_latency = 40;     ///< mode 4
  unsigned counter_max = 15;  ///< largest value of a cross-core counter (2.6 rule 4; 1: rule 12)
  /// Beyond counter_max; kIgnore: the set is lost.
  Undefined counter_overflow = Undefined::kError;
  /// set_flag on a flag that is set; kIgnore: it stays set (2.2).
  Undefined double_set = Undefined::kError;
  /// Ids above 15 of modes 0 to 2; kIgnore: the low four bits count (2.6 rule 1).
  Undefined wide_id = Undefined::kError;
  /// The first cross-core flag before kSetFfts; kIgnore: it works (2.6 rule 10).
  Undefined missing_ffts = Undefined::kError;
  bool needs_ffts = true;         ///< the profile has an FFTS base address
  bool waits_stop_core = true;    ///< wait_flag_dev stops the scalar unit (A5: the named pipe)
  bool has_intra_block = false;   ///< mode 4
  bool has_buffer_locks = false;  ///< get_buf, rls_buf (2.4: open on A2/A3)
  /// 2.3: the vendor accepts all pipes but S; A5 tool-chains MTE2, MTE3 and ALL only (false).
  bool barrier_on_all_pipes = true;
  unsigned event_ids = 8;    ///< per pair of pipes (2.2)
  unsigned buffer_ids = 32;  ///< 2.4
};

/// Cost of a vector operation: repeats of 256 bytes, and a fixed part (4.1, 4.3).
struct VectorRate {
  unsigned percent;   ///< cycles per repeat, in 1/100
  unsigned overhead;  ///< cycles per instruction
  unsigned other =
      0;  ///< kSimple..kToBytes: percent of rows apart; kTranscendental..kRsqrt: of 16 bits; 0: the same
  unsigned row = 0;  ///< kColumn..kTranspose: cycles per row, burst or strip, in 1/100
};

/// Cost of a step of a sequence of vector instructions (ascend_2.md 3.1).
struct StepRate {
  unsigned percent;   ///< cycles per repeat, in 1/100
  unsigned overhead;  ///< cycles of an instruction that waits for the one before
};

/// What vector operations of all classes share (4.1, 4.3).
struct VectorConfig {
  unsigned reduce_chunk = 0;  ///< kReduce, kReduceExtreme: cycles per further repeat of a row
  unsigned reduce_tail =
      0;  ///< cycles for a last repeat that is not full; after others it takes one more per row
  /// A2/A3: cycles of an instruction whose repeats have a mask, or which counts its elements. 0: as on A5 rows need
  /// no repeats of their own.
  unsigned mask = 0;
  unsigned apart_row =
      0;                ///< A5: cycles per row that lies apart, beyond one for each repeat; 0: none
  bool fusion = false;  ///< A5: adjacent elementwise operations share a vector function
  unsigned fused_percent = 100;  ///< cycles per repeat of what continues a function, in 1/100
  /// Operations with a VectorForm take the time of their instructions; otherwise that of their rate class.
  bool sequences = true;
  /// A5: cycles of its start and of the drain of the one before that a vector function does not take when it starts
  /// as that one ends; a barrier between them takes the effect away.
  unsigned overlap = 0;
};

/// A path through one pipe of a core: bytes / rate cycles of the pipe, and `latency` more until the
/// data is there. `gap` cycles of the pipe per instruction come on top.
struct PathRate {
  unsigned bytes_per_cycle;
  unsigned latency;
  unsigned gap = 0;
};

/// GM/L2 as one kind of core sees it (4.4).
struct GmPath {
  PathRate read;
  PathRate write;
  unsigned interval;            ///< cycles between two copies of a pipe
  unsigned row_percent = 0;     ///< cycles per row at least, in 1/100
  unsigned row_overhead;        ///< bytes of GM bandwidth per row
  unsigned unaligned_overhead;  ///< more of these bytes for each row that is not aligned
  unsigned weight = 1000;       ///< bytes of GM bandwidth per 1000 bytes
  /// Where the program does not say it: the part of reads that L2 has and of writes that it takes, in
  /// 1/1000 of the bytes.
  unsigned read_l2_hit = 0;
  unsigned write_l2_hit = 0;
};

struct CostConfig {
  /// By DataType; 0: the profile has no such type.
  std::array<unsigned, kDataTypeCount> mac_per_cycle;
  unsigned mad_gap;    ///< cycles per MAD, back to back
  unsigned mad_depth;  ///< until the result is there
  PathRate load_a, load_b, load_table;
  PathRate l1_to_ub, ub_to_l1;    ///< bytes_per_cycle 0: the profile has no such path
  unsigned fix_narrow, fix_wide;  ///< elements of 16 bits and less, and of 32 bits, per cycle
  unsigned fix_latency;           ///< L0C to L1 or UB
  PathRate fix_out;               ///< L0C to GM
  std::array<VectorRate, kVectorClassCount> vector;  ///< by VectorClass
  std::array<StepRate, kVectorUnitCount> steps;      ///< by VectorUnit
  VectorConfig vectors;
  std::array<unsigned, 4> bank_conflict;  ///< by BankConflict, in 1/100 of a repeat
  GmPath aic, aiv;
  /// L1 has one port. Loads of MTE1 take so many percent longer that start while MTE2 writes L1 at the
  /// full rate of its path, and so many percent of the cycles in which they move bytes are lost to a
  /// copy of MTE2 that needs the port all the time (4.4, 5.2).
  unsigned l1_read_percent = 0;
  unsigned l1_write_percent = 0;
  unsigned gm_bytes_per_cycle;  ///< all cores together
  unsigned l2_bytes_per_cycle;
  unsigned l2_miss_latency = 0;      ///< cycles until what a read misses is in L2
  unsigned l2_bytes = 0;             ///< what L2 holds; 0: copies hit it as read_l2_hit says
  bool l2_warm = true;               ///< L2 begins as a launch before has left it (l2_directory.h)
  unsigned gm_write_back_bytes = 0;  ///< leave L2 behind the transfers that push them out, at most
  unsigned word_latency;             ///< cycles of a scalar access to GM (4.5: 80 to 560)
  unsigned link_latency = 370;       ///< more cycles to the memory of another device
  unsigned link_bytes_per_cycle = 10;  ///< of one copy from or to another device
};

/// The memory of the scalar unit (1.3, 2.9, 4.5). Its cache is fully associative and the line used least
/// recently leaves: nobody has published how it chooses.
struct ScalarConfig {
  unsigned cache_bytes = 32U << 10U;
  unsigned hit_cycles = 19;    ///< a load or store that hits the scalar cache; those of SIMT (4.5)
  unsigned miss_cycles = 550;  ///< a load or store whose line comes from GM
  /// An access to UB: two reads, an addition and a write of an element take 34 cycles (4.3).
  unsigned buffer_cycles = 11;
  /// dcci of one line, and from there until the line is in GM: together 150 to 300 ns.
  unsigned clean_cycles = 397;
  unsigned commit_cycles = 19;
  unsigned barrier_cycles = 19;  ///< dsb at least: 7 to 14 ns
  /// Where control registers lie, a window for each core by CoreId::index(): not published.
  std::uint64_t control_base = std::uint64_t{1} << 40U;
  std::uint64_t control_bytes = 64U << 10U;  ///< size of a window
};

struct CoreConfig {
  unsigned scalar_cycles = 1;  ///< per scalar instruction
  unsigned issue_cycles = 5;   ///< per instruction put into a queue (0, 4.4)
  /// Per basic block of native code between two instructions, beyond issue_cycles: assumed (pto_cpp.md 6.5).
  unsigned block_cycles = 2;
  /// Depth of the queues (1.2: 32 for MTE1 and M; the others are open).
  std::array<unsigned, sync::kPipeCount> queue_depth = {32, 32, 32, 32, 32, 32, 32, 32};
  /// Whether a set_flag takes an entry of its queue. How long FIX waits for its tile (5.2, unit flag)
  /// says it does not. Then a queue holds as many of them as it has entries, beside those.
  bool sets_take_room = false;
  unsigned l0c_blocks = 256;  ///< blocks of 512 B (1.3)
  ScalarConfig scalar;
  SyncConfig sync;
  CostConfig cost;
};

/// Which cores a kernel is launched on (1.1), as AIC : AIV of each cluster. With an AIC, and with one AIV,
/// a block is a cluster; with 0:2 it is an AIV.
enum class LaunchRatio : std::uint8_t { k1To0, k0To1, k1To1, k1To2, k0To2 };
constexpr unsigned aics_of(LaunchRatio ratio) {
  return ratio == LaunchRatio::k0To1 || ratio == LaunchRatio::k0To2 ? 0 : 1;
}
constexpr unsigned aivs_of(LaunchRatio ratio) {
  constexpr std::array<unsigned, 5> kAivs = {0, 1, 1, 2, 2};
  return kAivs[static_cast<unsigned>(ratio)];
}
constexpr const char* to_string(LaunchRatio ratio) {
  constexpr std::array<const char*, 5> kNames = {"1:0", "0:1", "1:1", "1:2", "0:2"};
  return kNames[static_cast<unsigned>(ratio)];
}

inline constexpr unsigned kMaxClusters = 36, kMaxDevices = 8;

struct Launch {
  unsigned clusters = 1;  ///< 1..kMaxClusters, of all devices together
  LaunchRatio ratio = LaunchRatio::k1To2;
  /// A MIX kernel: the scheduling module is active. Without it cross-core flags are lost (1.1).
  bool mix = true;
  /// Blocks of the kernel. Those beyond the resident ones start when others end, and so never take
  /// part in a synchronisation over all cores. 0: as many as are resident. Fewer leave AIVs of 0:2
  /// without a block.
  unsigned blocks = 0;
  /// Devices that the kernel starts on at the same time, each on as many clusters, one after the other. Each has GM, L2 and a
  /// sync unit of its own, and its blocks count from 0.
  unsigned devices = 1;

  unsigned clusters_of_device() const { return clusters / devices; }
  unsigned device_of(CoreId core) const { return core.cluster / clusters_of_device(); }
  bool has(CoreId core) const {
    if (core.cluster >= clusters) return false;
    if (core.is_aic()) return aics_of(ratio) > 0;
    return core.subblock() < aivs_of(ratio) &&
           (!is_block_an_aiv() || blocks == 0 || block_of(core) < blocks);
  }
  bool is_block_an_aiv() const { return ratio == LaunchRatio::k0To2; }
  /// The block that a core runs.
  unsigned block_of(CoreId core) const {
    const unsigned cluster = core.cluster % clusters_of_device();
    return is_block_an_aiv() ? 2 * cluster + core.subblock() : cluster;
  }
  /// How many blocks of a device run at the same time.
  unsigned resident_blocks() const {
    const unsigned room = is_block_an_aiv() ? 2 * clusters_of_device() : clusters_of_device();
    return is_block_an_aiv() && blocks > 0 && blocks < room ? blocks : room;
  }
  /// Places of cores, three a cluster, with those that the launch leaves empty.
  std::size_t places() const { return std::size_t{clusters} * 3; }
  unsigned block_count() const { return blocks > resident_blocks() ? blocks : resident_blocks(); }
};

struct ClusterConfig {
  Profile profile = Profile::kA2A3;
  std::uint64_t clock_khz = 1'850'000;  ///< 1.5
  CoreConfig core;

  /// Period of the clock in picoseconds, rounded to the nearest.
  std::uint64_t clock_period_ps() const { return (1'000'000'000 + clock_khz / 2) / clock_khz; }
};

/// Throws UserError for a value that no machine has: a rate or queue of 0, more events than a flag
/// has bits. Returns `config`.
const ClusterConfig& check_config(const ClusterConfig& config);
/// The same for a launch.
void check_launch(const Launch& launch);

/// 910B1 and A3 at 1850 MHz; with the numbers of other bins only the clock changes.
ClusterConfig a2a3_config();
/// 950PR at 1650 MHz.
ClusterConfig a5_config();

}  // namespace tessera::cluster
