#include "frontends/pto/operations.h"

#include <initializer_list>
#include <unordered_map>
#include <utility>

#include "frontends/pto/register_table.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::pto {

namespace {

using A = Arithmetic;
using F = TileFunction;
using O = Opcode;
constexpr VectorClass kSimple = VectorClass::kSimple;
constexpr VectorClass kSingle = VectorClass::kSingle;
constexpr VectorClass kSlow = VectorClass::kTranscendental;
using Names = std::initializer_list<const char*>;

/// The rows under construction: one call for names that are one operation, or nearly one.
class Rows {
 public:
  /// Operations that are written and lowered alike.
  void add(Names names, Form form, Meaning meaning, unsigned least = 0, unsigned most = 0,
           unsigned results = 0, Opcode opcode = O::kEnd) {
    for (const char* name : names)
      rows_.push_back({name, form, meaning, least, most, results, opcode});
  }
  void special(const char* name, SpecialValue value) {
    add({name}, Form::kNullary, Meaning::kSpecial, 0, 0, 1, O::kGet);
    rows_.back().special = value;
  }
  void binary(const char* name, Opcode opcode) {
    add({name}, Form::kOperands, Meaning::kArithmetic, 2, 2, 1, opcode);
  }
  /// One instruction of a synchronisation.
  void sync(Names names, Form form, Opcode opcode, unsigned least = 1, unsigned most = 1) {
    add(names, form, Meaning::kSync, least, most, 0, opcode);
  }
  void tile(Names names, Meaning meaning, unsigned inputs, TileFunction function) {
    for (const char* name : names) {
      add({name}, Form::kTile, meaning, inputs, inputs);
      rows_.back().function = function;
    }
  }
  /// The last operation may have so many operands.
  void allow(unsigned most) { rows_.back().most = most; }
  /// Negative values of the result of the last operation become 0.
  void then_relu() { rows_.back().relu = true; }
  /// Vector operations that differ in their arithmetic.
  using Arithmetics = std::initializer_list<std::pair<const char*, Arithmetic>>;
  void vector(Arithmetics operations, unsigned least, unsigned most, VectorClass cost,
              TileFunction function, Meaning meaning = Meaning::kVector) {
    for (const auto& [name, arithmetic] : operations) {
      add({name}, Form::kTile, meaning, least, most, 0, O::kVector);
      rows_.back().vector_class = cost;
      rows_.back().function = function;
      rows_.back().arithmetic = arithmetic;
    }
  }
  /// Vector operations without arithmetic.
  void vector(Names names, unsigned least, unsigned most, VectorClass cost, TileFunction function,
              Meaning meaning = Meaning::kVector) {
    for (const char* name : names) vector({{name, A::kAdd}}, least, most, cost, function, meaning);
  }

  std::vector<OperationInfo> take() { return std::move(rows_); }

