// `@map`: calls a function for each element of descriptors (csl.md 8.4).
#include <algorithm>

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/lower/calls.h"
#include "frontends/csl/lower/control.h"
#include "frontends/csl/lower/descriptor_checks.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

/// Steps of a `@map` that may become code of their own each.
constexpr std::uint32_t kMostCounted = 64;

class Mapping {
 public:
  explicit Mapping(const BuiltinCall& call)
      : call_(call), evaluator_(call.evaluator), code_(code_of(call.evaluator)),
        builder_(code_.builder), checks_(code_.tile) {}

  Result make() {
    const FunctionValue callee = call_.function(0);
    const Function& function = *callee.function;
    const std::size_t parameters = function.parameters.size();
    if (call_.size() < parameters + 1 || call_.size() > parameters + 2)
      call_.fail(Id::kMap, "the function ", text::in_quotes(function.name.text), " takes ",
                 text::plural(parameters, "argument"),
                 "; one operand for each and perhaps one for "
                 "the results are expected");
    const bool has_output = call_.size() == parameters + 2;
    for (std::size_t i = 1; i < call_.size(); ++i) read(i, i == parameters + 1);
    checks_.finish(DescriptorChecks::Length::kShortest);
    if (!is_any_vector_) {
      std::string hint;
      for (const Input& input : inputs_)
        hint = hint.empty() ? descriptor_hint(*input.value.type) : hint;
      call_.fail(Id::kNoDescriptor, "no operand is a descriptor or a DSR", hint);
    }
    count_steps();
    if (!counter_) load_dsrs();
    const ir::BlockId header = builder_.new_block(), exit = builder_.new_block();
    builder_.jump(header);
    builder_.enter(header);
    const UnderCondition condition(code_);
    if (counter_) {
      const ir::BlockId body = builder_.new_block();
      builder_.map_branch(step(), ir::constant(ir::Type::kU16, steps_), body, exit);
      builder_.enter(body);
    }
    Frame frame(*callee.instance);
    Evaluator types(call_.engine(), frame);
    std::vector<Result> arguments;
    for (std::size_t i = 0; i < parameters; ++i) {
      const Input& input = inputs_[i];
      if (!input.is_vector()) {
        arguments.push_back(input.value);
        continue;
      }
      const Type* type = types.type(*function.parameters[i].type);
      if (type->is(TypeKind::kAnytype)) type = input.element;
      if (type == nullptr || !register_type(*type))
        call_.fail(Id::kMap, "the parameter ", text::in_quotes(function.parameters[i].name.text),
                   " takes no element of a descriptor");
      check_width(input, ir::bytes_of(*register_type(*type)), call_.expr(i + 1));
      arguments.push_back(operand_of(type, next_element(input, *register_type(*type), exit)));
    }
    Result result = expand_call(evaluator_, callee, arguments, call_.node);
    if (has_output) put(inputs_.back(), result, exit);
    if (!has_output && !result.type->is(TypeKind::kVoid))
      call_.fail(Id::kMap, "the function ", text::in_quotes(function.name.text),
                 " gives a result, and no operand takes it");
    if (!builder_.is_closed()) {
      if (counter_)
        builder_.store(*counter_,
                       builder_.binary(ir::Op::kAdd, step(), ir::constant(ir::Type::kU16, 1)));
      builder_.jump(header);
    }
    builder_.enter(exit);
    return call_.nothing();
  }

 private:
  struct Input {
    std::optional<pe::Operand> dsr;
    std::optional<LiveDsd> live;
    bool is_output = false;
    bool is_program_dsr = false;  ///< named by the program
    bool is_vector() const { return dsr || live; }
    const Type* element = nullptr;
    Result value;
  };

