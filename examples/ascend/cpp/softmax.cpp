// Softmax of each row of x, as kernels/softmax.pto: at most 1024 columns, eight rows a tile. Run it with --auto-sync.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kRows = 8, kMost = 1024;
using Part = GlobalTensor<float, Shape<1, 1, 1, kRows, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using Vec = Tile<TileType::Vec, float, kRows, kMost, BLayout::RowMajor, kRows, DYNAMIC>;
using Column = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor>;

extern "C" __global__ AICORE void softmax(__gm__ float* x, __gm__ float* y, int ROWS, int COLS) {
#ifdef __DAV_VEC__
  Vec t(COLS), tmp(COLS);
  Column top, sum;
  TASSIGN(t, 0);
  TASSIGN(tmp, kRows * kMost * 4);
  TASSIGN(top, 2 * kRows * kMost * 4);
  TASSIGN(sum, 2 * kRows * kMost * 4 + 32);
  for (int64_t i = get_block_idx(); i < ROWS / kRows; i += get_block_num()) {
    Part from(x + i * kRows * COLS, {COLS}, {COLS}), to(y + i * kRows * COLS, {COLS}, {COLS});
    TLOAD(t, from);
    TROWMAX(top, t, tmp);
    TROWEXPANDSUB(t, t, top);
    TEXP(t, t);
    TROWSUM(sum, t, tmp);
    TROWEXPANDDIV(t, t, sum);
    TSTORE(to, t);
  }
#endif
}