 private:
  std::vector<OperationInfo> rows_;
};

/// Operations of the scalar unit with two operands.
constexpr std::pair<const char*, Opcode> kBinary[] = {
    {"arith.addi", O::kAdd},  {"arith.subi", O::kSub},  {"arith.muli", O::kMul},
    {"arith.divsi", O::kDiv}, {"arith.divui", O::kDiv}, {"arith.remsi", O::kRem},
    {"arith.remui", O::kRem}, {"arith.andi", O::kAnd},  {"arith.ori", O::kOr},
    {"arith.xori", O::kXor},  {"arith.minsi", O::kMin}, {"arith.minui", O::kMin},
    {"arith.maxsi", O::kMax}, {"arith.maxui", O::kMax}};
constexpr std::pair<const char*, Opcode> kShiftsAndQuotients[] = {
    {"arith.shli", O::kShiftLeft},    {"arith.shrsi", O::kShiftRight},
    {"arith.shrui", O::kShiftRight},  {"arith.ceildivsi", O::kCeilDiv},
    {"arith.ceildivui", O::kCeilDiv}, {"arith.floordivsi", O::kFloorDiv}};

void add_scalar(Rows& rows) {
  rows.add({"arith.constant"}, Form::kConstant, Meaning::kConstant, 0, 0, 1);
  for (const auto& [name, opcode] : kBinary) rows.binary(name, opcode);
  for (const auto& [name, opcode] : kShiftsAndQuotients) rows.binary(name, opcode);
  rows.add({"arith.cmpi"}, Form::kCompare, Meaning::kCompare, 2, 2, 1);
  rows.add({"arith.select"}, Form::kOperands, Meaning::kSelect, 3, 3, 1);
  rows.add({"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci",
            "builtin.unrealized_conversion_cast"},
           Form::kCast, Meaning::kCast, 1, 1, 1);
  rows.add({"arith.fptosi", "arith.fptoui"}, Form::kCast, Meaning::kConvertScalar, 1, 1, 1,
           O::kToInteger);
  rows.add({"arith.sitofp", "arith.uitofp"}, Form::kCast, Meaning::kConvertScalar, 1, 1, 1,
           O::kToReal);
  rows.add({"scf.for"}, Form::kFor, Meaning::kFor);
  rows.add({"scf.if"}, Form::kIf, Meaning::kIf);
  rows.add({"scf.while"}, Form::kWhile, Meaning::kWhile);
  rows.add({"scf.execute_region", "pto.fusion_region"}, Form::kRegion, Meaning::kRegion, 0, 0,
           kAnyResults);
  rows.add({"pto.yield"}, Form::kYield, Meaning::kTerminator);
  rows.add({"scf.condition"}, Form::kCondition, Meaning::kTerminator);
  rows.add({"scf.yield"}, Form::kYield, Meaning::kTerminator);
  rows.add({"func.call", "call"}, Form::kCall, Meaning::kCall);
  rows.add({"return", "func.return"}, Form::kYield, Meaning::kTerminator);
  rows.add({"pto.section.cube"}, Form::kSection, Meaning::kCubeSection);
  rows.add({"pto.section.vector"}, Form::kSection, Meaning::kVectorSection);
  rows.special("pto.get_block_idx", SpecialValue::kCluster);
  rows.special("pto.get_block_num", SpecialValue::kBlockCount);
  rows.special("pto.get_subblock_idx", SpecialValue::kSubblockIndex);
  rows.special("pto.get_subblock_num", SpecialValue::kSubblockCount);
}

void add_tiles(Rows& rows) {
  rows.add({"pto.alloc_tile"}, Form::kAllocTile, Meaning::kAllocTile, 0, 0, 1);
  rows.add({"pto.addptr"}, Form::kOperands, Meaning::kAddPointer, 2, 2, 1);
  rows.add({"pto.make_tensor_view"}, Form::kTensorView, Meaning::kTensorView, 1, 1, 1);
  rows.add({"memref.reinterpret_cast"}, Form::kReinterpret, Meaning::kTensorView, 1, 1, 1);
  rows.add({"pto.partition_view"}, Form::kPartition, Meaning::kPartition, 1, 1, 1);
  rows.add({"pto.subset", "pto.subview"}, Form::kTileView, Meaning::kSubview, 1, 1, 1);
  rows.add({"memref.subview"}, Form::kMemrefPart, Meaning::kSubview, 1, 1, 1);
  rows.add({"pto.treshape", "pto.bitcast", "pto.bind_tile"}, Form::kTileView, Meaning::kReshape, 1,
           3, 1);
  rows.add({"memref.dealloc"}, Form::kOperands, Meaning::kScaleAddress, 1, 1);
  rows.add({"pto.set_validshape"}, Form::kTileView, Meaning::kSetValidShape, 3, 3);
  rows.add({"pto.alloc_multi_tile"}, Form::kAllocTile, Meaning::kAllocMultiTile, 0, 0, 1);
  rows.add({"pto.multi_tile_get"}, Form::kIndexed, Meaning::kMultiTile, 1, 1, 1);
  rows.add({"memref.alloc"}, Form::kNullary, Meaning::kAllocTile, 0, 0, 1);
  rows.add({"pto.get_validshape"}, Form::kOperands, Meaning::kSizeOf, 1, 1, 2);
  rows.add({"pto.tile_valid_rows", "pto.tile_valid_cols"}, Form::kOperands, Meaning::kSizeOf, 1, 1,
           1);
  rows.add({"pto.get_tensor_view_dim", "pto.get_tensor_view_stride"}, Form::kOperands,
           Meaning::kSizeOf, 2, 2, 1);
  rows.add({"pto.set_quant_scalar", "pto.set_quant_vector"}, Form::kLists,
           Meaning::kSetQuantization, 1, 1);
  rows.add({"pto.tassign"}, Form::kTileView, Meaning::kAssign, 2, 2, 1);
  rows.tile({"pto.tload", "pto.tprefetch"}, Meaning::kLoad, 1, F::kCopy);
  rows.tile({"pto.tstore"}, Meaning::kStore, 1, F::kCopy);
  rows.allow(2);  // with what FIX scales by
  rows.tile({"pto.tstore_fp"}, Meaning::kStore, 2, F::kCopy);
  rows.tile({"pto.tmov"}, Meaning::kMove, 1, F::kCopy);
  rows.allow(2);  // with scratch, or with what FIX scales by
  rows.tile({"pto.textract"}, Meaning::kExtract, 3, F::kCopy);
  rows.allow(4);
  rows.tile({"pto.tinsert"}, Meaning::kInsert, 3, F::kCopy);
  rows.allow(4);
  rows.tile({"pto.textract_fp"}, Meaning::kExtract, 4, F::kFixScale);
  rows.tile({"pto.tinsert_fp"}, Meaning::kInsert, 4, F::kFixScale);
  rows.tile({"pto.tmatmul", "pto.tgemv"}, Meaning::kMatmul, 2, F::kMatmul);
  rows.tile({"pto.tmatmul.acc", "pto.tgemv.acc"}, Meaning::kMatmul, 3, F::kMatmulAdd);
  rows.tile({"pto.tmatmul.bias", "pto.tgemv.bias"}, Meaning::kMatmul, 3, F::kMatmulBias);
  rows.tile({"pto.tmatmul.mx", "pto.tgemv.mx"}, Meaning::kMatmul, 4, F::kMatmulMx);
  rows.tile({"pto.tmatmul.mx.acc", "pto.tgemv.mx.acc"}, Meaning::kMatmul, 5, F::kMatmulMxAdd);
  rows.tile({"pto.tmatmul.mx.bias", "pto.tgemv.mx.bias"}, Meaning::kMatmul, 5, F::kMatmulMxBias);
}

void add_scalar_memory(Rows& rows) {
  rows.add({"pto.castptr", "pto.inttoptr", "pto.ptrtoint", "pto.tile_buf_addr"}, Form::kOperands,
           Meaning::kCastPointer, 1, 1, 1);
  rows.add({"pto.load_scalar", "pto.load"}, Form::kIndexed, Meaning::kLoadScalar, 1, 1, 1);
  rows.add({"pto.store_scalar", "pto.store"}, Form::kStoreTo, Meaning::kStoreScalar, 2, 2);
  rows.add({"pto.tgetval"}, Form::kTile, Meaning::kGetValue, 2, 2, 1);
  rows.add({"pto.tsetval"}, Form::kTile, Meaning::kSetValue, 2, 2);
  rows.add({"pto.tprint"}, Form::kTile, Meaning::kPrint, 1, 2);
  rows.add({"pto.print"}, Form::kPrintText, Meaning::kPrint, 1, 1);
  rows.add({"pto.dcci", "pto.cmo.cacheinvalid"}, Form::kCleanCache, Meaning::kCleanCache, 0, 1);
  rows.add({"pto.dsb", "pto.fence.barrier_all"}, Form::kPipe, Meaning::kDataBarrier);
}

void add_elementwise(Rows& rows) {
  rows.vector({{"pto.tadd", A::kAdd},
               {"pto.tsub", A::kSub},
               {"pto.tmul", A::kMul},
               {"pto.tmax", A::kMax},
               {"pto.tmin", A::kMin},
               {"pto.tand", A::kAnd},
               {"pto.tor", A::kOr},
               {"pto.txor", A::kXor},
               {"pto.tshl", A::kShl},
               {"pto.tshr", A::kShr}},
              2, 3, kSimple, F::kMap);
  rows.vector({{"pto.tadds", A::kAdd},
               {"pto.tsubs", A::kSub},
               {"pto.tmuls", A::kMul},
               {"pto.tmaxs", A::kMax},
               {"pto.tmins", A::kMin},
               {"pto.tands", A::kAnd},
               {"pto.tors", A::kOr},
               {"pto.txors", A::kXor},
               {"pto.tshls", A::kShl},
               {"pto.tshrs", A::kShr},
               {"pto.tlrelu", A::kLeakyRelu}},
              2, 3, kSingle, F::kMap);
  rows.vector({{"pto.tdiv", A::kDiv}, {"pto.trem", A::kRem}, {"pto.tfmod", A::kFmod}}, 2, 3,
              VectorClass::kDivide, F::kMap);
  rows.vector({{"pto.tdivs", A::kDiv}, {"pto.trems", A::kRem}, {"pto.tfmods", A::kFmod}}, 2, 3,
              VectorClass::kDivideScalar, F::kMap);
  rows.vector({{"pto.tneg", A::kNeg}, {"pto.trelu", A::kRelu}, {"pto.tnot", A::kNot}}, 1, 1,
              kSingle, F::kMap);
  rows.vector({{"pto.tabs", A::kAbs}}, 1, 1, VectorClass::kAbs, F::kMap);
  rows.vector({{"pto.texp", A::kExp}}, 1, 1, VectorClass::kExp, F::kMap);
  rows.vector({{"pto.tlog", A::kLog}, {"pto.tsqrt", A::kSqrt}}, 1, 1, kSlow, F::kMap);
  rows.vector({{"pto.trecip", A::kRecip}}, 1, 1, VectorClass::kDivideScalar, F::kMap);
  rows.vector({{"pto.tprelu", A::kLeakyRelu}}, 2, 3, kSimple, F::kMap);
  rows.vector({{"pto.tpow", A::kPow}, {"pto.tpows", A::kPow}}, 2, 3, kSlow, F::kMap);
  rows.vector({{"pto.taddc", A::kAdd},
               {"pto.tsubc", A::kSub},
               {"pto.taddsc", A::kAdd},
               {"pto.tsubsc", A::kSub}},
              3, 3, kSimple, F::kMapAdd);
  rows.vector({{"pto.taxpy", A::kMul}}, 2, 2, kSimple, F::kMultiplyAdd);
  rows.vector({{"pto.tpartadd", A::kAdd},
               {"pto.tpartmul", A::kMul},
               {"pto.tpartmax", A::kMax},
               {"pto.tpartmin", A::kMin}},
              2, 3, kSimple, F::kPart);
  rows.vector({{"pto.trsqrt", A::kRsqrt}}, 1, 2, VectorClass::kRsqrt, F::kMap);
  rows.vector({{"pto.tsubrelu", A::kSub}}, 2, 2, kSimple, F::kMap);
  rows.then_relu();
  rows.vector({{"pto.tmuladddst", A::kMul}, {"pto.tfusedmuladd", A::kMul}}, 3, 3, kSimple,
              F::kMapAdd);
  rows.vector({{"pto.tfusedmuladdrelu", A::kMul}}, 3, 3, kSimple, F::kMapAdd);
  rows.then_relu();
  for (const auto& [name, arithmetic] :
       {std::pair{"pto.taddreluconv", A::kAdd}, std::pair{"pto.tsubreluconv", A::kSub},
        std::pair{"pto.tadddeqrelu", A::kAdd}}) {
    rows.vector({{name, arithmetic}}, 2, 4, VectorClass::kConvert, F::kMapConvert);
    rows.then_relu();
  }
}

/// Positions, parts, and what has a cost and no values.
void add_specialties(Rows& rows) {
  constexpr VectorClass kCopy = VectorClass::kCopy;
  rows.vector({{"pto.trowargmax", A::kMax}, {"pto.trowargmin", A::kMin}}, 1, 2,
              VectorClass::kReduceExtreme, F::kRowArg, Meaning::kVectorIn);
  rows.vector({{"pto.tcolargmax", A::kMax}, {"pto.tcolargmin", A::kMin}}, 1, 2,
              VectorClass::kColumnExtreme, F::kColumnArg, Meaning::kVectorIn);
  rows.vector({{"pto.tpartargmax", A::kMax}, {"pto.tpartargmin", A::kMin}}, 4, 4, kSimple,
              F::kPartArg);
  rows.vector({"pto.tpairreducesum"}, 1, 1, kSimple, F::kPairSum);
  rows.vector({"pto.tconcat"}, 2, 2, kCopy, F::kConcat);
  rows.vector({"pto.tconcatidx"}, 4, 4, kCopy, F::kNoValues);
  rows.vector({"pto.ttri"}, 1, 1, kCopy, F::kTriangle);
  rows.vector({"pto.tinterleave", "pto.tdeinterleave"}, 1, 2, VectorClass::kMove, F::kRearrange,
              Meaning::kInterleave);
  rows.tile({"pto.timg2col"}, Meaning::kImageColumns, 17, F::kRearrange);
  rows.vector({"pto.tpack"}, 1, 1, VectorClass::kConvert, F::kNoValues);
  rows.vector({"pto.trandom"}, 6, 6, kSlow, F::kRandom);
  rows.vector({"pto.thistogram"}, 2, 3, VectorClass::kGather, F::kHistogram, Meaning::kVectorIn);
  rows.vector({"pto.tscatter"}, 1, 2, VectorClass::kGather, F::kScatter, Meaning::kVectorIn);
  rows.vector({"pto.tgatherb"}, 2, 3, VectorClass::kGather, F::kGatherBlocks, Meaning::kVectorIn);
  rows.vector({"pto.mgather", "pto.mscatter"}, 2, 3, VectorClass::kGather, F::kNoValues,
              Meaning::kGatherMemory);
  rows.vector({"pto.tget_scale_addr"}, 1, 1, kCopy, F::kNoValues, Meaning::kScaleAddress);
  rows.vector({"pto.tquant.mx"}, 1, 3, VectorClass::kConvert, F::kQuantizeMx, Meaning::kVectorIn);
}

void add_vector(Rows& rows) {
  constexpr VectorClass kCopy = VectorClass::kCopy;
  rows.vector({"pto.tcvt"}, 1, 2, VectorClass::kConvert, F::kConvert);
  rows.vector({{"pto.trowsum", A::kAdd}, {"pto.trowprod", A::kMul}}, 1, 2, VectorClass::kReduce,
              F::kRowReduce, Meaning::kVectorIn);
  rows.vector({{"pto.trowmax", A::kMax}, {"pto.trowmin", A::kMin}}, 1, 2,
              VectorClass::kReduceExtreme, F::kRowReduce, Meaning::kVectorIn);
  rows.vector({{"pto.tcolsum", A::kAdd}, {"pto.tcolprod", A::kMul}}, 1, 2, VectorClass::kColumn,
              F::kColumnReduce, Meaning::kVectorIn);
  rows.vector({{"pto.tcolmax", A::kMax}, {"pto.tcolmin", A::kMin}}, 1, 2,
              VectorClass::kColumnExtreme, F::kColumnReduce, Meaning::kVectorIn);
  rows.vector({"pto.texpands"}, 1, 1, kCopy, F::kFill);
  rows.vector({"pto.tci"}, 1, 2, kCopy, F::kSequence);
  rows.vector({"pto.trowexpand"}, 1, 1, VectorClass::kExpand, F::kRowExpand);
  rows.vector({"pto.tcolexpand"}, 1, 1, VectorClass::kColumnExpand, F::kColumnExpand);
  rows.vector({"pto.ttrans"}, 1, 2, VectorClass::kTranspose, F::kTranspose);
  rows.vector({"pto.tfillpad", "pto.tfillpad_expand", "pto.tfillpad_inplace"}, 1, 1, kCopy,
              F::kFillPad);
  rows.vector({"pto.tcmp", "pto.tcmps"}, 2, 2, kSimple, F::kCompare, Meaning::kVectorIn);
  rows.vector({"pto.tsel"}, 3, 4, VectorClass::kSelect, F::kSelect);
  rows.vector({"pto.tsels"}, 3, 4, kSimple, F::kSelectTile);
  rows.vector({{"pto.trowexpandadd", A::kAdd},
               {"pto.trowexpandsub", A::kSub},
               {"pto.trowexpandmul", A::kMul},
               {"pto.trowexpandmax", A::kMax},
               {"pto.trowexpandmin", A::kMin}},
              2, 3, VectorClass::kRowMap, F::kRowMap);
  rows.vector({{"pto.trowexpanddiv", A::kDiv}}, 2, 3, VectorClass::kDivide, F::kRowMap);
  rows.vector({{"pto.trowexpandexpdif", A::kExpDif}}, 2, 3, VectorClass::kExp, F::kRowMap);
  rows.vector({{"pto.tcolexpandadd", A::kAdd},
               {"pto.tcolexpandsub", A::kSub},
               {"pto.tcolexpandmul", A::kMul},
               {"pto.tcolexpandmax", A::kMax},
               {"pto.tcolexpandmin", A::kMin}},
              2, 2, kSimple, F::kColumnMap);
  rows.vector({{"pto.tcolexpanddiv", A::kDiv}}, 2, 2, VectorClass::kDivide, F::kColumnMap);
  rows.vector({{"pto.tcolexpandexpdif", A::kExpDif}}, 2, 2, VectorClass::kExp, F::kColumnMap);
  rows.vector({"pto.tquant"}, 2, 3, VectorClass::kConvert, F::kQuantize);
  rows.vector({"pto.tdequant"}, 2, 3, VectorClass::kConvert, F::kDequantize);
  rows.vector({"pto.tgather"}, 1, 4, VectorClass::kGather, F::kGather);
  rows.vector({"pto.tsort32"}, 2, 3, VectorClass::kSort, F::kSort32, Meaning::kVectorIn);
  rows.vector({"pto.tmrgsort"}, 2, 5, VectorClass::kSort, F::kMergeBlocks);
}

void add_sync(Rows& rows) {
  rows.sync({"pto.set_flag", "pto.set_flag_dyn"}, Form::kFlag, O::kSetFlag);
  rows.sync({"pto.wait_flag", "pto.wait_flag_dyn"}, Form::kFlag, O::kWaitFlag);
  rows.sync({"pto.barrier", "pto.pipe_barrier"}, Form::kPipe, O::kBarrier, 0, 0);
  rows.sync({"pto.get_buf"}, Form::kPipeIds, O::kGetBuf, 1, 2);
  rows.sync({"pto.rls_buf"}, Form::kPipeIds, O::kRlsBuf, 1, 2);
  rows.sync({"pto.set_cross_core", "pto.set_cross_block"}, Form::kPipeIds, O::kSetCrossCore);
  rows.sync({"pto.wait_flag_dev", "pto.wait_cross_block"}, Form::kPipeIds, O::kWaitFlagDev);
  rows.sync({"pto.set_intra_block"}, Form::kPipeIds, O::kSetIntraBlock);
  rows.sync({"pto.wait_intra_core", "pto.wait_intra_block"}, Form::kPipeIds, O::kWaitIntraCore);
  rows.add({"pto.sync.set"}, Form::kPipeIds, Meaning::kSignal, 1, 1, 0, O::kSetCrossCore);
  rows.add({"pto.sync.wait"}, Form::kPipeIds, Meaning::kSignal, 1, 1, 0, O::kWaitFlagDev);
  rows.sync({"pto.set_ffts"}, Form::kOperands, O::kSetFfts);
  rows.add({"pto.record_event"}, Form::kFlag, Meaning::kEvent, 0, 0, 0, O::kSetFlag);
  rows.add({"pto.wait_event"}, Form::kFlag, Meaning::kEvent, 0, 0, 0, O::kWaitFlag);
  rows.add({"pto.barrier_sync", "pto.tsync"}, Form::kPipe, Meaning::kOperationBarrier);
  rows.add({"pto.syncall", "pto.sync_all"}, Form::kGroup, Meaning::kSyncAll, 0, 3);
  rows.add({"pto.declare_eventid_array", "pto.declare_local_array", "pto.declare_struct"},
           Form::kNullary, Meaning::kArray, 0, 0, 1);
  rows.add({"pto.eventid_array_set", "pto.local_array_set", "pto.struct_set"}, Form::kIndexed,
           Meaning::kArraySet, 2, 2);
  rows.add({"pto.eventid_array_get", "pto.local_array_get", "pto.struct_get"}, Form::kIndexed,
           Meaning::kArrayGet, 1, 1, 1);
  rows.add({"pto.comm.tnotify"}, Form::kLists, Meaning::kNotify, 2, 2);
  rows.add({"pto.comm.twait"}, Form::kLists, Meaning::kTestWait, 2, 2);
  rows.add({"pto.comm.ttest"}, Form::kLists, Meaning::kTestWait, 2, 2, 1);
  rows.add({"pto.comm.tput", "pto.comm.tget"}, Form::kLists, Meaning::kTransfer, 3, 4);
  rows.add({"pto.comm.tbroadcast", "pto.comm.tgather", "pto.comm.tscatter"}, Form::kLists,
           Meaning::kTransfer, 3, 64);
  rows.add({"pto.comm.treduce"}, Form::kLists, Meaning::kReduce, 4, 64);
  rows.add({"pto.comm.build_async_session", "pto.build_async_session"}, Form::kLists,
           Meaning::kSession, 2, 2, 1);
  rows.add({"pto.make_prefetch_async_context"}, Form::kLists, Meaning::kSession, 1, 1, 1);
  rows.add({"pto.get_prefetch_async_session"}, Form::kOperands, Meaning::kSession, 1, 1, 1);
  rows.add({"pto.comm.tput_async", "pto.comm.tget_async", "pto.tput_async", "pto.tget_async"},
           Form::kLists, Meaning::kTransfer, 3, 3, 1);
  rows.add({"pto.tprefetch_async"}, Form::kLists, Meaning::kSession, 2, 2, 1);
  rows.add({"pto.comm.wait_async_event", "pto.comm.test_async_event", "pto.wait_async_event",
            "pto.test_async_event"},
           Form::kLists, Meaning::kAsyncEvent, 2, 2, 1);
}

void add_pipes(Rows& rows) {
  constexpr Form kGroup = Form::kGroup;
  rows.add({"pto.reserve_buffer"}, Form::kNullary, Meaning::kReserveBuffer, 0, 0, 1);
  rows.add({"pto.import_reserved_buffer"}, Form::kNullary, Meaning::kImportBuffer, 0, 0, 1);
  rows.add({"pto.aic_initialize_pipe", "pto.aiv_initialize_pipe"}, kGroup, Meaning::kOpenPipe, 0,
           4);
  rows.add({"pto.initialize_l2l_pipe", "pto.initialize_l2g2l_pipe"}, kGroup, Meaning::kPipeHandle,
           0, 3, 1);
  rows.add({"pto.talloc_to_aiv", "pto.talloc_to_aic"}, kGroup, Meaning::kAllocEntry, 0, 0, 1);
  rows.add({"pto.tpush_to_aiv", "pto.tpush_to_aic"}, kGroup, Meaning::kPush, 1, 2);
  rows.add({"pto.tpop_from_aiv", "pto.tpop_from_aic"}, kGroup, Meaning::kPop, 0, 2, 1);
  rows.add({"pto.tfree_from_aiv", "pto.tfree_from_aic"}, kGroup, Meaning::kFree, 0, 1);
  rows.add({"pto.tpush"}, kGroup, Meaning::kPush, 2, 3);
  rows.add({"pto.tpop"}, kGroup, Meaning::kPop, 1, 3, kAnyResults);
  rows.add({"pto.tfree"}, kGroup, Meaning::kFree, 1, 2);
  rows.add({"pto.get_fifo_tile"}, kGroup, Meaning::kFifoTile, 2, 2, 1);
  rows.add({"pto.declare_tile"}, Form::kNullary, Meaning::kDeclareTile, 0, 0, 1);
}

/// The register level of A5.
void add_registers(Rows& rows) {
  rows.add({"pto.vecscope", "pto.strict_vecscope"}, Form::kSection, Meaning::kVectorScope);
  for (const RegisterRow& row : register_rows())
    rows.add({row.name.c_str()}, Form::kRegister, Meaning::kRegister, 0, 64, kAnyResults);
  for (const RawRow& row : raw_rows())
    rows.add({row.name}, Form::kRegister, Meaning::kRawMove, 0, 64, kAnyResults);
}

}  // namespace

