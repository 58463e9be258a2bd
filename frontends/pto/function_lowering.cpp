#include "frontends/pto/function_lowering.h"

#include <algorithm>
#include <array>

namespace tessera::pto {

namespace {

using cluster::Opcode;

// --- from the meaning of an operation to its handler ---

using Handler = void (*)(LoweringParts& parts, const Operation& op, const OperationInfo& info);

template <class Part>
void handle(LoweringParts& parts, void (Part::*method)(const Operation&), const Operation& op,
            const OperationInfo&) {
  (std::get<Part>(parts).*method)(op);
}
template <class Part>
void handle(LoweringParts& parts, void (Part::*method)(const Operation&, const OperationInfo&),
            const Operation& op, const OperationInfo& info) {
  (std::get<Part>(parts).*method)(op, info);
}
/// Calls a method of a part, with the row of the operation if it takes one.
template <auto Method>
void call(LoweringParts& parts, const Operation& op, const OperationInfo& info) {
  handle(parts, Method, op, info);
}

struct Row {
  Meaning meaning;
  Handler handler;
};

constexpr Row kRows[] = {
    {Meaning::kConstant, call<&ScalarLowering::constant>},
    {Meaning::kArithmetic, call<&ScalarLowering::arithmetic>},
    {Meaning::kCompare, call<&ScalarLowering::compare>},
    {Meaning::kSelect, call<&ScalarLowering::select>},
    {Meaning::kCast, call<&ScalarLowering::cast>},
    {Meaning::kSpecial, call<&ScalarLowering::special>},
    {Meaning::kAddPointer, call<&ScalarLowering::add_to_pointer>},
    {Meaning::kCastPointer, call<&ScalarLowering::cast_pointer>},
    {Meaning::kLoadScalar, call<&ScalarLowering::load>},
    {Meaning::kStoreScalar, call<&ScalarLowering::store>},
    {Meaning::kCleanCache, call<&ScalarLowering::clean_cache>},
    {Meaning::kDataBarrier, call<&ScalarLowering::data_barrier>},
    {Meaning::kFor, call<&ControlLowering::for_loop>},
    {Meaning::kIf, call<&ControlLowering::branch>},
    {Meaning::kWhile, call<&ControlLowering::while_loop>},
    {Meaning::kYield, call<&ControlLowering::terminate>},
    {Meaning::kReturn, call<&ControlLowering::terminate>},
    {Meaning::kCondition, call<&ControlLowering::terminate>},
    {Meaning::kCubeSection, call<&ControlLowering::cube_section>},
    {Meaning::kVectorSection, call<&ControlLowering::vector_section>},
    {Meaning::kCall, call<&ControlLowering::call>},
    {Meaning::kUnknown, call<&ControlLowering::unknown>},
    {Meaning::kAllocTile, call<&TileLowering::alloc>},
    {Meaning::kSubview, call<&TileLowering::subview>},
    {Meaning::kReshape, call<&TileLowering::reshape>},
    {Meaning::kSetValidShape, call<&TileLowering::set_valid_shape>},
    {Meaning::kAssign, call<&TileLowering::assign>},
    {Meaning::kTensorView, call<&TileLowering::tensor_view>},
    {Meaning::kPartition, call<&TileLowering::partition>},
    {Meaning::kLoad, call<&MoveLowering::load>},
    {Meaning::kStore, call<&MoveLowering::store>},
    {Meaning::kMove, call<&MoveLowering::move>},
    {Meaning::kExtract, call<&MoveLowering::move>},
    {Meaning::kInsert, call<&MoveLowering::move>},
    {Meaning::kMatmul, call<&ComputeLowering::matmul>},
    {Meaning::kVector, call<&ComputeLowering::vector>},
    {Meaning::kVectorIn, call<&ComputeLowering::vector>},
    {Meaning::kSync, call<&SyncLowering::one_instruction>},
    {Meaning::kSyncSet, call<&SyncLowering::set_signal>},
    {Meaning::kSyncWait, call<&SyncLowering::wait_signal>},
    {Meaning::kRecordEvent, call<&SyncLowering::record_event>},
    {Meaning::kWaitEvent, call<&SyncLowering::wait_event>},
    {Meaning::kOperationBarrier, call<&SyncLowering::operation_barrier>},
    {Meaning::kSyncAll, call<&SyncLowering::sync_all>},
    {Meaning::kEventArray, call<&SyncLowering::event_array>},
    {Meaning::kEventArraySet, call<&SyncLowering::set_event>},
    {Meaning::kEventArrayGet, call<&SyncLowering::get_event>},
    {Meaning::kReserveBuffer, call<&FifoLowering::reserve_buffer>},
    {Meaning::kImportBuffer, call<&FifoLowering::import_buffer>},
    {Meaning::kOpenPipe, call<&FifoLowering::open_pipe>},
    {Meaning::kPipeHandle, call<&FifoLowering::open_handle>},
    {Meaning::kAllocEntry, call<&FifoLowering::alloc_entry>},
    {Meaning::kPush, call<&FifoLowering::push>},
    {Meaning::kPop, call<&FifoLowering::pop>},
    {Meaning::kFree, call<&FifoLowering::free_slot>},
    {Meaning::kFifoTile, call<&FifoLowering::fifo_tile>},
    {Meaning::kDeclareTile, call<&FifoLowering::declare_tile>},
};

constexpr bool has_every_meaning_once() {
  std::array<unsigned, kMeaningCount> rows{};
  for (const Row& row : kRows) ++rows[static_cast<unsigned>(row.meaning)];
  for (const unsigned count : rows)
    if (count != 1) return false;
  return true;
}
static_assert(has_every_meaning_once(), "every meaning of an operation needs one handler");

Handler handler_of(Meaning meaning) {
  static constexpr auto kHandlers = [] {
    std::array<Handler, kMeaningCount> handlers{};
    for (const Row& row : kRows) handlers[static_cast<unsigned>(row.meaning)] = row.handler;
    return handlers;
  }();
  return kHandlers[static_cast<unsigned>(meaning)];
}

// --- arguments ---

[[noreturn]] void fail_without_value(const Parameter& p, const Function& function,
                                     const Diagnostics& diagnostics) {
  diagnostics.fail(p.place, joined("the argument ", p.name, " of @", function.name,
                                   " has no value; give --param ", p.name.substr(1), "=VALUE"));
}

}  // namespace

FunctionLowering::FunctionLowering(const FunctionKinds& kinds, const LowerOptions& options,
                                   cluster::CoreKind core, const ReservedBuffers& reserved,
                                   const Diagnostics& diagnostics,
                                   std::vector<cluster::GmArray>& arrays)
    : context_{kinds, options, reserved, core, diagnostics},
      parts_(context_, context_, context_, context_, context_, context_, context_),
      arrays_(arrays) {
  context_.lower = [this](const Operation& op) { lower(op); };
}

cluster::Program FunctionLowering::run(const Function& function) {
  context_.emitter.program().name = function.name;
  context_.emitter.program().file = context_.diagnostics.file();
  context_.scope.enter_function(function);
  define_parameters(function);
  std::get<ControlLowering>(parts_).region(function.body);
  std::get<FifoLowering>(parts_).close_all(function.place);
  const auto& operations = function.body.operations;
  cluster::Program program =
      context_.emitter.take(operations.empty() ? function.place : operations.back().place);
  program.arrays = arrays_;
  return program;
}

void FunctionLowering::lower(const Operation& op) {
  const OperationInfo& info = operation_info(op.name);
  if (!belongs_elsewhere(op, info)) handler_of(info.meaning)(parts_, op, info);
}

bool FunctionLowering::belongs_elsewhere(const Operation& op, const OperationInfo& info) const {
  if (!context_.kinds.is_mixed(context_.scope.function())) return false;
  const auto kind = FunctionKinds::kind_of(op);
  const bool signals = info.form == Form::kPipeIds &&
                       (info.meaning == Meaning::kSyncSet || info.meaning == Meaning::kSyncWait ||
                        info.opcode >= Opcode::kSetCrossCore);
  if (!kind && signals)
    context_.diagnostics.fail(op.place,
                              joined(op.name, ": both kinds of core have this pipe; put it into "
                                              "pto.section.cube or pto.section.vector"));
  return kind && *kind != context_.core;
}

void FunctionLowering::define_parameters(const Function& function) {
  for (const Parameter& p : function.parameters)
    context_.scope.define(p.name, p.place, value_of(p, function));
}

Value FunctionLowering::value_of(const Parameter& p, const Function& function) {
  const Diagnostics& diagnostics = context_.diagnostics;
  const auto& whole = context_.options.params;
  const auto& reals = context_.options.reals;
  const std::string name = p.name.substr(1);
  Value v;
  v.type = p.type;
  if (p.type.kind != Type::Kind::kScalar) {
    if (p.type.kind != Type::Kind::kPointer && p.type.kind != Type::Kind::kMemref)
      diagnostics.fail(p.place, "an argument of this type is not taken, expected a pointer, a "
                                "memref or a number");
    v.kind = Value::Kind::kPointer;
    v.place.name = p.name;
    v.place.location = cluster::Location::kGm;
    v.place.array = array_of(p);
    v.place.element = element_of(p.type, diagnostics);
    return v;
  }
  const bool is_float = is_float_argument(p);
  const auto real = is_float ? reals.find(name) : reals.end();
  const auto integer = whole.find(name);
  if (real == reals.end() && integer == whole.end()) fail_without_value(p, function, diagnostics);
  if (is_float) {
    v.kind = Value::Kind::kFloat;
    v.number = real != reals.end() ? real->second : static_cast<double>(integer->second);
  } else {
    v.scalar = integer->second;
  }
  return v;
}

std::uint16_t FunctionLowering::array_of(const Parameter& p) {
  const std::string name = p.name.substr(1);
  const auto same = [&name](const cluster::GmArray& a) { return a.name == name; };
  const auto found = std::find_if(arrays_.begin(), arrays_.end(), same);
  if (found != arrays_.end()) return static_cast<std::uint16_t>(found - arrays_.begin());
  arrays_.push_back({name, element_of(p.type, context_.diagnostics)});
  return static_cast<std::uint16_t>(arrays_.size() - 1);
}

}  // namespace tessera::pto
