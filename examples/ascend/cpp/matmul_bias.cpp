// C = A B + bias in f32, as kernels/matmul_bias.pto: A has ROWS x 96 elements, B 96 x 64; the last tile may have fewer rows. Run
// it with --auto-sync.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kM = 32, kN = 64, kK = 32, kDepth = 96;
using PartA = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, kK>, Stride<1, 1, 1, kDepth, 1>>;
using PartB = GlobalTensor<float, Shape<1, 1, 1, kK, kN>, Stride<1, 1, 1, kN, 1>>;
using PartC = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, kN>, Stride<1, 1, 1, kN, 1>>;
using Line = GlobalTensor<float, Shape<1, 1, 1, 1, kN>, Stride<1, 1, 1, kN, 1>>;
using MatA = Tile<TileType::Mat, float, kM, kK, BLayout::ColMajor, DYNAMIC, kK, SLayout::RowMajor>;
using MatB = Tile<TileType::Mat, float, kK, kN, BLayout::ColMajor, kK, kN, SLayout::RowMajor>;
using MatBias = Tile<TileType::Mat, float, 1, kN>;
using Bias = Tile<TileType::Bias, float, 1, kN>;

extern "C" __global__ AICORE void matmul_bias(__gm__ float* a, __gm__ float* b, __gm__ float* bias, __gm__ float* c, int ROWS) {
#ifdef __DAV_CUBE__
  MatBias bias_mat;
  Bias table;
  TASSIGN(bias_mat, 0);
  TASSIGN(table, 0);
  TLOAD(bias_mat, Line(bias));
  TMOV(table, bias_mat);
  for (int64_t row = get_block_idx() * kM; row < ROWS; row += get_block_num() * kM) {
    const int count = min(ROWS - row, kM);
    TileAccCompact<float, kM, kN, DYNAMIC, kN> acc(count);  // boxes as the rows of the product need them
    TASSIGN(acc, 0);
    for (int k = 0; k < kDepth; k += kK) {
      MatA at(count);
      MatB bt;
      TileLeft<float, kM, kK, DYNAMIC, kK> left(count);
      TileRight<float, kK, kN> right;
      TASSIGN(at, 512);
      TASSIGN(bt, 512 + kM * kK * 4);
      TASSIGN(left, 0);
      TASSIGN(right, 0);
      TLOAD(at, PartA(a + row * kDepth + k, {count}));
      TLOAD(bt, PartB(b + k * kN));
      TMOV(left, at);
      TMOV(right, bt);
      if (k == 0)
        TMATMUL_BIAS(acc, left, right, table);
      else
        TMATMUL_ACC(acc, left, right);
    }
    TSTORE(PartC(c + row * kN, {count}), acc);
  }
#endif
}