  void read(std::size_t i, bool is_output) {
    Input input;
    input.value = call_.operand(i);
    const Type& type = *input.value.type;
    if (type.is(TypeKind::kDsr)) {
      input.dsr = dsr_operand(code_.tile, input.value, is_output);
      input.is_program_dsr = true;
      checks_.add_unknown(static_cast<unsigned>(i));
    } else if (type.is(TypeKind::kDsd)) {
      refuse_circular(call_, i, input.value);
      if (type.name == (is_output ? "fabin_dsd" : "fabout_dsd"))
        call_.fail(Id::kOperandDirection, "a ", type.name, " is no ",
                   is_output ? "output" : "input");
      input.live = live_dsd(evaluator_, input.value, call_.expr(i));
      input.element = input.live->element;
      checks_.add(is_output ? 0 : static_cast<unsigned>(i), input.value, *input.live,
                  call_.expr(i));
      input.is_output = is_output;
    }
    is_any_vector_ = is_any_vector_ || input.is_vector();
    inputs_.push_back(std::move(input));
  }

  /// An element is a number that the function takes or gives: as wide, integers too.
  void check_width(const Input& operand, unsigned bytes, const Node& at) {
    if (operand.is_program_dsr) code_.tile.dsr_uses.add_use(*operand.dsr, bytes, {}, at);
    if (const auto variable = operand.live ? variable_with(*operand.live) : std::nullopt)
      code_.tile.dsr_uses.add_use(*variable, bytes, at);
    if (operand.element == nullptr || size_of(*operand.element) == bytes) return;
    call_.engine().fail(Id::kElementWidth, at, "the function works on numbers of ", 8 * bytes,
                        " bits; the descriptor has elements of type ",
                        text::in_quotes(operand.element->name), ", which have ",
                        8 * size_of(*operand.element));
  }

  const pe::Dsd& dsd_of(const LiveDsd& live) const {
    return code_.tile.module().descriptors[live.descriptor].dsd;
  }

  /// Elements of an operand whose place in memory is known now.
  std::optional<std::uint32_t> known_extent(const Input& input) const {
    if (!input.live || input.live->record) return std::nullopt;
    const LiveDsd& live = *input.live;
    const auto is_given = [](const ir::Value& v) { return v.kind != ir::Value::Kind::kNone; };
    if (is_given(live.base) || is_given(live.extent) || is_given(live.stride)) return std::nullopt;
    const ir::Descriptor& d = code_.tile.module().descriptors[live.descriptor];
    if (!d.array || d.dsd.kind != pe::DsdKind::kMem1d || d.dsd.wavelet_index_offset)
      return std::nullopt;
    return d.dsd.extent;
  }

  /// The steps, if every operand is a vector in memory that is known now: then a step loads and stores
  /// elements at addresses that the compiler counts.
  void count_steps() {
    std::optional<std::uint32_t> least;
    for (const Input& input : inputs_) {
      if (!input.is_vector()) continue;
      const std::optional<std::uint32_t> extent = known_extent(input);
      if (!extent || *extent > kMostCounted) return;
      least = std::min(least.value_or(*extent), *extent);
    }
    if (!least) return;
    steps_ = *least;
    counter_ = ir::address_of(builder_.local("step", ir::Type::kU16));
    builder_.store(*counter_, ir::constant(ir::Type::kU16, 0));
  }
  ir::Value step() { return builder_.load(ir::Type::kU16, *counter_); }

  ir::Value element_address(const Input& input, ir::Type type) {
    const ir::Descriptor& d = code_.tile.module().descriptors[input.live->descriptor];
    const unsigned bytes = d.dsd.element_bytes == 0 ? ir::bytes_of(type) : d.dsd.element_bytes;
    const auto distance = static_cast<std::uint16_t>(d.dsd.strides[0] * static_cast<int>(bytes));
    return builder_.element(ir::address_of(*d.array, d.dsd.base), step(), distance);
  }

