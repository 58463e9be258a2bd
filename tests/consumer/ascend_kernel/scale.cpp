#include <pto/pto-inst.hpp>

#include "factor.h"

using namespace pto;

/// y = (x + 1) * FACTOR, on one vector core.
extern "C" __global__ AICORE void scale(__gm__ float* x, __gm__ float* y) {
  using Row = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<64, 64, 64, 64, 1>>;
  Tile<TileType::Vec, float, 1, 64> t;
  TASSIGN(t, 0);
  TLOAD(t, Row(x));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(t, t, static_cast<float>(ADDEND - 2));
  pipe_barrier(PIPE_V);
  TMULS(t, t, static_cast<float>(FACTOR));
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Row(y), t);
}
extern "C" __global__ AICORE void other(__gm__ float*) {}
