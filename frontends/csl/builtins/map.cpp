// `@map`: calls a function for each element of descriptors (csl.md 8.4).
#include "frontends/csl/lower/calls.h"
#include "frontends/csl/lower/control.h"
#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

class Mapping {
 public:
  explicit Mapping(const BuiltinCall& call)
      : call_(call), evaluator_(call.evaluator), code_(code_of(call.evaluator)),
        builder_(code_.builder) {}

  Result make() {
    const FunctionValue callee = call_.function(0);
    const Function& function = *callee.function;
    const std::size_t parameters = function.parameters.size();
    if (call_.size() < parameters + 1 || call_.size() > parameters + 2)
      call_.fail("the function ", text::in_quotes(function.name.text), " takes ",
                 text::plural(parameters, "argument"),
                 "; one operand for each and perhaps one for "
                 "the results are expected");
    const bool has_output = call_.size() == parameters + 2;
    for (std::size_t i = 1; i < call_.size(); ++i) read(i, i == parameters + 1);
    if (!is_any_vector_) call_.fail("no operand is a descriptor or a DSR");
    const ir::BlockId header = builder_.new_block(), exit = builder_.new_block();
    builder_.jump(header);
    builder_.enter(header);
    const UnderCondition condition(code_);
    Frame frame(*callee.instance);
    Evaluator types(call_.engine(), frame);
    std::vector<Result> arguments;
    for (std::size_t i = 0; i < parameters; ++i) {
      const Input& input = inputs_[i];
      if (!input.dsr) {
        arguments.push_back(input.value);
        continue;
      }
      const Type* type = types.type(*function.parameters[i].type);
      if (type->is(TypeKind::kAnytype)) type = input.element;
      if (type == nullptr || !register_type(*type))
        call_.fail("the parameter ", text::in_quotes(function.parameters[i].name.text),
                   " takes no element of a descriptor");
      arguments.push_back(operand_of(type, next_element(*input.dsr, *register_type(*type), exit)));
    }
    Result result = expand_call(evaluator_, callee, arguments, call_.node);
    if (has_output) put(inputs_.back(), result, exit);
    if (!has_output && !result.type->is(TypeKind::kVoid))
      call_.fail("the function ", text::in_quotes(function.name.text),
                 " gives a result, and no operand takes it");
    if (!builder_.is_closed()) builder_.jump(header);
    builder_.enter(exit);
    return call_.nothing();
  }

 private:
  struct Input {
    std::optional<pe::Operand> dsr;
    const Type* element = nullptr;
    Result value;
  };

  void read(std::size_t i, bool is_output) {
    Input input;
    input.value = call_.operand(i);
    const Type& type = *input.value.type;
    if (type.is(TypeKind::kDsr)) {
      input.dsr = dsr_operand(code_.tile, input.value, is_output);
    } else if (type.is(TypeKind::kDsd)) {
      if (type.name == (is_output ? "fabin_dsd" : "fabout_dsd"))
        call_.fail("a ", type.name, " is no ", is_output ? "output" : "input");
      const LiveDsd live = live_dsd(evaluator_, input.value, call_.expr(i));
      if (input.value.is_known())
        input.element = input.value.value().get<std::shared_ptr<const Dsd>>()->element;
      const std::uint16_t file = is_output ? pe::kDest : pe::kSrc1;
      const auto number = code_.tile.dsrs().unused(file, number_++);
      if (!number) call_.fail("the DSRs of the PE are all taken");
      input.dsr = pe::Operand{static_cast<pe::OperandKind>(file), *number, 0};
      pe::OpConfig config;
      config.single_step = true;
      if (!live.record)
        add_extension(code_.tile, code_.tile.module().descriptors[live.descriptor].dsd, config,
                      is_output ? 0 : 2);
      ir::load_dsr(builder_, *input.dsr, operand_of_dsd(live), config);
    }
    is_any_vector_ = is_any_vector_ || input.dsr.has_value();
    inputs_.push_back(std::move(input));
  }

  /// Takes an element; the loop ends if there is none.
  ir::Value next_element(const pe::Operand& dsr, ir::Type type, ir::BlockId exit) {
    ir::Machine m;
    m.op = ir::is_wide(type) ? pe::Opcode::kMov32 : pe::Opcode::kMov16;
    m.fields = {{ir::Machine::Slot::kResult, 0, {}}, {ir::Machine::Slot::kFixed, 0, dsr}};
    m.flag_result = true;
    const std::vector<ir::Value> made = builder_.machine(std::move(m), {}, {type, ir::Type::kBool});
    go_on_if(made[1], exit);
    return made[0];
  }

  void put(const Input& output, const Result& result, ir::BlockId exit) {
    const ir::Value value = scalar(evaluator_, result, call_.node);
    if (!output.dsr) {
      if (!output.value.type->is(TypeKind::kPointer))
        call_.fail("the last operand is no descriptor, no DSR and no pointer");
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
  std::vector<Input> inputs_;
  unsigned number_ = 0;
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
