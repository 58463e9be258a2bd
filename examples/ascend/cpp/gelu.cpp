// The GELU of ROWS x 512 elements of f16, computed in f32, as kernels/gelu.pto. Run it with --auto-sync.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kRows = 16, kColumns = 512, kElements = kRows * kColumns;
using Part = GlobalTensor<half, Shape<1, 1, 1, kRows, kColumns>, Stride<1, 1, 1, kColumns, 1>>;
using Half = Tile<TileType::Vec, half, kRows, kColumns>;
using Full = Tile<TileType::Vec, float, kRows, kColumns>;

extern "C" __global__ AICORE void gelu(__gm__ half* x, __gm__ half* y, int ROWS) {
#ifdef __DAV_VEC__
  Half xh, yh;
  Full xf, u;
  TASSIGN(xh, 0);
  TASSIGN(yh, 2 * kElements);
  TASSIGN(xf, 4 * kElements);
  TASSIGN(u, 8 * kElements);
  for (int64_t i = get_block_idx(); i < ROWS / kRows; i += get_block_num()) {
    TLOAD(xh, Part(x + i * kElements));
    TCVT(xf, xh, RoundMode::CAST_NONE);
    TMUL(u, xf, xf);
    TMUL(u, u, xf);
    TMULS(u, u, 4.471500e-02f);
    TADD(u, u, xf);
    TMULS(u, u, -1.5957691216057308f);
    TEXP(u, u);
    TADDS(u, u, 1.0f);
    TDIV(u, xf, u);
    TCVT(yh, u, RoundMode::CAST_RINT);
    TSTORE(Part(y + i * kElements), yh);
  }
#endif
}
