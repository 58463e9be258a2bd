// y = x B with a vector x of K elements of f16, as kernels/gemv.pto: blocks of 128 columns. Run it with --auto-sync.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kN = 128, kK = 128;
using PartX = GlobalTensor<half, Shape<1, 1, 1, 1, kK>, Stride<1, 1, 1, kK, 1>>;
using PartB = GlobalTensor<half, Shape<1, 1, 1, kK, kN>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PartY = GlobalTensor<float, Shape<1, 1, 1, 1, kN>, Stride<1, 1, 1, kN, 1>>;
using MatX = Tile<TileType::Mat, half, 1, kK>;
using MatB = Tile<TileType::Mat, half, kK, kN, BLayout::ColMajor, kK, kN, SLayout::RowMajor>;

extern "C" __global__ AICORE void gemv(__gm__ half* x, __gm__ half* b, __gm__ float* y, int K, int N) {
#ifdef __DAV_CUBE__
  MatX xt;
  MatB bt;
  TileLeft<half, 1, kK> left;
  TileRight<half, kK, kN> right;
  TileAcc<float, 1, kN> acc;
  TASSIGN(xt, 0);
  TASSIGN(bt, 512);
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(acc, 0);
  for (int64_t n = get_block_idx() * kN; n < N; n += get_block_num() * kN) {
    for (int k = 0; k < K; k += kK) {
      TLOAD(xt, PartX(x + k));
      TLOAD(bt, PartB(b + k * N + n, {}, {N}));
      TMOV(left, xt);
      TMOV(right, bt);
      if (k == 0)
        TGEMV(acc, left, right);
      else
        TGEMV_ACC(acc, left, right);
    }
    TSTORE(PartY(y + n), acc);
  }
#endif
}
