// y = a * b + 1 for tiles of 8 x 512 with two buffers, as kernels/double_buffer.pto: the event is computed.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kRows = 8, kColumns = 512;
using Part = GlobalTensor<float, Shape<1, 1, 1, kRows, kColumns>, Stride<1, 1, 1, kColumns, 1>>;
using Vec = Tile<TileType::Vec, float, kRows, kColumns>;

extern "C" __global__ AICORE void double_buffer(__gm__ float* a, __gm__ float* b, __gm__ float* y, int TILES) {
#ifdef __DAV_VEC__
  const int64_t first = get_block_idx() * TILES;
  for (int n = 0; n < 2; ++n) set_flag(PIPE_V, PIPE_MTE2, n);
  for (int n = 0; n < 2; ++n) set_flag(PIPE_MTE3, PIPE_V, n);
  for (int i = 0; i < TILES; ++i) {
    const int n = i % 2;
    const int64_t at = (first + i) * kRows * kColumns;
    Vec left, right, sum;
    TASSIGN(left, n * 16384);
    TASSIGN(right, 32768 + n * 16384);
    TASSIGN(sum, 65536 + n * 16384);
    wait_flag(PIPE_V, PIPE_MTE2, n);
    TLOAD(left, Part(a + at));
    TLOAD(right, Part(b + at));
    set_flag(PIPE_MTE2, PIPE_V, n);
    wait_flag(PIPE_MTE2, PIPE_V, n);
    wait_flag(PIPE_MTE3, PIPE_V, n);
    TMUL(sum, left, right);
    set_flag(PIPE_V, PIPE_MTE2, n);
    TADDS(sum, sum, 1.0f);
    set_flag(PIPE_V, PIPE_MTE3, n);
    wait_flag(PIPE_V, PIPE_MTE3, n);
    TSTORE(Part(y + at), sum);
    set_flag(PIPE_MTE3, PIPE_V, n);
  }
  for (int n = 0; n < 2; ++n) wait_flag(PIPE_V, PIPE_MTE2, n);
  for (int n = 0; n < 2; ++n) wait_flag(PIPE_MTE3, PIPE_V, n);
#endif
}
