// Kernels on TileLang's header of PTO templates, as its generator writes them: addresses of buffers are numbers, each operation is a call of a template with sizes,
// and flags order the pipes. Ours; the header (src/tl_templates/pto/common.h of tile-ai/tilelang-ascend) is included from a checkout.
#include "common.h"

using namespace tl::ascend_pto;

#if defined(__DAV_C220_VEC__) || defined(__DAV_C310_VEC__)
#define VECTOR_CORE 1
#endif
#if defined(__DAV_C220_CUBE__) || defined(__DAV_C310_CUBE__)
#define CUBE_CORE 1
#endif

template <int Rows, int Columns>
using Part = pto::Shape<1, 1, 1, Rows, Columns>;
template <int Pitch>
using Rows = pto::Stride<1, 1, 1, Pitch, 1>;

template <pipe_t From, pipe_t To>
AICORE inline void then(int id = 0) {
  set_flag_pipeline<From, To>(id);
  wait_flag_pipeline<From, To>(id);
}
template <class T, int R, int C>
AICORE inline void load(__gm__ T* from, int address, int rows = R, int columns = C) {
  copy_gm_to_ub_dynamic<T, T, 1, 1, 1, R, C, 1, 1, 1, C, 1, R, C, pto::PadValue::Zero>(from, Part<R, C>(), Rows<C>(), address, 0, rows, columns);
}
template <class T, int R, int C>
AICORE inline void store(__gm__ T* to, int address, int rows = R, int columns = C) {
  copy_ub_to_gm_dynamic<T, T, 1, 1, 1, R, C, 1, 1, 1, C, 1, R, C>(to, Part<R, C>(), Rows<C>(), address, 0, rows, columns);
}

extern "C" __global__ AICORE void add(__gm__ half* a, __gm__ half* b, __gm__ half* c) {
#ifdef VECTOR_CORE
  set_mask_norm();
  set_vector_mask(-1, -1);
  const int at = static_cast<int>(get_block_idx()) * 2 + static_cast<int>(get_subblockid());
  load<half, 8, 256>(a + at * 2048, 0);
  load<half, 8, 256>(b + at * 2048, 4096);
  then<PIPE_MTE2, PIPE_V>();
  for (int row = 0; row < 8; ++row) binary_tile<BinaryOp::TADD, half, 256>(8192, 0, 4096, row * 256, row * 256, row * 256, 2);
  then<PIPE_V, PIPE_MTE3>();
  store<half, 8, 256>(c + at * 2048, 8192);
#endif
}

// A tail: 5 of 8 rows and 40 of 64 columns are there, the rest is filled with zeros.
extern "C" __global__ AICORE void tail(__gm__ float* a, __gm__ float* c) {
#ifdef VECTOR_CORE
  load<float, 8, 64>(a, 0, 5, 40);
  then<PIPE_MTE2, PIPE_V>();
  for (int row = 0; row < 8; ++row) {
    unary_tile<UnaryOp::TRELU, float, 64>(0, 0, row * 64, row * 64, 4);
    TL_PIPE_V_BARRIER();
    binarys_tile<BinaryOps::TADDS, float, 64, 64>(2048, 0, row * 64, row * 64, 4, 1.0f);
  }
  then<PIPE_V, PIPE_MTE3>();
  store<float, 8, 64>(c, 2048);
#endif
}

