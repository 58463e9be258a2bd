#include "frontends/pto/lower.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <vector>

#include "frontends/pto/fifo.h"
#include "frontends/pto/operation_code.h"
#include "frontends/pto/operation_lowering.h"
#include "frontends/pto/register_lowering.h"
#include "frontends/pto/tile_rules.h"
#include "frontends/pto/type_check.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto {

namespace {

// Every part lowers one group of operations. All share a LoweringContext: the Emitter owns the
// program under construction, the Scope names and values, TileMemory the bytes that tiles take.
using LoweringParts =
    std::tuple<ScalarLowering, ControlLowering, TileLowering, MoveLowering, ComputeLowering,
               SyncLowering, FifoLowering, CommLowering, RegisterLowering, RawLowering>;

// --- from the meaning of an operation to its handler ---

/// Lowers an operation; the row of operations.h says what it means.
using Handler = void (*)(LoweringParts& parts, const Operation& op, const OperationInfo& info);

template <class Part, class... Info>
void handle(LoweringParts& parts, void (Part::*method)(const Operation&, Info...),
            const Operation& op, const OperationInfo& info) {
  Part& part = std::get<Part>(parts);
  if constexpr (sizeof...(Info) > 0)
    (part.*method)(op, info);
  else
    (part.*method)(op);
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
    {Meaning::kSelect, call<&ControlLowering::select>},
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
    {Meaning::kTerminator, call<&ControlLowering::terminate>},
    {Meaning::kCubeSection, call<&ControlLowering::section>},
    {Meaning::kVectorSection, call<&ControlLowering::section>},
    {Meaning::kRegion, call<&ControlLowering::inline_region>},
    {Meaning::kCall, call<&ControlLowering::call>},
    {Meaning::kVectorScope, call<&ControlLowering::vector_scope>},
    {Meaning::kRegister, call<&RegisterLowering::instruction>},
    {Meaning::kRawMove, call<&RawLowering::move>},
    {Meaning::kUnknown, call<&ControlLowering::unknown>},
    {Meaning::kAllocTile, call<&TileLowering::alloc>},
    {Meaning::kAllocMultiTile, call<&TileLowering::alloc_several>},
    {Meaning::kMultiTile, call<&TileLowering::one_of_several>},
    {Meaning::kSetQuantization, call<&MoveLowering::set_quantization>},
    {Meaning::kSizeOf, call<&TileLowering::size_of>},
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
    {Meaning::kScaleAddress, [](LoweringParts&, const Operation&, const OperationInfo&) {}},
    {Meaning::kGatherMemory, call<&ComputeLowering::gather_memory>},
    {Meaning::kImageColumns, call<&ComputeLowering::image_columns>},
    {Meaning::kInterleave, call<&ComputeLowering::interleave>},
    {Meaning::kVector, call<&ComputeLowering::vector>},
    {Meaning::kVectorIn, call<&ComputeLowering::vector>},
    {Meaning::kSync, call<&SyncLowering::one_instruction>},
    {Meaning::kSignal, call<&SyncLowering::signal>},
    {Meaning::kEvent, call<&SyncLowering::event>},
    {Meaning::kOperationBarrier, call<&SyncLowering::operation_barrier>},
    {Meaning::kSyncAll, call<&SyncLowering::sync_all>},
    {Meaning::kArray, call<&ScalarLowering::array>},
    {Meaning::kArraySet, call<&ScalarLowering::set_element>},
    {Meaning::kArrayGet, call<&ScalarLowering::get_element>},
    {Meaning::kGetValue, call<&ScalarLowering::get_value>},
    {Meaning::kSetValue, call<&ScalarLowering::set_value>},
    {Meaning::kPrint, call<&ScalarLowering::print>},
    {Meaning::kConvertScalar, call<&ScalarLowering::convert>},
    {Meaning::kNotify, call<&CommLowering::notify>},
    {Meaning::kTestWait, call<&CommLowering::test>},
    {Meaning::kTransfer, call<&CommLowering::transfer>},
    {Meaning::kReduce, call<&CommLowering::reduce>},
    {Meaning::kSession, call<&CommLowering::session>},
    {Meaning::kAsyncEvent, call<&CommLowering::async_event>},
    {Meaning::kReserveBuffer, call<&FifoLowering::define_buffer>},
    {Meaning::kImportBuffer, call<&FifoLowering::define_buffer>},
    {Meaning::kOpenPipe, call<&FifoLowering::open_pipe>},
    {Meaning::kPipeHandle, call<&FifoLowering::open_handle>},
    {Meaning::kAllocEntry, call<&FifoLowering::alloc_entry>},
    {Meaning::kPush, call<&FifoLowering::push>},
    {Meaning::kPop, call<&FifoLowering::pop>},
    {Meaning::kFree, call<&FifoLowering::free_slot>},
    {Meaning::kFifoTile, call<&FifoLowering::fifo_tile>},
    {Meaning::kDeclareTile, call<&FifoLowering::declare_tile>},
};

constexpr auto kHandlers = [] {
  std::array<Handler, kMeaningCount> handlers{};
  for (const Row& row : kRows) handlers[static_cast<unsigned>(row.meaning)] = row.handler;
  return handlers;
}();

constexpr bool has_every_meaning_once() {
  std::array<bool, kMeaningCount> found{};
  for (const Row& row : kRows) {
    bool& is_found = found[static_cast<unsigned>(row.meaning)];
    if (is_found) return false;
    is_found = true;
  }
  return std::size(kRows) == kMeaningCount;
}
static_assert(has_every_meaning_once(), "every meaning of an operation needs one handler");

// --- functions ---

/// Lowers one function for one kind of core.
class FunctionLowering {
 public:
  /// Adds the arrays in GM that the function uses to `arrays`.
  FunctionLowering(const FunctionKinds& kinds, const LowerOptions& options, CoreKind core,
                   const ReservedBuffers& reserved, const ExternalEnds& external,
                   const Diagnostics& diagnostics, std::vector<GmArray>& arrays)
      : context_{kinds, options, reserved, external, core, diagnostics},
        parts_(context_, context_, context_, context_, context_, context_, context_, context_,
               context_, context_),
        arrays_(arrays) {
    context_.lower = [this](const Operation& op) { lower(op); };
  }
  FunctionLowering(const FunctionLowering&) = delete;
  FunctionLowering& operator=(const FunctionLowering&) = delete;

