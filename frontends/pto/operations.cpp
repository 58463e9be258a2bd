#include "frontends/pto/operations.h"

#include <initializer_list>
#include <unordered_map>
#include <utility>

#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::pto {

namespace {

using cluster::Arithmetic;
using cluster::Opcode;
using cluster::SpecialValue;
using cluster::TileFunction;
using cluster::VectorClass;
using Rows = std::vector<OperationInfo>;

void add_scalar(Rows& rows) {
  rows.push_back({"arith.constant", Form::kConstant, Meaning::kConstant, 0, 0, 1});
  const auto binary = [&rows](std::string_view name, Opcode opcode) {
    rows.push_back({name, Form::kOperands, Meaning::kArithmetic, 2, 2, 1, opcode});
  };
  binary("arith.addi", Opcode::kAdd);
  binary("arith.subi", Opcode::kSub);
  binary("arith.muli", Opcode::kMul);
  binary("arith.divsi", Opcode::kDiv);
  binary("arith.divui", Opcode::kDiv);
  binary("arith.remsi", Opcode::kRem);
  binary("arith.remui", Opcode::kRem);
  binary("arith.andi", Opcode::kAnd);
  binary("arith.ori", Opcode::kOr);
  binary("arith.xori", Opcode::kXor);
  binary("arith.minsi", Opcode::kMin);
  binary("arith.maxsi", Opcode::kMax);
  binary("arith.minui", Opcode::kMin);
  binary("arith.maxui", Opcode::kMax);
  binary("arith.shli", Opcode::kShiftLeft);
  binary("arith.shrsi", Opcode::kShiftRight);
  binary("arith.shrui", Opcode::kShiftRight);
  binary("arith.ceildivsi", Opcode::kCeilDiv);
  binary("arith.ceildivui", Opcode::kCeilDiv);
  binary("arith.floordivsi", Opcode::kFloorDiv);
  rows.push_back({"arith.cmpi", Form::kCompare, Meaning::kCompare, 2, 2, 1});
  rows.push_back({"arith.select", Form::kOperands, Meaning::kSelect, 3, 3, 1});
  for (const char* name : {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui",
                           "arith.trunci", "builtin.unrealized_conversion_cast"})
    rows.push_back({name, Form::kCast, Meaning::kCast, 1, 1, 1});
  rows.push_back({"scf.for", Form::kFor, Meaning::kFor});
  rows.push_back({"scf.if", Form::kIf, Meaning::kIf});
  rows.push_back({"scf.while", Form::kWhile, Meaning::kWhile});
  rows.push_back({"scf.condition", Form::kCondition, Meaning::kCondition});
  rows.push_back({"scf.yield", Form::kYield, Meaning::kYield});
  rows.push_back({"func.call", Form::kCall, Meaning::kCall});
  rows.push_back({"call", Form::kCall, Meaning::kCall});
  rows.push_back({"return", Form::kYield, Meaning::kReturn});
  rows.push_back({"func.return", Form::kYield, Meaning::kReturn});
  rows.push_back({"pto.section.cube", Form::kSection, Meaning::kCubeSection});
  rows.push_back({"pto.section.vector", Form::kSection, Meaning::kVectorSection});
  const auto special = [&rows](std::string_view name, SpecialValue value) {
    rows.push_back({name, Form::kNullary, Meaning::kSpecial, 0, 0, 1, Opcode::kGet,
                    VectorClass::kSimple, value});
  };
  special("pto.get_block_idx", SpecialValue::kCluster);
  special("pto.get_block_num", SpecialValue::kBlockCount);
  special("pto.get_subblock_idx", SpecialValue::kSubblockIndex);
  special("pto.get_subblock_num", SpecialValue::kSubblockCount);
}

void add_tiles(Rows& rows) {
  rows.push_back({"pto.alloc_tile", Form::kAllocTile, Meaning::kAllocTile, 0, 0, 1});
  rows.push_back({"pto.addptr", Form::kOperands, Meaning::kAddPointer, 2, 2, 1});
  rows.push_back({"pto.make_tensor_view", Form::kTensorView, Meaning::kTensorView, 1, 1, 1});
  rows.push_back({"pto.partition_view", Form::kPartition, Meaning::kPartition, 1, 1, 1});
  for (const char* name : {"pto.subset", "pto.subview"})
    rows.push_back({name, Form::kTileView, Meaning::kSubview, 1, 1, 1});
  rows.push_back({"pto.treshape", Form::kTileView, Meaning::kReshape, 1, 1, 1});
  rows.push_back({"pto.set_validshape", Form::kTileView, Meaning::kSetValidShape, 3, 3});
  rows.push_back({"pto.tassign", Form::kTileView, Meaning::kAssign, 2, 2, 1});
  const auto tile = [&rows](const char* name, Meaning meaning, unsigned least, unsigned most,
                            TileFunction function) {
    OperationInfo row{name, Form::kTile, meaning, least, most};
    row.function = function;
    rows.push_back(row);
  };
  for (const char* name : {"pto.tload", "pto.tprefetch"})
    tile(name, Meaning::kLoad, 1, 1, TileFunction::kCopy);
  tile("pto.tstore", Meaning::kStore, 1, 1, TileFunction::kCopy);
  tile("pto.tmov", Meaning::kMove, 1, 1, TileFunction::kCopy);
  tile("pto.textract", Meaning::kExtract, 3, 3, TileFunction::kCopy);
  tile("pto.tinsert", Meaning::kInsert, 3, 3, TileFunction::kCopy);
  for (const char* name : {"pto.tmatmul", "pto.tgemv"})
    tile(name, Meaning::kMatmul, 2, 2, TileFunction::kMatmul);
  for (const char* name : {"pto.tmatmul.acc", "pto.tgemv.acc"})
    tile(name, Meaning::kMatmul, 3, 3, TileFunction::kMatmulAdd);
  for (const char* name : {"pto.tmatmul.bias", "pto.tgemv.bias"})
    tile(name, Meaning::kMatmul, 3, 3, TileFunction::kMatmulBias);
}

/// Adds rows of vector operations.
class VectorRows {
 public:
  explicit VectorRows(Rows& rows) : rows_(rows) {}

