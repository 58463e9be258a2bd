// Operations on descriptors (csl.md 7.4, 8).
#include <algorithm>

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/builtins/emit.h"
#include "frontends/csl/builtins/operation_facts.h"
#include "frontends/csl/builtins/operation_operands.h"
#include "frontends/csl/lower/alternatives.h"
#include "frontends/csl/lower/descriptor_checks.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

using Kind = ir::DsdOperand::Kind;

bool is_destination_file(const std::string& dsr) {
  return dsr == "dsr_dest" || dsr == "dsr_fifo_dest";
}

}  // namespace

pe::Operand dsr_operand(TileCode& tile, const Result& value, bool is_destination) {
  const auto number = static_cast<unsigned>(value.value().integer());
  if (value.type->is(TypeKind::kFifo)) {
    const unsigned dsr = tile.fifo(number).dsr;
    return {is_destination ? pe::kDest : pe::kSrc1, static_cast<std::uint8_t>(dsr), 0};
  }
  const std::string& kind = value.type->name;
  const pe::OperandKind file = is_destination_file(kind) ? pe::kDest
                               : kind == "dsr_src0"      ? pe::kSrc0
                                                         : pe::kSrc1;
  return {file, static_cast<std::uint8_t>(number), 0};
}

void refuse_circular(const BuiltinCall& call, std::size_t i, const Result& value) {
  if (value.type->name != "circbuf_dsd") return;
  call.fail_operand(
      Id::kCircularBuffer, i,
      " is a circbuf_dsd; it is loaded with @load_to_dsr_xdsr, and the operation takes the DSR");
}

void add_extension(const TileCode& tile, const pe::Dsd& dsd, pe::OpConfig& config, unsigned slot,
                   ir::StrideRegisters& strides) {
  const pe::OpConfig made = strides.extension_of(dsd, slot, tile.dsrs().choice());
  const auto lasting = made.xdsr ? tile.dsrs().lasting_extended(dsd) : std::nullopt;
  config.xdsr = lasting ? lasting : made.xdsr;
  config.sr = made.sr;
}

namespace {

/// The operands of an operation, its options and where its result goes, from one call.
class Operation {
 public:
  Operation(const BuiltinCall& call, pe::Opcode op)
      : call_(call), evaluator_(call.evaluator), code_(code_of(call.evaluator)),
        info_(pe::info(op)), choice_(code_.tile.dsrs().choice()), checks_(code_) {}

  Result make() {
    const std::size_t count = info_.operand_count;
    for (std::size_t i = 0; i < count; ++i) add(i, call_.operand(i));
    put_fifo_last();
    if (!has_vector_) return of_numbers();
    check_form(call_, info_, operands_);
    if (call_.size() > count) read_options(count);
    if (info_.op == pe::Opcode::kDfilt) check_filter();
    // A control wavelet may end the operation before its length is reached.
    const bool may_end_early = config_.on_control != pe::OnControl::kNone || has_unknown_dsr_;
    if (!may_end_early) checks_.finish();
    const bool is_complete = is_empty_ && operands_[0].kind == Kind::kDescriptor;
    for (std::size_t n = 0; n < dsrs_.size() && !is_complete; ++n)
      code_.tile.dsr_uses.add_use(dsrs_[n].first, width_of(dsrs_[n].second), config_,
                                  call_.expr(dsrs_[n].second));
    const std::optional<ir::Value> target = accumulated();
    const bool wants_flag =
        has_fifo_ && !is_complete && evaluator_.frame().statement != &call_.node;
    ir::Value flag;
    each_alternative([&](std::vector<ir::DsdOperand> operands, const pe::OpConfig& config) {
      if (is_complete) return complete(config);
      unify_simd(code_.tile, operands);
      check_fifo_room(operands);
      const ir::Value made = ir::dsd_operation(code_.builder, code_.tile.module(), info_.op,
                                               operands, config, wants_flag, choice_, index_);
      if (target) code_.builder.store(*target, made);
      if (wants_flag) flag = has_alternatives_ ? kept(flag, made) : made;
    });
    move_dsrs(may_end_early);
    if (!wants_flag) return call_.nothing();
    return operand_of(call_.types().bool_type, flag);
  }