  Program run(const Function& function) {
    context_.emitter.program().name = function.name;
    context_.emitter.program().file = context_.diagnostics.file();
    context_.scope.enter_function(function);
    for (const Parameter& p : function.parameters)
      context_.scope.define(p.name, p.place, value_of(p));
    context_.memory.plan(function);
    std::get<ControlLowering>(parts_).region(function.body);
    std::get<FifoLowering>(parts_).close_all(function.place);
    const auto& operations = function.body.operations;
    Program program =
        context_.emitter.take(operations.empty() ? function.place : operations.back().place);
    program.arrays = arrays_;
    return program;
  }
  /// One operation, outside of any function of a text.
  OperationCode run(const Operation& op, const std::vector<std::pair<std::string, Value>>& values,
                    const OperationSite& site) {
    const Function nowhere;
    context_.emitter.program().registers = site.registers;
    context_.emitter.program().vector_registers = site.vector_registers;
    context_.scope.enter_function(nowhere);
    for (const auto& [name, value] : values) context_.scope.define(name, op.place, value);
    const OperationInfo& info = operation_info(op.name);
    kHandlers[static_cast<unsigned>(info.meaning)](parts_, op, info);
    Program& program = context_.emitter.program();
    return {std::move(program.code), std::move(program.operations), program.registers,
            std::move(program.register_operations)};
  }
  /// Gives the pipes to the other kind of core away. Call it after run().
  std::vector<Fifo> take_fifos() { return std::get<FifoLowering>(parts_).take_fifos(); }

