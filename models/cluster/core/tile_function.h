// How long an operation on tiles takes on A5, where the library of PTO makes it one vector function (reference
// ascend_2.md 3.3 to 3.6, 4.6): the loops of the library, run through the pipeline of the vector unit.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "models/cluster/program/program.h"
#include "models/cluster/program/vector_sequence.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

/// Times of functions, by their form and shape. Functions of many rows are run with some of them and continued in the
/// same step.
class TileFunctions {
 public:
  /// Cycles of the function; 0: the form is none of A5, or nothing is to be done, and the rate class of the operation
  /// says its time. `kind` says which unit combines two registers.
  Cycle cycles(VectorForm form, VectorClass kind, const VectorShape& shape);

 private:
  using Key = std::tuple<VectorForm, VectorClass, std::uint64_t, std::uint64_t, unsigned>;
  std::map<Key, Cycle> known_;
};

}  // namespace tessera::cluster