template <bool TransposeB>
AICORE inline void product(__gm__ half* a, __gm__ half* b, __gm__ float* c) {
#ifdef CUBE_CORE
  constexpr int M = 64, K = 256, N = 96;
  constexpr int R = TransposeB ? N : K, C = TransposeB ? K : N;
  copy_gm_to_l1_dynamic<half, half, 1, 1, 1, M, K, 1, 1, 1, K, 1, M, K>(a, Part<M, K>(), Rows<K>(), 0, 0);
  copy_gm_to_l1_dynamic<half, half, 1, 1, 1, R, C, 1, 1, 1, C, 1, R, C>(b, Part<R, C>(), Rows<C>(), 65536, 0);
  TileMatL1<half, M, K> left;
  TileMatL1<half, R, C> right;
  pto::TileAcc<float, M, N, M, N> sum;
  pto::TASSIGN(left, 0);
  pto::TASSIGN(right, 65536);
  pto::TASSIGN(sum, 0);
  gemm_v0<half, float, M, N, K, M, N, K, 128, false, TransposeB>(left, right, sum, true);
  copy_l0c_to_gm_dynamic<float, float, 1, 1, 1, M, N, 1, 1, 1, N, 1, M, N>(c, Part<M, N>(), Rows<N>(), 0, 0);
#endif
}
extern "C" __global__ AICORE void gemm(__gm__ half* a, __gm__ half* b, __gm__ float* c) { product<false>(a, b, c); }
extern "C" __global__ AICORE void gemm_transposed(__gm__ half* a, __gm__ half* b, __gm__ float* c) { product<true>(a, b, c); }

extern "C" __global__ AICORE void sort(__gm__ float* a, __gm__ float* c) {
#ifdef VECTOR_CORE
  constexpr int N = 128, Count = 100;
  load<float, 1, N>(a, 0);
  then<PIPE_MTE2, PIPE_V>();
  then<PIPE_V, PIPE_S>();
  Sort<float, N, Count>(1024, 0, 8192);
  then<PIPE_V, PIPE_MTE3>();
  store<float, 1, 2 * N>(c, 1024);
#endif
}

extern "C" __global__ AICORE void top(__gm__ half* a, __gm__ half* c) {
#ifdef VECTOR_CORE
  constexpr int N = 256, K = 16;
  load<half, 1, N>(a, 0);
  then<PIPE_MTE2, PIPE_V>();
  then<PIPE_V, PIPE_S>();
  SortDynamic<half, N, K>(1024, 0, 8192, 200);
  then<PIPE_V, PIPE_MTE3>();
  store<half, 1, 2 * K>(c, 1024);
#endif
}

extern "C" __global__ AICORE void softmax(__gm__ float* a, __gm__ float* c) {
#ifdef VECTOR_CORE
  constexpr int R = 16, C = 128;
  TileUbDataND<float, R, C, R, C> x, y, scratch;
  TileUbDataDN<float, R, 1, R, 1> most;
  TileUbDataND<float, 1, R, 1, R> row;
  pto::TASSIGN(x, 0);
  pto::TASSIGN(y, 8192);
  pto::TASSIGN(scratch, 16384);
  pto::TASSIGN(most, 24576);
  pto::TASSIGN(row, 24576);
  load<float, R, C>(a, 0);
  then<PIPE_MTE2, PIPE_V>();
  pto::TROWMAX(most, x, scratch);
  TL_PIPE_V_BARRIER();
  TROWEXPANDSUB_row_vec<float, R, C, R>(x, x, row, 24576, 0, scratch);
  TL_PIPE_V_BARRIER();
  pto::TEXP(x, x);
  TL_PIPE_V_BARRIER();
  pto::TROWSUM(most, x, scratch);
  TL_PIPE_V_BARRIER();
  TROWEXPANDDIV_row_vec<float, R, C, R>(y, x, row, 24576, 0, scratch);
  then<PIPE_V, PIPE_MTE3>();
  store<float, R, C>(c, 8192);
#endif
}

extern "C" __global__ AICORE void silu(__gm__ float* a, __gm__ float* c) {
#ifdef VECTOR_CORE
  TileUbDataND<float, 16, 64, 16, 64> x, y, kept;
  pto::TASSIGN(x, 0);
  pto::TASSIGN(y, 4096);
  pto::TASSIGN(kept, 8192);
  load<float, 16, 64>(a, 0);
  then<PIPE_MTE2, PIPE_V>();
  TSILU(y, x, kept);
  TL_PIPE_V_BARRIER();
  axpy(y, kept, 0.5f);
  then<PIPE_V, PIPE_MTE3>();
  store<float, 16, 64>(c, 4096);
#endif
}

