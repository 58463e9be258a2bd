// Sum and maximum of each column, as kernels/column_stats.pto: stripes of 128 columns, 32 rows a tile. Run it with
// --auto-sync.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kRows = 32, kColumns = 128;
using Part = GlobalTensor<float, Shape<1, 1, 1, kRows, kColumns>, Stride<1, 1, 1, DYNAMIC, 1>>;
using Line = GlobalTensor<float, Shape<1, 1, 1, 1, kColumns>, Stride<1, 1, 1, kColumns, 1>>;
using Vec = Tile<TileType::Vec, float, kRows, kColumns>;
using Row = Tile<TileType::Vec, float, 1, kColumns>;

extern "C" __global__ AICORE void column_stats(__gm__ float* x, __gm__ float* total, __gm__ float* top, int ROWS, int COLS) {
#ifdef __DAV_VEC__
  Vec t;
  Row part, sum, most;
  TASSIGN(t, 0);
  TASSIGN(part, kRows * kColumns * 4);
  TASSIGN(sum, (kRows + 1) * kColumns * 4);
  TASSIGN(most, (kRows + 2) * kColumns * 4);
  for (int64_t stripe = get_block_idx(); stripe < COLS / kColumns; stripe += get_block_num()) {
    const int64_t column = stripe * kColumns;
    TEXPANDS(sum, 0.0f);
    TEXPANDS(most, -3.0e+38f);
    for (int64_t row = 0; row < ROWS; row += kRows) {
      TLOAD(t, Part(x + row * COLS + column, {}, {COLS}));
      TCOLSUM(part, t);
      TADD(sum, sum, part);
      TCOLMAX(part, t);
      TMAX(most, most, part);
    }
    TSTORE(Line(total + column), sum);
    TSTORE(Line(top + column), most);
  }
#endif
}
