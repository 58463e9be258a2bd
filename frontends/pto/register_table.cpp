#include "frontends/pto/register_table.h"

#include <initializer_list>
#include <unordered_map>
#include <utility>

namespace tessera::pto {

namespace {

using A = Arithmetic;
using RF = cluster::RegisterFunction;
using S = RegisterShape;
using U = cluster::RegisterUnit;

/// The rows under construction. Names without a level exist at both levels.
class RegisterRows {
 public:
  void add(std::initializer_list<const char*> names, S shape, RF function, U unit,
           A arithmetic = A::kAdd) {
    for (const char* name : names)
      for (const char* level : {"pto.", "pto.vmi."})
        rows_.push_back({std::string(level) + name, shape, function, unit, arithmetic});
  }
  using Arithmetics = std::initializer_list<std::pair<const char*, A>>;
  void map(U unit, Arithmetics names) {
    for (const auto& [name, arithmetic] : names) add({name}, S::kPlain, RF::kMap, unit, arithmetic);
  }
  std::vector<RegisterRow> take() { return std::move(rows_); }

 private:
  std::vector<RegisterRow> rows_;
};

void add_arithmetic(RegisterRows& rows) {
  rows.map(U::kAdd, {{"vadd", A::kAdd},  {"vsub", A::kSub},  {"vadds", A::kAdd}, {"vsubs", A::kSub},
                     {"vand", A::kAnd},  {"vor", A::kOr},    {"vxor", A::kXor},  {"vands", A::kAnd},
                     {"vors", A::kOr},   {"vshl", A::kShl},  {"vshr", A::kShr},  {"vshls", A::kShl},
                     {"vshrs", A::kShr}, {"addf", A::kAdd},  {"addi", A::kAdd},  {"subf", A::kSub},
                     {"subi", A::kSub},  {"andi", A::kAnd},  {"ori", A::kOr},    {"xori", A::kXor},
                     {"shli", A::kShl},  {"shrui", A::kShr}, {"shrsi", A::kShr}});
  rows.map(U::kMultiply, {{"vmul", A::kMul},
                          {"vmuls", A::kMul},
                          {"mulf", A::kMul},
                          {"muli", A::kMul},
                          {"vlrelu", A::kLeakyRelu},
                          {"vprelu", A::kLeakyRelu}});
  rows.map(U::kMaximum, {{"vmax", A::kMax},
                         {"vmin", A::kMin},
                         {"vmaxs", A::kMax},
                         {"vmins", A::kMin},
                         {"maxf", A::kMax},
                         {"minf", A::kMin},
                         {"maximumf", A::kMax},
                         {"minimumf", A::kMin},
                         {"maxsi", A::kMax},
                         {"minsi", A::kMin},
                         {"maxui", A::kMax},
                         {"minui", A::kMin}});
  rows.map(U::kUnary, {{"vabs", A::kAbs},
                       {"vrelu", A::kRelu},
                       {"vneg", A::kNeg},
                       {"vnot", A::kNot},
                       {"absf", A::kAbs},
                       {"absi", A::kAbs},
                       {"negf", A::kNeg},
                       {"not", A::kNot},
                       {"relu", A::kRelu}});
  rows.map(U::kExp, {{"vexp", A::kExp},
                     {"vln", A::kLog},
                     {"vlog", A::kLog},
                     {"vsqrt", A::kSqrt},
                     {"vrsqrt", A::kRsqrt},
                     {"exp", A::kExp},
                     {"ln", A::kLog},
                     {"sqrt", A::kSqrt},
                     {"vexpdif", A::kExpDif},
                     {"vexpdiff", A::kExpDif}});
  rows.add({"vtrc"}, S::kPlain, RF::kRound, U::kConvert);
  rows.map(U::kDivide, {{"vdiv", A::kDiv}, {"divf", A::kDiv}, {"vrec", A::kRecip}});
  rows.add({"vmadd", "vmula", "fma", "vaxpy"}, S::kPlain, RF::kMultiplyAdd, U::kMultiply);
  rows.add({"vsel", "select"}, S::kPlain, RF::kSelect, U::kSelect);
  rows.add({"vcmp", "vcmps", "cmpf", "cmpi"}, S::kCompare, RF::kCompare, U::kSelect);
  rows.add({"vcvt", "extf", "truncf", "extsi", "extui", "trunci", "sitofp", "uitofp", "fptosi",
            "fptoui"},
           S::kPlain, RF::kConvert, U::kConvert);
  rows.add({"vinterpret_cast", "vbitcast", "bitcast"}, S::kPlain, RF::kBits, U::kNone);
  rows.add({"pbitcast"}, S::kPlain, RF::kMaskBits, U::kNone);
  rows.add({"vdup", "vbr", "vbrc", "broadcast", "group_broadcast", "constant"}, S::kPlain,
           RF::kSplat, U::kUnary);
  rows.add({"vci", "iota"}, S::kPlain, RF::kSequence, U::kUnary);
  rows.add({"vmull"}, S::kPair, RF::kWideProduct, U::kMultiply);
  rows.add({"vaddc", "vaddcs"}, S::kPair, RF::kCarry, U::kAdd, A::kAdd);
  rows.add({"vsubc", "vsubcs"}, S::kPair, RF::kCarry, U::kAdd, A::kSub);
  rows.add({"vcbmax"}, S::kPair, RF::kExtremeMask, U::kReduceExtreme, A::kMax);
  rows.add({"vcbmin"}, S::kPair, RF::kExtremeMask, U::kReduceExtreme, A::kMin);
  rows.add({"vmulscvt"}, S::kPlain, RF::kConvert, U::kMultiply);
  rows.add({"vaddrelu", "vsubrelu", "vaddreluconv", "vmulconv"}, S::kPlain, RF::kNoValues,
           U::kMultiply);
}

void add_lanes(RegisterRows& rows) {
  for (const auto& [name, arithmetic] : RegisterRows::Arithmetics{{"vcadd", A::kAdd},
                                                                  {"group_reduce_addf", A::kAdd},
                                                                  {"group_reduce_addi", A::kAdd},
                                                                  {"reduce_addf", A::kAdd},
                                                                  {"reduce_addi", A::kAdd}})
    rows.add({name}, S::kReduce, RF::kReduce, U::kReduceSum, arithmetic);
  for (const auto& [name, arithmetic] : RegisterRows::Arithmetics{{"vcmax", A::kMax},
                                                                  {"vcmin", A::kMin},
                                                                  {"group_reduce_maxf", A::kMax},
                                                                  {"group_reduce_minf", A::kMin},
                                                                  {"group_reduce_maxi", A::kMax},
                                                                  {"reduce_maxf", A::kMax},
                                                                  {"reduce_minf", A::kMin}})
    rows.add({name}, S::kReduce, RF::kReduce, U::kReduceExtreme, arithmetic);
  for (const auto& [name, arithmetic] :
       RegisterRows::Arithmetics{{"vcgadd", A::kAdd}, {"vcgmax", A::kMax}, {"vcgmin", A::kMin}})
    rows.add({name}, S::kReduce, RF::kReduce, U::kReduceBlocks, arithmetic);
  rows.add({"vcpadd"}, S::kPlain, RF::kPairSum, U::kReduceBlocks);
  rows.add({"vintlv"}, S::kPair, RF::kInterleave, U::kAdd);
  rows.add({"vdintlv"}, S::kPair, RF::kDeinterleave, U::kAdd);
  rows.add({"pintlv_b8", "pintlv_b16", "pintlv_b32"}, S::kPair, RF::kInterleave, U::kMask);
  rows.add({"pdintlv_b8", "pdintlv_b16", "pdintlv_b32"}, S::kPair, RF::kDeinterleave, U::kMask);
  rows.add({"unpack", "pack", "channel_split", "channel_merge"}, S::kParts, RF::kPart, U::kNone);
  rows.add({"ensure_layout", "ensure_mask_layout", "ensure_mask_granularity"}, S::kPlain, RF::kMove,
           U::kNone);
  rows.add({"vpack"}, S::kPlain, RF::kNarrow, U::kAdd);
  rows.add({"vsunpack", "vzunpack"}, S::kPlain, RF::kWiden, U::kAdd);
  rows.add({"vselr"}, S::kPlain, RF::kPick, U::kAdd);
  rows.add({"vdhist", "vchist", "dhistv2", "chistv2"}, S::kPlain, RF::kHistogram, U::kAdd);
  rows.add({"vsqz"}, S::kPlain, RF::kSqueeze, U::kAdd);
  rows.add({"vusqz"}, S::kPlain, RF::kCountBefore, U::kAdd);
  rows.add({"vselrv2", "vslide", "vshift", "vtrn", "shuffle", "compress", "active_prefix_index",
            "vsort32", "vmrgsort", "vtranspose"},
           S::kPlain, RF::kNoValues, U::kAdd);
}

void add_masks(RegisterRows& rows) {
  rows.add({"pset", "pset_b8", "pset_b16", "pset_b32", "pge_b8", "pge_b16", "pge_b32",
            "create_mask", "create_group_mask", "constant_mask"},
           S::kMask, RF::kMask, U::kMask);
  rows.add({"plt_b8", "plt_b16", "plt_b32", "pltm_b8", "pltm_b16", "pltm_b32"}, S::kMask,
           RF::kMaskCount, U::kMask);
  for (const auto& [name, arithmetic] : RegisterRows::Arithmetics{{"pand", A::kAnd},
                                                                  {"por", A::kOr},
                                                                  {"pxor", A::kXor},
                                                                  {"pnot", A::kNot},
                                                                  {"mask_and", A::kAnd},
                                                                  {"mask_or", A::kOr},
                                                                  {"mask_xor", A::kXor},
                                                                  {"mask_not", A::kNot},
                                                                  {"pmov", A::kAnd}})
    rows.add({name}, S::kPlain, RF::kMaskMap, U::kMask, arithmetic);
  rows.add({"psel"}, S::kPlain, RF::kMaskSelect, U::kMask);
  rows.add({"ppack"}, S::kPlain, RF::kMaskPack, U::kMask);
  rows.add({"punpack"}, S::kPlain, RF::kMaskUnpack, U::kMask);
}

void add_memory(RegisterRows& rows) {
  rows.add({"vlds", "vldus", "vsldb", "vload", "load", "uvld", "masked_load", "group_load"},
           S::kMemory, RF::kLoad, U::kLoad);
  rows.add({"vsts", "vstus", "vsstb", "vstore", "store", "masked_store", "group_store"}, S::kMemory,
           RF::kStore, U::kStore);
  rows.add({"vgather2", "vgather"}, S::kMemory, RF::kGather, U::kGather);
  rows.add({"vscatter"}, S::kMemory, RF::kScatter, U::kGather);
  rows.add({"vgatherb"}, S::kMemory, RF::kGatherBlocks, U::kGather);
  rows.add({"vldsx2"}, S::kMemory, RF::kLoadPair, U::kLoad);
  rows.add({"vstsx2"}, S::kMemory, RF::kStorePair, U::kStore);
  rows.add({"plds", "pldi"}, S::kMemory, RF::kLoadMask, U::kLoad);
  rows.add({"psts", "psti"}, S::kMemory, RF::kStoreMask, U::kStore);
  rows.add({"vgather2_bc", "expand_load", "stride_load", "group_slot_load", "pld"}, S::kMemory,
           RF::kNoValues, U::kLoad);
  rows.add({"compress_store", "pst", "pstu", "vstx2"}, S::kMemory, RF::kNoValues, U::kStore);
  rows.add({"vstur"}, S::kMemory, RF::kStoreSqueezed, U::kStore);
  rows.add({"sprsti", "sprsts"}, S::kMemory, RF::kStoreCounter, U::kStore);
  rows.add({"sprclr"}, S::kState, RF::kClearCounter, U::kNone);
  rows.add({"vldas", "vstas", "vstar", "init_align"}, S::kState, RF::kBarrier, U::kNone);
  rows.add({"mem_bar"}, S::kState, RF::kBarrier, U::kNone);
}

/// Physical names begin with v or p; logical ones have no width, and none are for streams, masks in UB and
/// barriers.
bool exists(const std::string& name) {
  constexpr std::string_view kLogical = "pto.vmi.";
  const bool logical = name.compare(0, kLogical.size(), kLogical) == 0;
  const std::string bare = name.substr(logical ? kLogical.size() : 4);
  const auto begins = [&bare](std::initializer_list<const char*> list) {
    for (const char* start : list)
      if (bare.rfind(start, 0) == 0) return true;
    return false;
  };
  const auto has = [&bare](std::initializer_list<const char*> list) {
    for (const char* part : list)
      if (bare.find(part) != std::string::npos) return true;
    return false;
  };
  if (!logical)
    return begins({"v", "p", "init", "mem_bar", "spr", "dhist", "chist", "uvld"}) &&
           bare != "pack" && bare != "pset" && bare.rfind("vexpdiff", 0) != 0 && bare != "vload" &&
           bare != "vstore";
  return !has({"_b8",     "_b16",    "_b32",   "align", "mem_bar", "spr",  "v2",      "x2",
               "vlds",    "vsts",    "vldu",   "vlda",  "vstu",    "vsta", "uvld",    "vsldb",
               "plds",    "pldi",    "psts",   "psti",  "pstu",    "vcg",  "gather2", "gatherb",
               "relucon", "mulconv", "vslide", "pbit",  "pmov"}) &&
         bare != "pst" && bare != "pld";
}

/// What sets or reads a state of the core.
constexpr const char* kStates[] = {"pto.set_ctrl",
                                   "pto.get_ctrl",
                                   "pto.sbitset0",
                                   "pto.sbitset1",
                                   "pto.set_mov_pad_val",
                                   "pto.get_vms4_sr",
                                   "pto.set_loop1_stride_outtoub",
                                   "pto.set_loop2_stride_outtoub",
                                   "pto.set_loop_size_outtoub",
                                   "pto.set_loop1_stride_ubtoout",
                                   "pto.set_loop2_stride_ubtoout",
                                   "pto.set_loop_size_ubtoout",
                                   "pto.set_atomic_none",
                                   "pto.set_atomic_add",
                                   "pto.set_atomic_max",
                                   "pto.set_atomic_min",
                                   "pto.set_atomic_f32",
                                   "pto.set_atomic_f16",
                                   "pto.set_atomic_bf16",
                                   "pto.set_atomic_s32",
                                   "pto.set_atomic_s16",
                                   "pto.set_atomic_s8"};

template <class Row>
const Row& row_of(const std::vector<Row>& rows, const std::string& name) {
  for (const Row& row : rows)
    if (row.name == name) return row;
  return rows.front();
}

}  // namespace

const std::vector<RegisterRow>& register_rows() {
  static const std::vector<RegisterRow> kTable = [] {
    RegisterRows rows;
    add_arithmetic(rows);
    add_lanes(rows);
    add_masks(rows);
    add_memory(rows);
    std::vector<RegisterRow> kept;
    for (RegisterRow& row : rows.take())
      if (exists(row.name)) kept.push_back(std::move(row));
    return kept;
  }();
  return kTable;
}

const RegisterRow& register_row(const std::string& name) {
  static const std::unordered_map<std::string, const RegisterRow*> kByName = [] {
    std::unordered_map<std::string, const RegisterRow*> table;
    for (const RegisterRow& row : register_rows()) table.emplace(row.name, &row);
    return table;
  }();
  return *kByName.at(name);
}

const std::vector<RawRow>& raw_rows() {
  using O = Opcode;
  static const std::vector<RawRow> kTable = [] {
    std::vector<RawRow> rows = {
        {"pto.mte_gm_ub", O::kCopyIn, Pipe::kMte2},
        {"pto.copy_gm_to_ubuf", O::kCopyIn, Pipe::kMte2},
        {"pto.mte_ub_gm", O::kCopyOut, Pipe::kMte3},
        {"pto.copy_ubuf_to_gm", O::kCopyOut, Pipe::kMte3},
        {"pto.mte_gm_l1", O::kCopyIn, Pipe::kMte2},
        {"pto.mte_gm_l1_frac", O::kCopyIn, Pipe::kMte2},
        {"pto.copy_gm_to_cbuf", O::kCopyIn, Pipe::kMte2},
        {"pto.mte_l1_l0a", O::kLoadA, Pipe::kMte1},
        {"pto.mte_l1_l0a_mx", O::kLoadA, Pipe::kMte1},
        {"pto.load_cbuf_to_ca", O::kLoadA, Pipe::kMte1},
        {"pto.load_cbuf_to_ca_s4", O::kLoadA, Pipe::kMte1},
        {"pto.load_cbuf_to_ca_mx", O::kLoadA, Pipe::kMte1},
        {"pto.mte_l1_l0b", O::kLoadB, Pipe::kMte1},
        {"pto.mte_l1_l0b_mx", O::kLoadB, Pipe::kMte1},
        {"pto.load_cbuf_to_cb", O::kLoadB, Pipe::kMte1},
        {"pto.load_cbuf_to_cb_s4", O::kLoadB, Pipe::kMte1},
        {"pto.load_cbuf_to_cb_mx", O::kLoadB, Pipe::kMte1},
        {"pto.mte_l1_bt", O::kLoadTable, Pipe::kMte1},
        {"pto.mte_l1_fb", O::kLoadTable, Pipe::kMte1},
        {"pto.copy_cbuf_to_bt", O::kLoadTable, Pipe::kMte1},
        {"pto.copy_cbuf_to_fbuf", O::kLoadTable, Pipe::kMte1},
        {"pto.mte_l1_ub", O::kL1ToUb, Pipe::kMte1},
        {"pto.copy_cbuf_to_ubuf", O::kL1ToUb, Pipe::kMte1},
        {"pto.mte_ub_l1", O::kUbToL1, Pipe::kMte3},
        {"pto.copy_ubuf_to_cbuf", O::kUbToL1, Pipe::kMte3},
        {"pto.mte_ub_ub", O::kVector, Pipe::kV},
        {"pto.copy_ubuf_to_ubuf", O::kVector, Pipe::kV},
        {"pto.mte_l0c_gm", O::kFixOut, Pipe::kFix},
        {"pto.copy_matrix_cc_to_gm", O::kFixOut, Pipe::kFix},
        {"pto.mte_l0c_ub", O::kFixLocal, Pipe::kFix},
        {"pto.copy_matrix_cc_to_ub", O::kFixLocal, Pipe::kFix},
        {"pto.mte_l0c_l1", O::kFixLocal, Pipe::kFix},
        {"pto.copy_matrix_cc_to_cbuf", O::kFixLocal, Pipe::kFix},
        {"pto.raw_fill_l1", O::kBusy, Pipe::kMte2},
        {"pto.mad", O::kMad, Pipe::kM},
        {"pto.mad_acc", O::kMad, Pipe::kM},
        {"pto.mad_bias", O::kMad, Pipe::kM},
        {"pto.mad_mx", O::kMad, Pipe::kM},
        {"pto.mad_mx_acc", O::kMad, Pipe::kM},
        {"pto.mad_mx_bias", O::kMad, Pipe::kM},
    };
    for (const char* name : kStates) rows.push_back({name, O::kEnd, Pipe::kS});
    return rows;
  }();
  return kTable;
}

const RawRow& raw_row(const std::string& name) {
  return row_of(raw_rows(), name);
}

}  // namespace tessera::pto
