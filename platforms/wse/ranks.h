// Several processes that share one wafer, started by mpirun (docs/running.md#ranks).
#pragma once

#include <memory>

#include "models/wafer/plan/plan.h"
#include "models/wafer/sharing/packet.h"

namespace tessera::wse {

class Ranks {
 public:
  virtual ~Ranks() = default;
  /// Number of this process, from 0. Process 0 has the host and writes all results.
  virtual unsigned number() const = 0;
  virtual unsigned count() const = 0;
  virtual wafer::Channel& channel_to(unsigned rank) = 0;
};

/// The processes that mpirun has started; nullptr: this one is alone. Needs libtessera_mpi.so, which is
/// only loaded here. Throws UserError when it is not there.
std::unique_ptr<Ranks> start_ranks();

/// The same for a process that another program starts for each of its runs, where MPI can begin only once: the first of
/// these processes makes the file that the variable TESSERA_RANKS names, and has the others of mpirun; for those that
/// find the file, without the variable and where it is 0, the answer is nullptr.
std::unique_ptr<Ranks> start_ranks_once();
/// Whether that file is there.
bool were_ranks_started();

/// Has the tiles of process `ranks.number()` for process 0, until that has ended.
void serve_tiles(Ranks& ranks, const wafer::Plan& plan);

/// What libtessera_mpi.so offers under the name kStartRanks. `must_stop`: whether a signal has asked
/// the process to end.
using StartRanks = Ranks* (*)(bool (*must_stop)());
inline constexpr const char* kStartRanks = "tessera_start_ranks";

}  // namespace tessera::wse