 private:
  /// The instruction names the queues and ids of its operands and options: it is made for each that the running program
  /// may choose.
  template <class Make>
  void each_alternative(const Make& make) {
    std::vector<Alternative> all;
    for (const ir::DsdOperand& operand : operands_) {
      if (!operand.several.empty()) all.push_back({operand.chosen, operand.several});
    }
    for (const LiveOption& option : live_)
      all.push_back({scalar(evaluator_, option.value, call_.node), option.ids});
    has_alternatives_ = !all.empty();
    for_each_alternative(code_.builder, all, [&](const std::vector<std::uint32_t>& numbers) {
      std::vector<ir::DsdOperand> operands = operands_;
      pe::OpConfig config = config_;
      std::size_t next = 0;
      for (ir::DsdOperand& operand : operands) {
        if (!operand.several.empty()) operand.descriptor = numbers[next++];
        operand.several.clear();
      }
      for (const LiveOption& option : live_) option.set(config, numbers[next++]);
      make(std::move(operands), config);
    });
  }

  /// Wavelets of several 16-bit elements enter a FIFO whole (wse.md 5.10), so it has to have room for one of them.
  void check_fifo_room(const std::vector<ir::DsdOperand>& operands) const {
    if (!types_[0]->is(TypeKind::kFifo)) return;
    const auto number = static_cast<std::size_t>(call_.operand(0).value().integer());
    const Type& buffer = *code_.tile.tile().fifos.at(number).buffer->type;
    if (size_of(*buffer.element) != 2) return;
    for (const ir::DsdOperand& operand : operands) {
      if (operand.kind != Kind::kDescriptor) continue;
      const pe::Dsd& dsd = code_.tile.module().descriptors[operand.descriptor].dsd;
      if (dsd.kind != pe::DsdKind::kFabin || dsd.simd == pe::SimdMode::kOff) continue;
      const std::int64_t at_once = dsd.simd == pe::SimdMode::k64 ? 4 : 2;
      if (buffer.count() < at_once)
        call_.fail(
            Id::kFifoBuffer, "the FIFO has room for ", buffer.count(),
            buffer.count() == 1 ? " element" : " elements", ", and ", at_once,
            " arrive at once; a larger buffer or .simd_mode = .{ .simd_off = true } mends it");
    }
  }

  /// One register for what each alternative gives.
  ir::Value kept(const ir::Value& into, const ir::Value& value) {
    ir::Value made = into;
    if (made.kind == ir::Value::Kind::kNone)
      made = ir::reg(value.type, code_.builder.new_register(value.type));
    code_.builder.assign(made, value);
    return made;
  }

  /// An operation without elements ends where it begins: descriptors of public programs have none at the rim. The instruction
  /// would do one element (wse.md 5.8).
  void complete(const pe::OpConfig& config) {
    const auto tell = [&](pe::Opcode op, TaskId id) {
      code_.builder.control(op, {pe::kTask, 0, static_cast<std::int32_t>(id.value())});
    };
    if (config.activate) tell(pe::Opcode::kActvt, *config.activate);
    if (config.unblock) tell(pe::Opcode::kUblk, *config.unblock);
  }

