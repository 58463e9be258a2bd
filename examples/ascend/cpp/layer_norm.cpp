// Layer normalisation of rows of 256 elements, as kernels/layer_norm.pto. Run it with --auto-sync.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kRows = 8, kColumns = 256, kBytes = kRows * kColumns * 4;
using Part = GlobalTensor<float, Shape<1, 1, 1, kRows, kColumns>, Stride<1, 1, 1, kColumns, 1>>;
using Line = GlobalTensor<float, Shape<1, 1, 1, 1, kColumns>, Stride<1, 1, 1, kColumns, 1>>;
using Vec = Tile<TileType::Vec, float, kRows, kColumns>;
using Row = Tile<TileType::Vec, float, 1, kColumns>;
using Column = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor>;

extern "C" __global__ AICORE void layer_norm(__gm__ float* x, __gm__ float* gamma, __gm__ float* beta, __gm__ float* y, int ROWS) {
#ifdef __DAV_VEC__
  Vec t, d, tmp;
  Row g, b;
  Column mean, variance;
  TASSIGN(t, 0);
  TASSIGN(d, kBytes);
  TASSIGN(tmp, 2 * kBytes);
  TASSIGN(g, 3 * kBytes);
  TASSIGN(b, 3 * kBytes + kColumns * 4);
  TASSIGN(mean, 3 * kBytes + kColumns * 8);
  TASSIGN(variance, 3 * kBytes + kColumns * 8 + 32);
  TLOAD(g, Line(gamma));
  TLOAD(b, Line(beta));
  for (int64_t i = get_block_idx(); i < ROWS / kRows; i += get_block_num()) {
    TLOAD(t, Part(x + i * kRows * kColumns));
    TROWSUM(mean, t, tmp);
    TMULS(mean, mean, 1.0f / kColumns);
    TROWEXPANDSUB(d, t, mean);
    TMUL(t, d, d);
    TROWSUM(variance, t, tmp);
    TMULS(variance, variance, 1.0f / kColumns);
    TADDS(variance, variance, 1.0e-05f);
    TSQRT(variance, variance);
    TROWEXPANDDIV(d, d, variance);
    TCOLEXPANDMUL(d, d, g);
    TCOLEXPANDADD(d, d, b);
    TSTORE(Part(y + i * kRows * kColumns), d);
  }
#endif
}