 private:
  void lower(const Operation& op) {
    const OperationInfo& info = operation_info(op.name);
    if (belongs_elsewhere(op, info)) return;
    TileRules(context_).check(op);
    kHandlers[static_cast<unsigned>(info.meaning)](parts_, op, info);
  }

  /// Whether the other kind of core runs an operation of a function that both kinds run.
  bool belongs_elsewhere(const Operation& op, const OperationInfo& info) const {
    if (!context_.kinds.of(context_.scope.function()).mixed) return false;
    const auto kind = FunctionKinds::kind_of(op);
    const bool signals = info.form == Form::kPipeIds && info.opcode >= Opcode::kSetCrossCore;
    if (!kind && signals)
      context_.diagnostics.fail(op.place, op.name,
                                ": both kinds of core have this pipe; put it into "
                                "pto.section.cube or pto.section.vector");
    return kind && *kind != context_.core;
  }

  Value value_of(const Parameter& p) {
    const Diagnostics& diagnostics = context_.diagnostics;
    const auto& whole = context_.options.params;
    const auto& reals = context_.options.reals;
    const std::string name = p.name.substr(1);
    Value v;
    v.type = p.type;
    if (p.type.kind == Type::Kind::kPointer || p.type.kind == Type::Kind::kMemref) {
      v.kind = Value::Kind::kPointer;
      v.place.name = p.name;
      v.place.location = space_of(p.type);
      if (v.place.location != Location::kGm) {
        v.place.element = element_of(p.type, diagnostics);
        v.place.address.add(std::get<TileLowering>(parts_).room_for_pointer(p, v.place), 1);
        return v;
      }
      v.place.array = array_of(p);
      v.place.element = element_of(p.type, diagnostics);
      if (p.type.kind == Type::Kind::kMemref) lay_out(v);
      return v;
    }
    if (p.type.kind == Type::Kind::kTile) return std::get<TileLowering>(parts_).of_parameter(p);
    if (p.type.kind == Type::Kind::kTensorView || p.type.kind == Type::Kind::kPartition)
      return view_of(p);
    if (p.type.kind == Type::Kind::kRegister)
      return RegisterCode(context_).argument_register(p.type, p.place);
    if (p.type.kind == Type::Kind::kOpaque && p.type.element == "vector") {
      v.kind = Value::Kind::kFloat;  // as a constant vector: no operation computes with it
      return v;
    }
    if (p.type.kind != Type::Kind::kScalar)
      diagnostics.fail(p.place, "an argument of this type is not taken, expected a pointer, a "
                                "memref, a tile, a view or a number");
    const bool is_float = is_float_argument(p);
    const auto real = is_float ? reals.find(name) : reals.end();
    const auto integer = whole.find(name);
    const bool is_given = real != reals.end() || integer != whole.end();
    if (is_float) v.kind = Value::Kind::kFloat;
    if (!is_given) {  // no operation uses it, or it has a role
      if (const auto role = role_of(p)) v.scalar = context_.emitter.get(*role, p.place);
    } else if (is_float) {
      v.number = real != reals.end() ? real->second : static_cast<double>(integer->second);
      if (!fits_float(v.number, p.type.element))
        throw UserError(context_.diagnostics.file(), "--param " + name,
                        "the value is no number of type " + p.type.element);
      v.number = float_of_type(v.number, p.type.element);
    } else {
      const IntegerType type = integer_type_of(p.type.element);
      if (!fits(integer->second, type))
        throw UserError(context_.diagnostics.file(), "--param " + name,
                        std::to_string(integer->second) + " is no number of type " +
                            p.type.element);
      v.scalar = type.of(integer->second);
    }
    return v;
  }