  void add(std::size_t i, const Result& value) {
    const Type& type = *value.type;
    types_.push_back(&type);
    const Expr& at = call_.expr(i);
    if (type.is(TypeKind::kDsd)) return add_descriptor(i, value);
    if (type.is(TypeKind::kDsr) || type.is(TypeKind::kFifo)) return add_dsr(i, value);
    ir::DsdOperand operand;
    if (i == 0 && type.is(TypeKind::kPointer)) {
      check_pointee(call_, value, info_.types[0]);
      operand.kind = Kind::kPointer;
      operand.value = scalar(evaluator_, value, at);
    } else if (i == 0) {
      call_.engine().fail(
          Id::kOperandType, at, call_.what(0), " is of type ", text::in_quotes(type.name),
          " instead of a descriptor, a DSR, a FIFO or a pointer", descriptor_hint(type));
    } else if (type.is(TypeKind::kArray)) {
      call_.fail_operand(Id::kOperandType, i, " is of type ", text::in_quotes(type.name),
                         " instead of a descriptor or a number", descriptor_hint(type));
    } else {
      operand.kind = Kind::kScalar;
      check_scalar(i, type);
      operand.value = scalar_operand(call_, value, info_.types[i], i);
    }
    operands_.push_back(operand);
  }

  /// Operations that the language has for numbers too (wse.md 6.7): the result goes to a pointer.
  Result of_numbers() {
    using Op = pe::Opcode;
    ir::Builder& builder = code_.builder;
    const ir::Value& x = operands_[1].value;
    ir::Value made;
    switch (info_.op) {
    case Op::kFnormh:
    case Op::kFnorms:
      made = builder.unary(ir::Op::kNormalize, x);
      break;
    case Op::kFscaleh:
    case Op::kFscales:
      made = builder.binary(ir::Op::kScale, x, builder.convert(ir::Type::kI16, operands_[2].value));
      break;
    case Op::kFh2xp16:
    case Op::kFs2xp16:
      made = builder.convert(ir::Type::kI16, x);
      break;
    default:
      call_.fail(Id::kNoDescriptor, "none of the operands is a descriptor, a DSR or a FIFO");
    }
    const bool has_options = call_.size() > info_.operand_count &&
                             !call_.operand(info_.operand_count).type->fields.empty();
    if (has_options) call_.fail(Id::kNoDescriptor, "takes no options for numbers");
    builder.store(operands_[0].value, made);
    return call_.nothing();
  }

  void add_descriptor(std::size_t i, const Result& value) {
    refuse_circular(call_, i, value);
    check_direction(call_, value, i, is_destination(i));
    const bool is_input = value.type->name == "fabin_dsd";
    if (is_input && has_input_ && code_.tile.is_wse3())
      call_.fail(Id::kOneInput, "an operation of WSE-3 has one input from the fabric at most");
    has_input_ = has_input_ || is_input;
    may_have_queue_ = may_have_queue_ || is_input || value.type->name == "fabout_dsd";
    may_be_async_ = may_be_async_ || may_have_queue_;
    is_empty_ = (is_empty_ || !has_vector_) && has_no_elements(value);
    has_vector_ = true;
    const LiveDsd live = live_or_several(evaluator_, value, call_.expr(i));
    check_width(i, live.element);
    const std::optional<ir::VariableId> variable = variable_with(live);
    if (variable && width_of(i) != 0)
      code_.tile.dsr_uses.add_use(*variable, width_of(i), call_.expr(i));
    checks_.add(slot_of(i), value, live, call_.expr(i), pe::bytes_of(info_.types[i]));
    ir::DsdOperand operand = operand_of_dsd(live);
    operand.is_extended = value.type->name == "mem4d_dsd" || value.type->name == "circbuf_dsd";
    operand.is_stored = code_.tile.is_stored(live);
    operand.is_by_value = evaluator_.engine().options.passes_descriptors && !operand.is_extended &&
                          (live.record || live.is_variable);
    operands_.push_back(std::move(operand));
  }