  /// Vectors that are not counted are DSRs.
  void load_dsrs() {
    ir::StrideRegisters strides;
    unsigned source = 1;
    for (Input& input : inputs_) {
      if (!input.live) continue;
      const std::uint16_t file = input.is_output ? pe::kDest : pe::kSrc1;
      const auto number = code_.tile.dsrs().unused(file, number_++);
      if (!number) call_.fail(Id::kRegistersTaken, "the DSRs of the PE are all taken");
      input.dsr = pe::Operand{static_cast<pe::OperandKind>(file), *number, 0};
      pe::OpConfig config;
      config.single_step = true;
      // A mem1d whose stride is known and long is loaded as two loops.
      const bool is_extended = input.live->record ? input.value.type->name == "mem4d_dsd"
                                                  : dsd_of(*input.live).kind == pe::DsdKind::kMem4d;
      if (is_extended) extend(*input.live, strides, input.is_output ? 0 : source++, config);
      ir::load_dsr(builder_, *input.dsr, operand_of_dsd(*input.live), config);
    }
  }

  /// Extended and stride registers of one operand beside those of the others, which are in use as long.
  void extend(const LiveDsd& live, ir::StrideRegisters& strides, unsigned slot,
              pe::OpConfig& config) {
    if (!live.record) return add_extension(code_.tile, dsd_of(live), config, slot, strides);
    const pe::OpConfig made = strides.extension_of_record(slot, code_.tile.dsrs().choice());
    config.xdsr = made.xdsr;
    config.sr = made.sr;
  }

  /// Takes an element; the loop ends if there is none.
  ir::Value next_element(const Input& input, ir::Type type, ir::BlockId exit) {
    if (counter_) return builder_.load(type, element_address(input, type));
    ir::Machine m;
    m.op = ir::is_wide(type) ? pe::Opcode::kMov32 : pe::Opcode::kMov16;
    m.fields = {{ir::Machine::Slot::kResult, 0, {}}, {ir::Machine::Slot::kFixed, 0, *input.dsr}};
    m.flag_result = true;
    const std::vector<ir::Value> made = builder_.machine(std::move(m), {}, {type, ir::Type::kBool});
    go_on_if(made[1], exit);
    return made[0];
  }

  void put(const Input& output, const Result& result, ir::BlockId exit) {
    const ir::Value value = scalar(evaluator_, result, call_.node);
    if (output.is_vector())
      check_width(output, ir::bytes_of(value.type), call_.expr(call_.size() - 1));
    if (output.is_vector() && counter_)
      return builder_.store(element_address(output, value.type), value);
    if (!output.dsr) {
      if (!output.value.type->is(TypeKind::kPointer))
        call_.fail(Id::kMap, "the last operand is no descriptor, no DSR and no pointer");
      builder_.store(scalar(evaluator_, output.value, call_.node), value);
      return;
    }
    ir::Machine m;
    m.op = ir::is_wide(value.type) ? pe::Opcode::kMov32 : pe::Opcode::kMov16;
    m.fields = {{ir::Machine::Slot::kFixed, 0, *output.dsr}, {ir::Machine::Slot::kValue, 0, {}}};
    m.flag_result = true;
    const std::vector<ir::Value> made = builder_.machine(std::move(m), {value}, {ir::Type::kBool});
    go_on_if(made[0], exit);
  }

  void go_on_if(const ir::Value& flag, ir::BlockId exit) {
    const ir::BlockId next = builder_.new_block();
    builder_.branch(flag, next, exit);
    builder_.enter(next);
  }

  const BuiltinCall& call_;
  Evaluator& evaluator_;
  FunctionCode& code_;
  ir::Builder& builder_;
  DescriptorChecks checks_;
  std::vector<Input> inputs_;
  unsigned number_ = 0;
  std::optional<ir::Value> counter_;  ///< address of the number of the step
  std::uint32_t steps_ = 0;
  bool is_any_vector_ = false;
};

}  // namespace

BuiltinRow map_builtin() {
  return {"map",
          kInCode,
          {takes(Takes::kFunction, "function"), live(takes(Takes::kValue, "input or output")),
           repeated(live(takes(Takes::kValue, "inputs and output")))},
          [](const BuiltinCall& call) { return Mapping(call).make(); },
          "calls a function for each element of descriptors"};
}

}  // namespace tessera::csl
