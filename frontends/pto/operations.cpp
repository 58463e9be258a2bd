#include "frontends/pto/operations.h"

#include <unordered_map>

#include "frontends/tasm/diagnostics.h"

namespace tessera::pto {

namespace {

using cluster::Opcode;
using cluster::SpecialValue;
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
  for (const char* name :
       {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"})
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
  rows.push_back({"pto.tload", Form::kTile, Meaning::kLoad, 1, 1});
  rows.push_back({"pto.tstore", Form::kTile, Meaning::kStore, 1, 1});
  rows.push_back({"pto.tmov", Form::kTile, Meaning::kMove, 1, 1});
  rows.push_back({"pto.tmatmul", Form::kTile, Meaning::kMatmul, 2, 2});
  rows.push_back({"pto.tmatmul.acc", Form::kTile, Meaning::kMatmul, 3, 3});
  rows.push_back({"pto.tmatmul.bias", Form::kTile, Meaning::kMatmul, 3, 3});
}

void add_vector(Rows& rows) {
  const auto add = [&rows](std::initializer_list<const char*> names, unsigned least, unsigned most,
                           VectorClass what, Meaning meaning = Meaning::kVector) {
    for (const char* name : names)
      rows.push_back({name, Form::kTile, meaning, least, most, 0, Opcode::kVector, what});
  };
  add({"pto.tadd", "pto.tsub", "pto.tmul", "pto.tmax", "pto.tmin", "pto.tand", "pto.tor"}, 2, 2,
      VectorClass::kSimple);
  add({"pto.tadds", "pto.tsubs", "pto.tmuls", "pto.tmaxs", "pto.tmins"}, 2, 2,
      VectorClass::kSimple);
  add({"pto.tneg", "pto.tabs", "pto.trelu"}, 1, 1, VectorClass::kSimple);
  add({"pto.tdiv", "pto.tdivs"}, 2, 2, VectorClass::kTranscendental);
  add({"pto.texp", "pto.tlog", "pto.tsqrt", "pto.trsqrt", "pto.trecip"}, 1, 1,
      VectorClass::kTranscendental);
  add({"pto.tcvt"}, 1, 1, VectorClass::kConvert);
  add({"pto.trowsum", "pto.trowmax", "pto.trowmin"}, 1, 2, VectorClass::kReduce,
      Meaning::kVectorIn);
  add({"pto.tcolsum", "pto.tcolmax"}, 1, 2, VectorClass::kSimple, Meaning::kVectorIn);
  add({"pto.texpands", "pto.trowexpand", "pto.tcolexpand"}, 1, 1, VectorClass::kCopy);
  add({"pto.trowexpandmul", "pto.trowexpandsub", "pto.tcolexpandmul"}, 2, 2, VectorClass::kSimple);
  add({"pto.trowexpanddiv"}, 2, 2, VectorClass::kTranscendental);
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

}  // namespace

const std::vector<OperationInfo>& operations() {
  static const Rows rows = [] {
    Rows all;
    add_scalar(all);
    add_tiles(all);
    add_vector(all);
    add_sync(all);
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
  return tasm::nearest_hint(name, names);
}

}  // namespace tessera::pto