  void add_dsr(std::size_t i, const Result& value) {
    call_.engine().known(value, call_.expr(i));
    const std::string& kind = value.type->name;
    check_dsr_kind(i, kind);
    has_fifo_ =
        has_fifo_ || value.type->is(TypeKind::kFifo) || kind.find("fifo") != std::string::npos;
    may_have_queue_ = may_have_queue_ || !value.type->is(TypeKind::kFifo);
    may_be_async_ = has_vector_ = true;
    is_empty_ = false;
    if (value.type->is(TypeKind::kFifo)) check_fifo_width(i, value);
    ir::DsdOperand operand;
    operand.kind = Kind::kDsr;
    operand.dsr = dsr_operand(code_.tile, value, is_destination(i));
    if (value.type->is(TypeKind::kFifo))
      checks_.add_unknown(slot_of(i));
    else
      add_named(i, operand.dsr);
    const auto queue = code_.tile.dsr_queues.find({operand.dsr.kind, operand.dsr.reg});
    if (queue != code_.tile.dsr_queues.end() && !choice_.microthread)
      choice_.microthread = queue->second;
    operands_.push_back(operand);
  }

  void add_named(std::size_t i, const pe::Operand& dsr) {
    dsrs_.emplace_back(dsr, i);
    checks_.add_dsr(slot_of(i), dsr, call_.expr(i), pe::bytes_of(info_.types[i]));
    // A register that is not known may have a fabric descriptor whose load says `.on_control`.
    if (code_.dsrs.find(dsr, code_) == nullptr) has_unknown_dsr_ = true;
  }

  /// Registers that keep their addresses begin further on next time.
  void move_dsrs(bool may_end_early) {
    std::optional<std::int64_t> length;
    if (!may_end_early && !config_.async && !has_alternatives_)
      length = checks_.length(DescriptorChecks::Length::kFirstSource);
    for (const auto& [dsr, i] : dsrs_) {
      const auto users =
          std::count_if(dsrs_.begin(), dsrs_.end(), [&, &dsr = dsr](const auto& other) {
            return other.first.kind == dsr.kind && other.first.reg == dsr.reg;
          });
      code_.dsrs.use(dsr, code_, users == 1 ? length : std::nullopt, pe::bytes_of(info_.types[i]));
    }
  }

  bool is_fifo(std::size_t i) const {
    const std::string& kind = types_[i]->name;
    return types_[i]->is(TypeKind::kFifo) || kind == "dsr_fifo_src1";
  }
  /// A FIFO is read as the last source only (wse.md 5.6): sources that may change places do.
  void put_fifo_last() {
    if (operands_.size() < 3 || !is_fifo(1)) return;
    if (operands_.size() > 3 || is_fifo(2) || !commutes(info_.op))
      call_.engine().fail(Id::kFifoOrder, call_.expr(1), "a FIFO is the last of several sources");
    std::swap(operands_[1], operands_[2]);
  }

  unsigned slot_of(std::size_t i) const {
    return is_destination(i) ? 0 : static_cast<unsigned>(i) + 1;
  }
  void check_fifo_width(std::size_t i, const Result& fifo) {
    const auto number = static_cast<std::size_t>(fifo.value().integer());
    check_width(i, code_.tile.tile().fifos.at(number).buffer->type->element);
  }
  /// Bytes of an element. 0: what only moves bits moves those of any elements, as published programs do.
  unsigned width_of(std::size_t i) const {
    return info_.form == pe::VectorForm::kMove ? 0 : pe::bytes_of(info_.types[i]);
  }
  void check_width(std::size_t i, const Type* element) {
    check_element_width(call_.engine(), element, width_of(i), call_.expr(i));
  }
  /// What only moves bits takes a number of any type that is as wide; what computes with integers takes integers.
  void check_scalar(std::size_t i, const Type& type) const {
    const bool computes = info_.form != pe::VectorForm::kMove && !pe::is_float(info_.types[i]);
    if (computes && !type.is_any_integer())
      call_.fail_operand(Id::kOperandType, i, " is of type ", text::in_quotes(type.name),
                         " instead of an integer type");
  }
  bool is_destination(std::size_t i) const { return i == 0 && info_.operand_count > 1; }