  /// A memref and a view that are arguments lie dense in an array of their own; an unknown size is 1.
  static void lay_out(Value& v) {
    std::int64_t stride = 1;
    v.sizes.assign(v.type.shape.size(), Operand(1));
    v.place.view.assign(v.type.shape.size(), {});
    for (std::size_t d = v.type.shape.size(); d-- > 0;) {
      if (v.type.shape[d] != kDynamic) v.sizes[d] = v.type.shape[d];
      v.place.view[d] = {v.sizes[d], stride};
      stride *= v.sizes[d].value;
    }
    v.place.dimensions = v.place.view;
  }

  Value view_of(const Parameter& p) {
    if (p.type.shape.empty() || p.type.shape.size() > cluster::kMostDimensions)
      context_.diagnostics.fail(p.place, "expected a view with 1 to 5 dimensions");
    Value v{Value::Kind::kView, p.type};
    v.place.name = p.name;
    v.place.location = Location::kGm;
    v.place.array = array_of(p);
    v.place.element = element_of(p.type, context_.diagnostics);
    lay_out(v);
    return v;
  }

  std::uint16_t array_of(const Parameter& p) {
    const std::string name = p.name.substr(1);
    const auto same = [&name](const GmArray& a) { return a.name == name; };
    const auto found = std::find_if(arrays_.begin(), arrays_.end(), same);
    const auto index = static_cast<std::uint16_t>(found - arrays_.begin());
    if (found == arrays_.end()) arrays_.push_back({name, element_of(p.type, context_.diagnostics)});
    return index;
  }

