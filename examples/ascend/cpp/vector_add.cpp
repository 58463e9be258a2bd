// c = a + b with two buffers, as vector_add.pto: while the vector unit adds one tile, MTE2 loads the next and MTE3 stores
// the one before (reference ascend.md 3.1). Every AIV takes `tiles` tiles of 16 x 512, two a round.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kRows = 16, kColumns = 512, kBytes = kRows * kColumns * 4;
using Part = GlobalTensor<float, Shape<1, 1, 1, kRows, kColumns>, Stride<1, 1, 1, kColumns, 1>>;
using Vec = Tile<TileType::Vec, float, kRows, kColumns>;

extern "C" __global__ AICORE void vector_add(__gm__ float* a, __gm__ float* b, __gm__ float* c, int tiles) {
#ifdef __DAV_VEC__
  const int64_t first = get_block_idx() * tiles;
  Vec left[2], right[2], sum[2];
  for (int n = 0; n < 2; ++n) {
    TASSIGN(left[n], n * kBytes);
    TASSIGN(right[n], (2 + n) * kBytes);
    TASSIGN(sum[n], (4 + n) * kBytes);
    set_flag(PIPE_V, PIPE_MTE2, n);
  }
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
  for (int i = 0; i < tiles; i += 2) {
    const auto part = [&](float* array, int n) { return Part(array + (first + i + n) * kRows * kColumns); };
    for (int n = 0; n < 2; ++n) {
      wait_flag(PIPE_V, PIPE_MTE2, n);
      TLOAD(left[n], part(a, n));
      TLOAD(right[n], part(b, n));
      set_flag(PIPE_MTE2, PIPE_V, n);
    }
    for (int n = 0; n < 2; ++n) {
      wait_flag(PIPE_MTE2, PIPE_V, n);
      wait_flag(PIPE_MTE3, PIPE_V, n);
      TADD(sum[n], left[n], right[n]);
      set_flag(PIPE_V, PIPE_MTE2, n);
      set_flag(PIPE_V, PIPE_MTE3, n);
      wait_flag(PIPE_V, PIPE_MTE3, n);
      TSTORE(part(c, n), sum[n]);
      set_flag(PIPE_MTE3, PIPE_V, n);
    }
  }
  for (int n = 0; n < 2; ++n) {
    wait_flag(PIPE_V, PIPE_MTE2, n);
    wait_flag(PIPE_MTE3, PIPE_V, n);
  }
#endif
}