  /// A DSR of the first source may be the destination too (csl.md 8.3); no other one may.
  void check_dsr_kind(std::size_t i, const std::string& kind) const {
    const bool is_wrong = is_destination(i) ? kind == "dsr_src1" || kind == "dsr_fifo_src1"
                                            : is_destination_file(kind);
    if (is_wrong || kind == "xdsr" || kind == "sr")
      call_.engine().fail(Id::kOperandDirection, call_.expr(i), "a DSR of the kind ",
                          text::in_quotes(kind), " is no ",
                          is_destination(i) ? "destination" : "source");
  }

  /// wse.md 6.7.
  void check_filter() const {
    const Type* const given = call_.size() > 1 ? call_.operand(1).type : nullptr;
    if (!config_.async)
      call_.fail(Id::kAsynchronous, "runs on a microthread: it has the option .async");
    for (const char* name : {"on_control", "index"}) {
      if (given->find_field(name) >= 0)
        call_.fail(Id::kUnknownOption, "counts control wavelets, and has no option .", name);
    }
  }

  /// Of an asynchronous operation on FIFOs and memory alone (wse.md 4).
  void choose_microthread() {
    if (!code_.tile.is_wse3())
      call_.fail(Id::kAsynchronous,
                 "an asynchronous operation of WSE-2 runs on the microthread of a queue, and none "
                 "of its operands is of the fabric");
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (!types_[i]->is(TypeKind::kFifo)) continue;
      const auto number = static_cast<unsigned>(call_.operand(i).value().integer());
      config_.ut = code_.tile.microthread_of_fifo(number, is_destination(i));
    }
  }

  void read_options(std::size_t number) {
    Result index;
    const Fields given = fields_of(evaluator_, call_.operand(number), call_.node);
    config_ =
        operation_options(code_.tile, operation_options_table(), given, call_.node, &live_, &index);
    for (const auto& [name, value] : given) {
      if (!config_.async && (name == "ut_id" || name == "priority"))
        call_.fail(Id::kAsynchronous, "the option .", name,
                   " is one of the microthread, and only an asynchronous operation has one");
    }
    if (config_.async && !may_be_async_)
      call_.fail(Id::kAsynchronous,
                 "an operation on memory alone is not asynchronous; one operand has to be of the "
                 "fabric or a FIFO");
    if (config_.priority && !code_.tile.is_wse3() && !has_input_ && dsrs_.empty())
      call_.engine().warn(Id::kPriority, call_.node,
                          "the option .priority of WSE-2 is that of an input from the fabric, and "
                          "no operand is one; the microthread has it");
    if (config_.on_control != pe::OnControl::kNone && !has_input_ && dsrs_.empty())
      call_.engine().warn(Id::kControlWithoutInput, call_.node,
                          "the option .on_control is about control wavelets of an input from the "
                          "fabric, and no operand is one; it has no effect");
    if (config_.async && has_fifo_ && !may_have_queue_ && !config_.ut) choose_microthread();
    if (index.type == nullptr) return;
    const Type* u16 = call_.types().word("u16");
    index = index.is_known() ? call_.engine().convert(index, u16, call_.node, "the option .index")
                             : cast_operand(evaluator_, index, u16, call_.node);
    index_ = scalar(evaluator_, index, call_.node);
  }

  /// The pointer of a number that takes the result of all elements: it is kept in a register, which begins as the first
  /// source. Published programs name that number by `&x` or by a pointer in a variable.
  std::optional<ir::Value> accumulated() {
    const bool is_sum = operands_[0].kind == Kind::kPointer && operands_.size() > 2 &&
                        operands_[1].kind == Kind::kScalar && info_.types[0] == info_.types[1];
    if (!is_sum) return std::nullopt;
    const ir::Value target = operands_[0].value, start = operands_[1].value;
    operands_[0] = operands_[1] = ir::DsdOperand{};
    operands_[0].kind = operands_[1].kind = Kind::kAccumulator;
    operands_[0].value = operands_[1].value = start;
    return target;
  }

