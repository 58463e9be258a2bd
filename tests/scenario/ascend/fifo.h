// TPUSH and TPOP as sequences of set and wait (reference ascend.md 3.3, 3.5), for scenarios: a ring of
// slots in GM between the AIC and the AIVs of a cluster. A slot is a number per AIV, whatever time its
// tile takes.
#pragma once

#include <cstdint>

#include "tests/models/cluster/operations.h"

namespace tessera::cluster::bench {

struct Fifo {
  Profile profile = Profile::kA2A3;
  bool to_aiv = true;        ///< C to V; else V to C
  bool split = true;         ///< both AIVs carry data; A5 without split: AIV0 only
  unsigned flag = 0;         ///< ready; flag + 1: free
  unsigned slots = 2;        ///< SlotNum
  std::int64_t ring = 1000;  ///< number of slot 0

  unsigned period() const { return slots <= 2 ? slots : slots / 2; }
  bool is_a5() const { return profile == Profile::kA5; }
  /// Number of tile `i` for an AIV.
  std::int64_t slot(unsigned i, unsigned subblock) const {
    return ring + 2 * (i % slots) + subblock;
  }
  /// Credits that the producer has at first. A5: the consumer sends them beforehand. A2/A3: the
  /// producer does not ask for them.
  unsigned credits() const { return slots / period(); }

  void set(Kernel& k, bool on_aic, Pipe pipe, unsigned id) const {
    if (!is_a5()) {
      k.set_cross(pipe, 2, id);
      return;
    }
    k.set_intra(pipe, id);
    if (on_aic && split) k.set_intra(pipe, id + 16);
  }
  void wait(Kernel& k, bool on_aic, Pipe pipe, unsigned id) const {
    if (!is_a5()) {
      k.wait_dev(id);
      return;
    }
    k.wait_intra(pipe, id);
    if (on_aic && split) k.wait_intra(pipe, id + 16);
  }
  Pipe writer() const { return to_aiv ? Pipe::kFix : Pipe::kMte3; }

  // The producer is the AIC of a C to V pipe and both AIVs of a V to C pipe.
  void allocate(Kernel& k, unsigned i) const {
    const bool asks = is_a5() || i >= slots;
    if (asks && i % period() == 0) wait(k, to_aiv, writer(), flag + 1);
  }
  void push(Kernel& k) const { set(k, to_aiv, writer(), flag); }
  /// Takes the credits back that are left after `tiles` pushes, so that all counters are 0.
  void close_producer(Kernel& k, unsigned tiles) const {
    unsigned frees = tiles / period() + (is_a5() ? credits() : 0);
    for (unsigned i = 0; i < tiles; ++i)
      if ((is_a5() || i >= slots) && i % period() == 0) --frees;
    while (frees-- > 0) wait(k, to_aiv, writer(), flag + 1);
  }

  void open_consumer(Kernel& k) const {
    if (!is_a5()) return;
    for (unsigned i = 0; i < credits(); ++i) set(k, !to_aiv, Pipe::kMte2, flag + 1);
  }
  void wait_pop(Kernel& k) const { wait(k, !to_aiv, Pipe::kMte2, flag); }
  void free(Kernel& k, unsigned i) const {
    if ((i + 1) % period() == 0) set(k, !to_aiv, Pipe::kMte2, flag + 1);
  }
};

/// Numbers in which consumers keep what they have popped: tile i of an AIV, or of the AIC's share.
inline std::int64_t popped(std::int64_t base, unsigned i, unsigned subblock) {
  return base + 2 * i + subblock;
}

/// AIC: pushes `tiles` tiles with the values first + i, `cycles` of work each.
inline void append_cube_pushes(Kernel& k, const Fifo& f, unsigned tiles, unsigned cycles,
                               std::int64_t first) {
  for (unsigned i = 0; i < tiles; ++i) {
    attach(k, k.busy(Pipe::kFix, cycles), fill(tile(Location::kL0c, 0), first + i));
    k.barrier(Pipe::kFix);
    f.allocate(k, i);
    for (unsigned half = 0; half < (f.split ? 2 : 1); ++half)
      attach(k, k.fix_out(DataType::kF32, 16, 64),
             copy(tile(Location::kL0c, 0), number(f.slot(i, half))));
    f.push(k);
  }
  f.close_producer(k, tiles);
}

/// AIV: pops as many, with `cycles` of work each, and keeps them at `base`.
inline void append_vector_pops(Kernel& k, const Fifo& f, unsigned subblock, unsigned tiles,
                               unsigned cycles, std::int64_t base) {
  f.open_consumer(k);
  for (unsigned i = 0; i < tiles; ++i) {
    f.wait_pop(k);
    const unsigned half = f.split ? subblock : 0;
    const TileOperand in = tile(Location::kUb, 0);
    attach(k, k.copy_in(16, 256), copy(number(f.slot(i, half)), in));
    f.free(k, i);
    k.barrier(Pipe::kAll);
    k.busy(Pipe::kV, cycles);
    attach(k, k.copy_out(16, 256), copy(in, number(popped(base, i, subblock))));
    k.barrier(Pipe::kAll);
  }
}

/// AIV: pushes its halves, values first + 100 * subblock + i.
inline void append_vector_pushes(Kernel& k, const Fifo& f, unsigned subblock, unsigned tiles,
                                 unsigned cycles, std::int64_t first) {
  for (unsigned i = 0; i < tiles; ++i) {
    const TileOperand out = tile(Location::kUb, 1);
    k.barrier(Pipe::kAll);  // the copy before has read the tile
    attach(k, k.busy(Pipe::kV, cycles), fill(out, first + 100 * subblock + i));
    k.barrier(Pipe::kAll);
    f.allocate(k, i);
    attach(k, k.copy_out(16, 256), copy(out, number(f.slot(i, subblock))));
    f.push(k);
  }
  f.close_producer(k, tiles);
}

/// AIC: pops both halves into one tile of L1, which M takes to L0C, and keeps them.
inline void append_cube_pops(Kernel& k, const Fifo& f, unsigned tiles, unsigned cycles,
                             std::int64_t base) {
  const TileOperand in = tile(Location::kL1, 0, 2), out = tile(Location::kL0c, 0, 2);
  f.open_consumer(k);
  for (unsigned i = 0; i < tiles; ++i) {
    f.wait_pop(k);
    for (unsigned half = 0; half < 2; ++half)
      attach(k, k.copy_in(16, 256), copy(number(f.slot(i, half)), part(in, half)));
    f.free(k, i);
    k.barrier(Pipe::kAll);
    attach(k, k.busy(Pipe::kM, cycles), copy(in, out));
    k.barrier(Pipe::kAll);
    for (unsigned half = 0; half < 2; ++half)
      attach(k, k.fix_out(DataType::kF32, 16, 64),
             copy(part(out, half), number(popped(base, i, half))));
    k.barrier(Pipe::kAll);
  }
}

}  // namespace tessera::cluster::bench