  LoweringContext context_;
  LoweringParts parts_;  // all use context_
  std::vector<GmArray>& arrays_;
};

// --- modules ---

constexpr std::int64_t kMostUnknownCycles = 1'000'000'000;

/// The functions that may start: the one with this name; without a name those with pto.entry, or
/// those that no other function calls.
std::vector<const Function*> roots_of(const Module& module, const FunctionKinds& kinds,
                                      const std::string& name) {
  if (!name.empty()) {
    const Function* named = kinds.find(name);
    if (named != nullptr && named->has_body) return {named};
    std::vector<std::string> names;
    for (const Function& f : module.functions)
      if (f.has_body) names.push_back(f.name);
    throw UserError(module.file, "--function " + name,
                    "the module has no such function with a body" + did_you_mean(name, names));
  }
  std::vector<const Function*> entries, roots, all;
  for (const Function& f : module.functions) {
    if (!f.has_body) continue;
    all.push_back(&f);
    if (find(f.attributes, "pto.entry") != nullptr) entries.push_back(&f);
    if (!kinds.of(f).called) roots.push_back(&f);
  }
  if (!entries.empty()) return entries;
  // If all functions call each other, lowering the first one reports the recursion.
  if (roots.empty() && !all.empty()) roots.push_back(all.front());
  return roots;
}

std::shared_ptr<const Program> lower_for(const Module& module, CoreKind kind,
                                         const FunctionKinds& kinds, const LowerOptions& options,
                                         const ReservedBuffers& reserved,
                                         const ExternalEnds& external, std::vector<GmArray>& arrays,
                                         std::vector<Fifo>& fifos) {
  const Diagnostics diagnostics(module.file);
  const Function* chosen = nullptr;
  for (const Function* function : roots_of(module, kinds, options.function)) {
    const FunctionKinds::Facts& facts = kinds.of(*function);
    if (facts.is_neutral() ? kind != CoreKind::kAiv : !facts.runs_on(kind)) continue;
    if (chosen != nullptr)
      diagnostics.fail(function->place, "@", function->name, " and @", chosen->name,
                       " both run on ", to_string(kind),
                       ", expected one function for each kind of core; choose one with --function ",
                       chosen->name, " or --function ", function->name);
    chosen = function;
  }
  if (chosen == nullptr) return nullptr;
  // In April the only function is an entry; in August it may be a part of another program.
  const auto bodies = std::count_if(module.functions.begin(), module.functions.end(),
                                    [](const Function& f) { return f.has_body; });
  const bool is_entry = find(chosen->attributes, "pto.entry") != nullptr ||
                        (bodies == 1 && options.version == Version::kApril2026);
  if (!chosen->results.empty() && is_entry)
    diagnostics.fail(chosen->place, "@", chosen->name,
                     " is an entry and has results, expected none");
  for (const Function& f : module.functions)
    for (const Type& type : f.results)
      if (type.element == "!pto.struct")
        diagnostics.fail(type.place, "a struct cannot leave the function that declares it");
  FunctionLowering lowering(kinds, options, kind, reserved, external, diagnostics, arrays);
  auto program = std::make_shared<const Program>(lowering.run(*chosen));
  fifos = lowering.take_fifos();
  return program;
}

/// The line of the first operation that uses the value; 0: none does.
unsigned first_use(const Function& function, const std::string& value) {
  unsigned line = 0;
  for_each_operation(function.body, [&](const Operation& op) {
    for (const Argument& a : op.arguments)
      if (line == 0 && a.text == value) line = a.place.line;
  });
  return line;
}

/// Throws UserError with all arguments of the function that need a value and have none.
void require_values(const Module& module, const Function& function, const LowerOptions& options) {
  std::string missing, hint;
  const Parameter* first = nullptr;
  unsigned count = 0;
  for (const Parameter& p : function.parameters) {
    const std::string name = p.name.substr(1);
    const unsigned line = first_use(function, p.name);
    const bool is_real = is_float_argument(p) && options.reals.count(name) > 0;
    if (p.type.kind != Type::Kind::kScalar || options.params.count(name) > 0 || is_real ||
        role_of(p) || line == 0)
      continue;
    if (count++ == 0) first = &p;
    missing +=
        joined(count > 1 ? ", " : "", p.name, " (", p.type.element, ", used in line ", line, ")");
    hint += " --param " + name + "=VALUE";
  }
  if (first == nullptr) return;
  Diagnostics(module.file)
      .fail(first->place, count > 1 ? "the arguments " : "the argument ", missing, " of @",
            function.name, count > 1 ? " have" : " has", " no value; give", hint);
}

void check_params(const Module& module, const FunctionKinds& kinds, const LowerOptions& options) {
  std::vector<std::string> names, floats;
  // A parameter may belong to a function that another run starts.
  for (const Function& f : module.functions) {
    const bool may_start = f.has_body && !kinds.of(f).called;
    if (!may_start && f.name != options.function) continue;
    for (const Parameter& p : f.parameters) {
      if (p.type.kind != Type::Kind::kScalar) continue;
      names.push_back(p.name.substr(1));
      if (is_float_argument(p)) floats.push_back(names.back());
    }
  }
  const auto require = [&](const std::string& name, const std::vector<std::string>& list,
                           const std::string& what) {
    if (std::count(list.begin(), list.end(), name) == 0)
      throw UserError(module.file, "--param " + name,
                      "no function has " + what + " %" + name + did_you_mean(name, list));
  };
  for (const auto& [name, value] : options.params) require(name, names, "a scalar argument");
  for (const auto& [name, value] : options.reals) {
    if (std::count(floats.begin(), floats.end(), name) == 0 &&
        std::count(names.begin(), names.end(), name) > 0)
      throw UserError(module.file, "--param " + name,
                      "the argument %" + name +
                          " takes whole numbers of 64 bits, without a point or an exponent");
    require(name, floats, "a floating-point argument");
  }
  for (const Function* f : roots_of(module, kinds, options.function))
    require_values(module, *f, options);
}

}  // namespace