  const BuiltinCall& call_;
  Evaluator& evaluator_;
  FunctionCode& code_;
  const pe::OpcodeInfo& info_;
  ir::DsrChoice choice_;
  DescriptorChecks checks_;
  std::vector<const Type*> types_;  ///< of the operands
  std::vector<ir::DsdOperand> operands_;
  std::vector<std::pair<pe::Operand, std::size_t>> dsrs_;  ///< of the program, with their arguments
  pe::OpConfig config_;
  std::vector<LiveOption> live_;  ///< options that only the running program knows
  ir::Value index_;
  bool has_alternatives_ = false;
  bool has_fifo_ = false, has_vector_ = false, has_input_ = false, may_be_async_ = false;
  bool has_unknown_dsr_ = false;
  bool is_empty_ = false;        ///< all its descriptors are known to have no elements
  bool may_have_queue_ = false;  ///< an operand is of the fabric, or a DSR that may be
};

template <pe::Opcode kOp>
Result operation(const BuiltinCall& call) {
  return Operation(call, kOp).make();
}

/// The row of an operation: as many operands as its instruction has, and options.
template <pe::Opcode kOp>
BuiltinRow row(std::string_view name) {
  BuiltinRow made{name, kInCode, {}, operation<kOp>, pe::info(kOp).effect};
  static constexpr std::string_view kNames[] = {"first", "second", "third", "fourth"};
  for (unsigned i = 0; i < pe::info(kOp).operand_count; ++i)
    made.operands.push_back(live(takes(Takes::kValue, kNames[i])));
  made.operands.push_back(optional(live(takes(Takes::kStruct, "options"))));
  return made;
}

}  // namespace

const std::vector<BuiltinRow>& dsd_operation_builtins() {
  using Op = pe::Opcode;
  static const std::vector<BuiltinRow> kRows = {
      row<Op::kMov16>("mov16"),     row<Op::kMov32>("mov32"),
      row<Op::kFmovh>("fmovh"),     row<Op::kFmovs>("fmovs"),
      row<Op::kAdd16>("add16"),     row<Op::kAddc16>("addc16"),
      row<Op::kAnd16>("and16"),     row<Op::kOr16>("or16"),
      row<Op::kXor16>("xor16"),     row<Op::kSll16>("sll16"),
      row<Op::kSlr16>("slr16"),     row<Op::kSar16>("sar16"),
      row<Op::kSub16>("sub16"),     row<Op::kClz16>("clz"),
      row<Op::kCtz16>("ctz"),       row<Op::kPopcnt16>("popcnt"),
      row<Op::kFadds>("fadds"),     row<Op::kFsubs>("fsubs"),
      row<Op::kFmuls>("fmuls"),     row<Op::kFmaxs>("fmaxs"),
      row<Op::kFaddh>("faddh"),     row<Op::kFsubh>("fsubh"),
      row<Op::kFmulh>("fmulh"),     row<Op::kFmaxh>("fmaxh"),
      row<Op::kFaddhs>("faddhs"),   row<Op::kFnegs>("fnegs"),
      row<Op::kFnegh>("fnegh"),     row<Op::kFabss>("fabss"),
      row<Op::kFabsh>("fabsh"),     row<Op::kFmacs>("fmacs"),
      row<Op::kFmach>("fmach"),     row<Op::kFmachs>("fmachs"),
      row<Op::kFh2s>("fh2s"),       row<Op::kFs2h>("fs2h"),
      row<Op::kXp162fh>("xp162fh"), row<Op::kXp162fs>("xp162fs"),
      row<Op::kFh2xp16>("fh2xp16"), row<Op::kFs2xp16>("fs2xp16"),
      row<Op::kFnormh>("fnormh"),   row<Op::kFnorms>("fnorms"),
      row<Op::kFscaleh>("fscaleh"), row<Op::kFscales>("fscales"),
      row<Op::kDfilt>("dfilt"),     map_builtin()};
  return kRows;
}

}  // namespace tessera::csl