  void add(const char* name, unsigned least, unsigned most, VectorClass cost, TileFunction function,
           Arithmetic arithmetic = Arithmetic::kAdd, Meaning meaning = Meaning::kVector) {
    OperationInfo row{name, Form::kTile, meaning, least, most, 0, Opcode::kVector, cost};
    row.function = function;
    row.arithmetic = arithmetic;
    rows_.push_back(row);
  }
  void map(const char* name, unsigned inputs, Arithmetic arithmetic,
           VectorClass cost = VectorClass::kSimple) {
    add(name, inputs, inputs, cost, TileFunction::kMap, arithmetic);
  }

 private:
  Rows& rows_;
};

void add_scalar_memory(Rows& rows) {
  rows.push_back({"pto.castptr", Form::kOperands, Meaning::kCastPointer, 1, 1, 1});
  for (const char* name : {"pto.load_scalar", "pto.load"})
    rows.push_back({name, Form::kIndexed, Meaning::kLoadScalar, 1, 1, 1});
  for (const char* name : {"pto.store_scalar", "pto.store"})
    rows.push_back({name, Form::kStoreTo, Meaning::kStoreScalar, 2, 2});
  for (const char* name : {"pto.dcci", "pto.cmo.cacheinvalid"})
    rows.push_back({name, Form::kCleanCache, Meaning::kCleanCache, 0, 1});
  for (const char* name : {"pto.dsb", "pto.fence.barrier_all"})
    rows.push_back({name, Form::kPipe, Meaning::kDataBarrier, 0, 0});
}

void add_elementwise(Rows& rows) {
  VectorRows to(rows);
  constexpr VectorClass kSlow = VectorClass::kTranscendental;
  using A = Arithmetic;
  for (const auto& [name, what] : std::initializer_list<std::pair<const char*, A>>{
           {"pto.tadd", A::kAdd},  {"pto.tsub", A::kSub},  {"pto.tmul", A::kMul},
           {"pto.tmax", A::kMax},  {"pto.tmin", A::kMin},  {"pto.tand", A::kAnd},
           {"pto.tor", A::kOr},    {"pto.txor", A::kXor},  {"pto.tshl", A::kShl},
           {"pto.tshr", A::kShr},  {"pto.tadds", A::kAdd}, {"pto.tsubs", A::kSub},
           {"pto.tmuls", A::kMul}, {"pto.tmaxs", A::kMax}, {"pto.tmins", A::kMin},
           {"pto.tands", A::kAnd}, {"pto.tors", A::kOr},   {"pto.txors", A::kXor},
           {"pto.tshls", A::kShl}, {"pto.tshrs", A::kShr}, {"pto.tlrelu", A::kLeakyRelu}})
    to.add(name, 2, 3, VectorClass::kSimple, TileFunction::kMap, what);
  for (const auto& [name, what] :
       std::initializer_list<std::pair<const char*, A>>{{"pto.tdiv", A::kDiv},
                                                        {"pto.tdivs", A::kDiv},
                                                        {"pto.trem", A::kRem},
                                                        {"pto.trems", A::kRem},
                                                        {"pto.tfmod", A::kFmod},
                                                        {"pto.tfmods", A::kFmod}})
    to.add(name, 2, 3, kSlow, TileFunction::kMap, what);
  to.map("pto.tneg", 1, A::kNeg);
  to.map("pto.tabs", 1, A::kAbs);
  to.map("pto.trelu", 1, A::kRelu);
  to.map("pto.tnot", 1, A::kNot);
  to.map("pto.texp", 1, A::kExp, kSlow);
  to.map("pto.tlog", 1, A::kLog, kSlow);
  to.map("pto.tsqrt", 1, A::kSqrt, kSlow);
  to.add("pto.trsqrt", 1, 2, VectorClass::kRsqrt, TileFunction::kMap, A::kRsqrt);
  to.map("pto.trecip", 1, A::kRecip, kSlow);
}

void add_vector(Rows& rows) {
  VectorRows to(rows);
  using A = Arithmetic;
  using F = TileFunction;
  constexpr VectorClass kSimple = VectorClass::kSimple;
  to.add("pto.tcvt", 1, 2, VectorClass::kConvert, F::kConvert);
  to.add("pto.trowsum", 1, 2, VectorClass::kReduce, F::kRowReduce, A::kAdd, Meaning::kVectorIn);
  to.add("pto.trowmax", 1, 2, VectorClass::kReduce, F::kRowReduce, A::kMax, Meaning::kVectorIn);
  to.add("pto.trowmin", 1, 2, VectorClass::kReduce, F::kRowReduce, A::kMin, Meaning::kVectorIn);
  to.add("pto.tcolsum", 1, 2, kSimple, F::kColumnReduce, A::kAdd, Meaning::kVectorIn);
  to.add("pto.tcolmax", 1, 2, kSimple, F::kColumnReduce, A::kMax, Meaning::kVectorIn);
  to.add("pto.tcolmin", 1, 2, kSimple, F::kColumnReduce, A::kMin, Meaning::kVectorIn);
  to.add("pto.trowprod", 1, 2, VectorClass::kReduce, F::kRowReduce, A::kMul, Meaning::kVectorIn);
  to.add("pto.tcolprod", 1, 2, kSimple, F::kColumnReduce, A::kMul, Meaning::kVectorIn);
  to.add("pto.texpands", 1, 1, VectorClass::kCopy, F::kFill);
  to.add("pto.tci", 1, 1, VectorClass::kCopy, F::kSequence);
  to.add("pto.trowexpand", 1, 1, VectorClass::kCopy, F::kRowExpand);
  to.add("pto.tcolexpand", 1, 1, VectorClass::kCopy, F::kColumnExpand);
  to.add("pto.ttrans", 1, 2, VectorClass::kCopy, F::kTranspose);
  for (const char* name : {"pto.tfillpad", "pto.tfillpad_expand", "pto.tfillpad_inplace"})
    to.add(name, 1, 1, VectorClass::kCopy, F::kFillPad);
  to.add("pto.tcmp", 2, 2, kSimple, F::kCompare, A::kAdd, Meaning::kVectorIn);
  to.add("pto.tcmps", 2, 2, kSimple, F::kCompare, A::kAdd, Meaning::kVectorIn);
  to.add("pto.tsel", 3, 4, kSimple, F::kSelect);
  to.add("pto.tsels", 3, 3, kSimple, F::kSelectTile);
  to.add("pto.trowexpandadd", 2, 3, kSimple, F::kRowMap, A::kAdd);
  to.add("pto.trowexpandsub", 2, 3, kSimple, F::kRowMap, A::kSub);
  to.add("pto.trowexpandmul", 2, 3, kSimple, F::kRowMap, A::kMul);
  to.add("pto.trowexpandmax", 2, 3, kSimple, F::kRowMap, A::kMax);
  to.add("pto.trowexpandmin", 2, 3, kSimple, F::kRowMap, A::kMin);
  to.add("pto.trowexpanddiv", 2, 3, VectorClass::kTranscendental, F::kRowMap, A::kDiv);
  to.add("pto.trowexpandexpdif", 2, 3, VectorClass::kTranscendental, F::kRowMap, A::kExpDif);
  to.add("pto.tcolexpandexpdif", 2, 2, VectorClass::kTranscendental, F::kColumnMap, A::kExpDif);
  to.add("pto.tcolexpandadd", 2, 2, kSimple, F::kColumnMap, A::kAdd);
  to.add("pto.tcolexpandsub", 2, 2, kSimple, F::kColumnMap, A::kSub);
  to.add("pto.tcolexpandmul", 2, 2, kSimple, F::kColumnMap, A::kMul);
  to.add("pto.tcolexpandmax", 2, 2, kSimple, F::kColumnMap, A::kMax);
  to.add("pto.tcolexpandmin", 2, 2, kSimple, F::kColumnMap, A::kMin);
  to.add("pto.tcolexpanddiv", 2, 2, VectorClass::kTranscendental, F::kColumnMap, A::kDiv);
}

void add_rearranging(Rows& rows) {
  VectorRows to(rows);
  using F = TileFunction;
  to.add("pto.tquant", 2, 3, VectorClass::kConvert, F::kQuantize);
  to.add("pto.tdequant", 2, 3, VectorClass::kConvert, F::kDequantize);
  to.add("pto.tgather", 1, 3, VectorClass::kGather, F::kGather);
  to.add("pto.tsort32", 2, 3, VectorClass::kSort, F::kSort32, Arithmetic::kAdd, Meaning::kVectorIn);
  to.add("pto.tmrgsort", 2, 5, VectorClass::kSort, F::kMergeBlocks);
}

void add_sync(Rows& rows) {
  const auto sync = [&rows](std::string_view name, Form form, Opcode opcode, unsigned least = 1,
                            unsigned most = 1) {
    rows.push_back({name, form, Meaning::kSync, least, most, 0, opcode});
  };
  for (const char* name : {"pto.set_flag", "pto.set_flag_dyn"})
    sync(name, Form::kFlag, Opcode::kSetFlag);
  for (const char* name : {"pto.wait_flag", "pto.wait_flag_dyn"})
    sync(name, Form::kFlag, Opcode::kWaitFlag);
  for (const char* name : {"pto.barrier", "pto.pipe_barrier"})
    sync(name, Form::kPipe, Opcode::kBarrier, 0, 0);
  sync("pto.get_buf", Form::kPipeIds, Opcode::kGetBuf, 1, 2);
  sync("pto.rls_buf", Form::kPipeIds, Opcode::kRlsBuf, 1, 2);
  sync("pto.set_cross_core", Form::kPipeIds, Opcode::kSetCrossCore);
  sync("pto.wait_flag_dev", Form::kPipeIds, Opcode::kWaitFlagDev);
  sync("pto.set_intra_block", Form::kPipeIds, Opcode::kSetIntraBlock);
  for (const char* name : {"pto.wait_intra_core", "pto.wait_intra_block"})
    sync(name, Form::kPipeIds, Opcode::kWaitIntraCore);
  rows.push_back({"pto.sync.set", Form::kPipeIds, Meaning::kSyncSet, 1, 1});
  rows.push_back({"pto.sync.wait", Form::kPipeIds, Meaning::kSyncWait, 1, 1});
  sync("pto.set_ffts", Form::kOperands, Opcode::kSetFfts);
  rows.push_back({"pto.record_event", Form::kFlag, Meaning::kRecordEvent});
  rows.push_back({"pto.wait_event", Form::kFlag, Meaning::kWaitEvent});
  rows.push_back({"pto.barrier_sync", Form::kPipe, Meaning::kOperationBarrier});
  rows.push_back({"pto.tsync", Form::kPipe, Meaning::kOperationBarrier});
  rows.push_back({"pto.syncall", Form::kGroup, Meaning::kSyncAll, 0, 3});
  rows.push_back({"pto.sync_all", Form::kGroup, Meaning::kSyncAll, 0, 3});
  rows.push_back({"pto.declare_eventid_array", Form::kNullary, Meaning::kEventArray, 0, 0, 1});
  rows.push_back({"pto.eventid_array_set", Form::kIndexed, Meaning::kEventArraySet, 2, 2});
  rows.push_back({"pto.eventid_array_get", Form::kIndexed, Meaning::kEventArrayGet, 1, 1, 1});
}

void add_pipes(Rows& rows) {
  rows.push_back({"pto.reserve_buffer", Form::kNullary, Meaning::kReserveBuffer, 0, 0, 1});
  rows.push_back({"pto.import_reserved_buffer", Form::kNullary, Meaning::kImportBuffer, 0, 0, 1});
  for (const char* name : {"pto.aic_initialize_pipe", "pto.aiv_initialize_pipe"})
    rows.push_back({name, Form::kGroup, Meaning::kOpenPipe, 0, 4});
  for (const char* name : {"pto.initialize_l2l_pipe", "pto.initialize_l2g2l_pipe"})
    rows.push_back({name, Form::kGroup, Meaning::kPipeHandle, 0, 3, 1});
  for (const char* name : {"pto.talloc_to_aiv", "pto.talloc_to_aic"})
    rows.push_back({name, Form::kGroup, Meaning::kAllocEntry, 0, 0, 1});
  for (const char* name : {"pto.tpush_to_aiv", "pto.tpush_to_aic"})
    rows.push_back({name, Form::kGroup, Meaning::kPush, 1, 2});
  for (const char* name : {"pto.tpop_from_aiv", "pto.tpop_from_aic"})
    rows.push_back({name, Form::kGroup, Meaning::kPop, 0, 2, 1});
  for (const char* name : {"pto.tfree_from_aiv", "pto.tfree_from_aic"})
    rows.push_back({name, Form::kGroup, Meaning::kFree, 0, 1});
  rows.push_back({"pto.tpush", Form::kGroup, Meaning::kPush, 2, 3});
  rows.push_back({"pto.tpop", Form::kGroup, Meaning::kPop, 1, 3, kAnyResults});
  rows.push_back({"pto.tfree", Form::kGroup, Meaning::kFree, 1, 2});
  rows.push_back({"pto.get_fifo_tile", Form::kGroup, Meaning::kFifoTile, 2, 2, 1});
  rows.push_back({"pto.declare_tile", Form::kNullary, Meaning::kDeclareTile, 0, 0, 1});
}

}  // namespace

const std::vector<OperationInfo>& operations() {
  static const Rows rows = [] {
    Rows all;
    add_scalar(all);
    add_tiles(all);
    add_scalar_memory(all);
    add_elementwise(all);
    add_vector(all);
    add_rearranging(all);
    add_sync(all);
    add_pipes(all);
    return all;
  }();
  return rows;
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