UnknownCost parse_unknown_cost(const std::string& text) {
  const auto fail = [&text](const std::string& problem) {
    throw UserError("", "--pto-unknown",
                    "'" + text + "': " + problem + "; expected cost:N or cost:N,PIPE");
  };
  if (text.rfind("cost:", 0) != 0) fail("it does not begin with cost:");
  const std::size_t comma = std::min(text.find(','), text.size());
  UnknownCost cost;
  const auto cycles = whole_number(std::string_view(text).substr(5, comma - 5));
  if (!cycles || *cycles < 0 || *cycles > kMostUnknownCycles)
    fail(joined("the cycles are no number of 0..", kMostUnknownCycles));
  cost.cycles = *cycles;
  if (comma == text.size()) return cost;
  for (const Pipe pipe : sync::kPipes)
    if (pipe != Pipe::kS && text.substr(comma + 1) == to_string(pipe)) cost.pipe = pipe;
  if (!cost.pipe) fail("the pipe is none of V, MTE1, MTE2, MTE3, M and FIX");
  return cost;
}

std::optional<Profile> profile_of(const Module& module) {
  const Attribute* arch = find(module.attributes, "pto.target_arch");
  const Attribute* device = find(module.attributes, "pto.device-spec");
  const Diagnostics diagnostics(module.file);
  if (arch != nullptr) {
    if (arch->value == "\"a5\"") return Profile::kA5;
    if (is_one_of({"\"a2a3\"", "\"a3\"", "\"a2\""}, arch->value)) return Profile::kA2A3;
    diagnostics.fail(arch->place, "expected \"a2a3\", \"a3\" or \"a5\", found ",
                     text::in_quotes(arch->value));
  }
  if (device == nullptr) return std::nullopt;
  if (device->value.rfind("\"Ascend950", 0) == 0) return Profile::kA5;
  if (device->value.rfind("\"Ascend910", 0) == 0) return Profile::kA2A3;
  diagnostics.fail(device->place, "expected a device Ascend910.. or Ascend950.., found ",
                   text::in_quotes(device->value));
}

OperationCode lower_operation(const Operation& op,
                              const std::vector<std::pair<std::string, Value>>& values,
                              const OperationSite& site) {
  const Module module;
  const FunctionKinds kinds(module);
  LowerOptions options;
  options.profile = site.profile;
  options.sizes_of_results = true;
  const ReservedBuffers reserved(module, cluster::capacities_of(site.profile));
  const ExternalEnds no_external_ends;
  const Diagnostics diagnostics(site.file);
  std::vector<GmArray> arrays;
  return FunctionLowering(kinds, options, site.core, reserved, no_external_ends, diagnostics,
                          arrays)
      .run(op, values, site);
}

Kernel lower(const Module& module, const LowerOptions& options) {
  check_types(module);
  const FunctionKinds kinds(module);
  check_params(module, kinds, options);
  const ReservedBuffers reserved(module, cluster::capacities_of(options.profile));
  Kernel kernel;
  std::vector<Fifo> of_aic, of_aiv;
  const auto lower_both = [&](const ExternalEnds& ends) {
    kernel.aic =
        lower_for(module, CoreKind::kAic, kinds, options, reserved, ends, kernel.arrays, of_aic);
    kernel.aiv =
        lower_for(module, CoreKind::kAiv, kinds, options, reserved, ends, kernel.arrays, of_aiv);
  };
  lower_both({});
  if (kernel.aic && kernel.aiv) check_fifo_ends(of_aic, of_aiv, options, Diagnostics(module.file));
  if (options.external_peers || !kernel.aic || !kernel.aiv) {
    ExternalEnds ends = external_ends(of_aic, of_aiv, kernel.external_ends);
    ends.merge(external_ends(of_aiv, of_aic, kernel.external_ends));
    if (!ends.empty()) lower_both(ends);
  }
  if (!kernel.aic && !kernel.aiv) Diagnostics(module.file).fail("no function with a body");
  return kernel;
}

}  // namespace tessera::pto
