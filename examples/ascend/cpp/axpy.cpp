// y = ALPHA * x + y, as kernels/axpy.pto: chunks of 2048 elements, the last one may be shorter. Without flags: run it with
// --auto-sync.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kChunk = 2048;
using Part = GlobalTensor<float, Shape<1, 1, 1, 1, DYNAMIC>, Stride<1, 1, 1, 1, 1>>;
using Vec = Tile<TileType::Vec, float, 1, kChunk, BLayout::RowMajor, 1, DYNAMIC>;

extern "C" __global__ AICORE void axpy(__gm__ float* x, __gm__ float* y, float ALPHA, int N) {
#ifdef __DAV_VEC__
  for (int64_t at = get_block_idx() * kChunk; at < N; at += get_block_num() * kChunk) {
    const int count = min(N - at, kChunk);
    Part px(x + at, {count}), py(y + at, {count});
    Vec xt(count), yt(count);
    TASSIGN(xt, 0);
    TASSIGN(yt, kChunk * 4);
    TLOAD(xt, px);
    TLOAD(yt, py);
    TMULS(xt, xt, ALPHA);
    TADD(yt, xt, yt);
    TSTORE(py, yt);
  }
#endif
}