const std::vector<OperationInfo>& operations() {
  static const std::vector<OperationInfo> kTable = [] {
    Rows rows;
    add_scalar(rows);
    add_tiles(rows);
    add_scalar_memory(rows);
    add_elementwise(rows);
    add_vector(rows);
    add_specialties(rows);
    add_sync(rows);
    add_pipes(rows);
    add_registers(rows);
    return rows.take();
  }();
  return kTable;
}

const OperationInfo* find_operation(std::string_view name) {
  static const std::unordered_map<std::string_view, const OperationInfo*> kByName = [] {
    std::unordered_map<std::string_view, const OperationInfo*> table;
    for (const OperationInfo& row : operations()) table.emplace(row.name, &row);
    return table;
  }();
  const auto entry = kByName.find(name);
  return entry == kByName.end() ? nullptr : entry->second;
}

const OperationInfo& operation_info(std::string_view name) {
  static const OperationInfo kUnknown{"", Form::kGroup, Meaning::kUnknown};
  const OperationInfo* info = find_operation(name);
  return info != nullptr ? *info : kUnknown;
}

std::string nearest_operation(std::string_view name) {
  std::vector<std::string> names;
  for (const OperationInfo& row : operations()) names.emplace_back(row.name);
  return did_you_mean(name, names);
}

}  // namespace tessera::pto
