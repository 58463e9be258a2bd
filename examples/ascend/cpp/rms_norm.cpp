// RMS norm of 16 rows a block, as kernels/rms_norm.pto: x and y of bf16, gamma of f32, HIDDEN columns in chunks of 128; EACH is
// 1 / HIDDEN. A column of 16 values is also a row of the same bytes. Run it with --auto-sync.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kRows = 16, kColumns = 128, kElements = kRows * kColumns;
using Part = GlobalTensor<bfloat16_t, Shape<1, 1, 1, kRows, kColumns>, Stride<1, 1, 1, DYNAMIC, 1>>;
using Line = GlobalTensor<float, Shape<1, 1, 1, 1, kColumns>, Stride<1, 1, 1, kColumns, 1>>;
using Brain = Tile<TileType::Vec, bfloat16_t, kRows, kColumns>;
using Full = Tile<TileType::Vec, float, kRows, kColumns>;
using Gamma = Tile<TileType::Vec, float, 1, kColumns>;
using Column = Tile<TileType::Vec, float, kRows, 1, BLayout::ColMajor>;
using Row = Tile<TileType::Vec, float, 1, kRows>;

extern "C" __global__ AICORE void rms_norm(__gm__ bfloat16_t* x, __gm__ float* gamma, __gm__ bfloat16_t* y, int HIDDEN, float EACH) {
#ifdef __DAV_VEC__
  Brain xb, yb;
  Full xf, square, tmp;
  Gamma g;
  Column part, mean;
  Row part_row, mean_row;
  TASSIGN(xb, 0);
  TASSIGN(yb, 2 * kElements);
  TASSIGN(xf, 4 * kElements);
  TASSIGN(square, 8 * kElements);
  TASSIGN(tmp, 12 * kElements);
  TASSIGN(g, 16 * kElements);
  TASSIGN(part, 16 * kElements + kColumns * 4);
  TASSIGN(mean, 16 * kElements + kColumns * 4 + 64);
  TRESHAPE(part_row, part);
  TRESHAPE(mean_row, mean);
  TEXPANDS(mean_row, 0.0f);
  const int64_t first = get_block_idx() * kRows * HIDDEN;
  for (int at = 0; at < HIDDEN; at += kColumns) {
    TLOAD(xb, Part(x + first + at, {}, {HIDDEN}));
    TCVT(xf, xb, RoundMode::CAST_ROUND);
    TMUL(square, xf, xf);
    TROWSUM(part, square, tmp);
    TADD(mean_row, mean_row, part_row);
  }
  TMULS(mean_row, mean_row, EACH);
  TADDS(mean_row, mean_row, 1.0e-06f);
  TRSQRT(mean_row, mean_row);
  for (int at = 0; at < HIDDEN; at += kColumns) {
    TLOAD(xb, Part(x + first + at, {}, {HIDDEN}));
    TLOAD(g, Line(gamma + at));
    TCVT(xf, xb, RoundMode::CAST_ROUND);
    TROWEXPANDMUL(xf, xf, mean);
    TCOLEXPANDMUL(xf, xf, g);
    TCVT(yb, xf, RoundMode::CAST_RINT);
    TSTORE(Part(y + first + at, {}, {HIDDEN}), yb);
  }
#endif
}