// Both lanes of every block add to one tile; comparison and selection by a mask, a fill by the scalar unit, a sequence.
extern "C" __global__ AICORE void count(__gm__ float* a, __gm__ float* c) {
#ifdef VECTOR_CORE
  constexpr int C = 64;
  TileUbDataND<float, 8, C, 8, C> x, ones, none;
  TileUbDataND<uint8_t, 8, 32, 8, 8> mask;
  TileUbDataND<float, 1, C, 1, C> scratch;
  pto::TASSIGN(x, 0);
  pto::TASSIGN(ones, 2048);
  pto::TASSIGN(none, 4096);
  pto::TASSIGN(mask, 6144);
  pto::TASSIGN(scratch, 8192);
  load<float, 8, C>(a + (static_cast<int>(get_block_idx()) * 2 + static_cast<int>(get_subblockid())) * 8 * C, 0);
  fill_scalar(none, 0.0f);
  then<PIPE_S, PIPE_V>();
  pto::TEXPANDS(ones, 1.0f);
  then<PIPE_MTE2, PIPE_V>();
  compare_scalar(mask, x, 0.25f, pto::CmpMode::GT);
  TL_PIPE_V_BARRIER();
  pto::TSEL(x, mask, ones, none, scratch);
  then<PIPE_V, PIPE_MTE3>();
  atomic_add_ub_to_gm_dynamic<float, float, 1, 1, 1, 8, C, 1, 1, 1, C, 1, 8, C>(c, Part<8, C>(), Rows<C>(), 0, 0, 8, C);
#endif
}

// A product whose rows the two vector cores of the cluster scale: flags between the cores.
extern "C" __global__ AICORE void scaled(__gm__ half* a, __gm__ half* b, __gm__ float* middle, __gm__ float* c, uint64_t ffts) {
  set_ffts_base_addr(ffts);
  constexpr int M = 32, K = 64, N = 64;
#ifdef CUBE_CORE
  copy_gm_to_l1_dynamic<half, half, 1, 1, 1, M, K, 1, 1, 1, K, 1, M, K>(a, Part<M, K>(), Rows<K>(), 0, 0);
  copy_gm_to_l1_dynamic<half, half, 1, 1, 1, K, N, 1, 1, 1, N, 1, K, N>(b, Part<K, N>(), Rows<N>(), 65536, 0);
  TileMatL1<half, M, K> left;
  TileMatL1<half, K, N> right;
  pto::TileAcc<float, M, N, M, N> sum;
  pto::TASSIGN(left, 0);
  pto::TASSIGN(right, 65536);
  pto::TASSIGN(sum, 0);
  gemm_v0<half, float, M, N, K, M, N, K, 64>(left, right, sum, true);
  copy_l0c_to_gm_dynamic<float, float, 1, 1, 1, M, N, 1, 1, 1, N, 1, M, N, true>(middle, Part<M, N>(), Rows<N>(), 0, 0);
  set_cross_flag<PIPE_FIX>(0, 2);
#endif
#ifdef VECTOR_CORE
  wait_cross_flag(0);
  const int row = static_cast<int>(get_subblockid()) * 16;
  load<float, 16, N>(middle + row * N, 0);
  then<PIPE_MTE2, PIPE_V>();
  for (int r = 0; r < 16; ++r) binarys_tile<BinaryOps::TMULS, float, N, N>(4096, 0, r * N, r * N, 4, 2.0f);
  then<PIPE_V, PIPE_MTE3>();
  store<float, 16, N>(c + row * N, 4096);
#endif
}

extern "C" __global__ AICORE void transposed(__gm__ float* a, __gm__ half* c) {
#ifdef VECTOR_CORE
  TileUbDataND<float, 16, 32, 16, 32> x, scratch;
  TileUbDataND<float, 32, 16, 32, 16> y;
  pto::TASSIGN(x, 0);
  pto::TASSIGN(y, 2048);
  pto::TASSIGN(scratch, 4096);
  load<float, 16, 32>(a, 0);
  then<PIPE_MTE2, PIPE_V>();
  transpose(y, x, scratch);
  TL_PIPE_V_BARRIER();
  copy_ub_to_ub_strided<float, half, 32, 16, 16, 16>(2048, 8192, 16, 16, 0, 0);
  then<PIPE_V, PIPE_MTE3>();
  store<half, 32, 16>(c, 8192);
#endif
}
