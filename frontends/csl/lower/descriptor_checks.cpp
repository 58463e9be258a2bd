#include "frontends/csl/lower/descriptor_checks.h"

#include <algorithm>

#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {
namespace {

/// The array or object that a pointer leads into, and where: bytes from its begin.
struct Extent {
  const Type* object = nullptr;
  std::int64_t begin = 0;  ///< of the pointer
  std::int64_t bytes = 0;  ///< of the object
};

Extent extent_around(const PointerValue& pointer) {
  const Type* object = pointer.cell->type;
  std::vector<std::int64_t> path = pointer.path;
  std::vector<std::int64_t> to_object;
  const Type* t = object;
  for (const std::int64_t step : path) {
    if (t->is(TypeKind::kStruct)) {
      t = t->fields[static_cast<std::size_t>(step)].type;
      to_object.push_back(step);
      object = t;
    } else if (t->is(TypeKind::kArray)) {
      t = t->element;
      if (t->is_aggregate()) {  // the element may be an object with arrays of its own
        to_object.push_back(step);
        object = t;
      }
    }
  }
  const Type& cell = *pointer.cell->type;
  return {object, offset_of(cell, path) - offset_of(cell, to_object), size_of(*object)};
}

/// The lowest and the highest of the first `length` elements, counted from the base.
struct Span {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

struct Loop {
  std::int64_t extent = 1;
  std::int64_t step = 0;  ///< elements
};

/// Inner first.
std::vector<Loop> loops_of(const Dsd& dsd) {
  std::vector<Loop> loops;
  std::int64_t inner = 0;
  for (std::size_t k = dsd.extents.size(); k-- > 0;) {
    Loop loop{dsd.extents[k], k < dsd.strides.size() ? dsd.strides[k] : 1};
    if (!dsd.has_steps && !loops.empty()) loop.step += inner;
    inner += loop.step * (loop.extent - 1);
    loops.push_back(loop);
  }
  return loops;
}

/// Requires length > 0 and extents above 0. The outermost loop goes on as long as the operation.
Span span_of(const std::vector<Loop>& loops, std::size_t count, std::int64_t length) {
  const Loop& outer = loops[count - 1];
  if (count == 1) {
    const std::int64_t last = outer.step * (length - 1);
    return {std::min<std::int64_t>(last, 0), std::max<std::int64_t>(last, 0)};
  }
  std::int64_t inner = 1;
  for (std::size_t k = 0; k + 1 < count; ++k) inner *= loops[k].extent;
  const std::int64_t whole = (length - 1) / inner;  // trips of the outer loop before the last one
  Span span = span_of(loops, count - 1, length - whole * inner);
  span.low += whole * outer.step;
  span.high += whole * outer.step;
  if (whole == 0) return span;
  const Span trip = span_of(loops, count - 1, inner);
  const std::int64_t far = (whole - 1) * outer.step;
  return {std::min(span.low, trip.low + std::min<std::int64_t>(far, 0)),
          std::max(span.high, trip.high + std::max<std::int64_t>(far, 0))};
}

/// What the first `length` elements of a descriptor reach; nothing where no array bounds it.
std::optional<Span> reached_by(const Dsd& dsd, std::int64_t length) {
  const std::vector<Loop> loops = loops_of(dsd);
  // One address again and again is how programs read and write single numbers anywhere.
  if (std::all_of(loops.begin(), loops.end(), [](const Loop& loop) { return loop.step == 0; }))
    return std::nullopt;
  // The outermost loop goes on as long as the operation, with an extent of 0, too.
  if (std::any_of(loops.begin(), loops.end() - 1,
                  [](const Loop& loop) { return loop.extent <= 0; }))
    return std::nullopt;
  return span_of(loops, loops.size(), length);
}

bool is_memory_kind(const Type& kind) {
  return kind.name != "fabin_dsd" && kind.name != "fabout_dsd";
}

std::optional<std::int64_t> wraparound_of(const Dsd& dsd, const Type& object) {
  for (const auto& [name, value] : dsd.options) {
    if (name == "wraparound" && value.is_known())
      return static_cast<std::int64_t>(value.value().integer());
  }
  if (object.is(TypeKind::kArray)) return object.count();
  return std::nullopt;
}

}  // namespace

bool is_other_width(const Type* element, unsigned bytes) {
  // Integers are bits, as wide as the operation.
  return element != nullptr && element->is(TypeKind::kFloat) && size_of(*element) != bytes;
}

pe::ElementType stated_type(const Type& element) {
  const bool is_wide = size_of(element) > 2;
  if (element.is(TypeKind::kFloat)) return is_wide ? pe::ElementType::kF32 : pe::ElementType::kF16;
  return is_wide ? pe::ElementType::kU32 : pe::ElementType::kU16;
}

void check_element_width(Engine& engine, const Type* element, unsigned bytes, const Node& at) {
  if (bytes == 0 || !is_other_width(element, bytes)) return;
  engine.fail(Id::kElementWidth, at, "the operation works on elements of ", 8 * bytes,
              " bits; the descriptor has elements of type ", in_quotes(element->name),
              ", which have ", 8 * size_of(*element));
}

void check_reach(TileCode& tile, const Dsd& dsd, const Type& array, const Node& at) {
  std::int64_t length = 1;
  for (const std::int64_t extent : dsd.extents) length *= extent;
  const std::optional<Span> span = length > 0 ? reached_by(dsd, length) : std::nullopt;
  if (!span) return;
  const std::int64_t first = dsd.offset + span->low;
  const std::int64_t last = dsd.offset + span->high;
  if (first >= 0 && last < array.count()) return;
  tile.note_overrun(at, text::joined("the descriptor reaches from element ", first, " to element ",
                                     last, " of an array of type ", in_quotes(array.name)));
}

void DescriptorChecks::add(unsigned slot, const Result& value, const LiveDsd& live, const Node& at,
                           unsigned bytes) {
  constexpr std::int64_t kEndless = 0x7fff;  // of the fabric: until a control wavelet
  Operand operand{slot, value.type, {}, nullptr, &at, bytes};
  if (value.is_known()) {
    const auto& dsd = value.value().get<std::shared_ptr<const Dsd>>();
    std::int64_t all = 1;
    for (const std::int64_t extent : dsd->extents) all *= extent;
    operand.length = all;
    if (is_memory_kind(*value.type)) operand.dsd = dsd;
  } else if (live.extent.is_constant()) {
    operand.length = live.extent.number;
  } else if (!live.record && live.extent.kind == ir::Value::Kind::kNone) {
    operand.length = tile_.module().descriptors.at(live.descriptor).dsd.extent;
  }
  if (!is_memory_kind(*value.type) && operand.length == kEndless) operand.length.reset();
  operands_.push_back(std::move(operand));
}

void DescriptorChecks::add_dsr(unsigned slot, const pe::Operand& dsr, const Node& at,
                               unsigned bytes) {
  const KnownDsrs::Held* const held = code_ == nullptr ? nullptr : code_->dsrs.find(dsr, *code_);
  if (held == nullptr) return add_unknown(slot);
  std::int64_t all = 1;
  for (const std::int64_t extent : held->dsd->extents) all *= extent;
  operands_.push_back({slot, held->kind, all, held->dsd, &at, bytes});
}

std::optional<std::int64_t> DescriptorChecks::length(Length rule) const {
  if (rule == Length::kShortest) {
    std::optional<std::int64_t> shortest;
    for (const Operand& operand : operands_) {
      if (!operand.length) return std::nullopt;
      shortest = std::min(*operand.length, shortest.value_or(*operand.length));
    }
    return shortest;
  }
  for (const bool is_destination : {false, true}) {
    for (const Operand& operand : operands_) {
      if ((operand.slot == 0) != is_destination) continue;
      if (!operand.length || *operand.length != 0) return operand.length;
    }
  }
  return std::nullopt;
}

bool DescriptorChecks::finish(Length rule) {
  std::stable_sort(operands_.begin(), operands_.end(),
                   [](const Operand& a, const Operand& b) { return a.slot < b.slot; });
  const std::optional<std::int64_t> all = length(rule);
  if (!all || *all == 0) return false;
  bool leaves = false;
  for (const Operand& operand : operands_) {
    if (operand.dsd != nullptr && check(operand, *all)) leaves = true;
  }
  return leaves;
}

bool DescriptorChecks::check(const Operand& operand, std::int64_t length) {
  const Dsd& dsd = *operand.dsd;
  const bool is_shifted =
      std::any_of(dsd.options.begin(), dsd.options.end(), [](const auto& option) {
        return option.first == "wavelet_index_offset" && option.second.is_known() &&
               option.second.value().template holds<bool>() &&
               option.second.value().template get<bool>();
      });
  if (is_shifted || !dsd.base || !dsd.base->cell || dsd.element == nullptr || dsd.extents.empty())
    return false;
  const std::int64_t unit = size_of(*dsd.element);
  const Extent around = extent_around(*dsd.base);
  if (unit == 0 || around.bytes == 0) return false;
  std::int64_t size = operand.bytes == 0
                          ? unit
                          : operand.bytes;  // elements are as wide as the operation (csl.md 8.2)
  Span span;
  if (operand.kind->name == "circbuf_dsd") {
    const std::optional<std::int64_t> wraparound = wraparound_of(dsd, *around.object);
    if (!wraparound) return false;
    span.high = *wraparound - 1;
    size = unit;  // the buffer wraps by its own elements
  } else {
    const std::optional<Span> reached = reached_by(dsd, length);
    if (!reached) return false;
    span = *reached;
  }
  const std::int64_t base = around.begin + dsd.offset * unit;
  const std::int64_t first = base + span.low * size;
  const std::int64_t end = base + (span.high + 1) * size;
  if (first >= 0 && end <= around.bytes) return false;
  const std::int64_t elements = around.bytes / unit;
  const auto number = [unit](std::int64_t byte) {
    return byte >= 0 ? byte / unit : -((-byte + unit - 1) / unit);
  };
  tile_.note_overrun(*operand.at,
                     text::joined("the descriptor reaches from element ", number(first),
                                  " to element ", number(end - 1), " of ",
                                  in_quotes(dsd.base->cell->name), ", which has ",
                                  text::plural(static_cast<std::size_t>(elements), "element")),
                     operand.slot == 0 ? TileCode::Beyond::kMayWrite : TileCode::Beyond::kReads);
  return true;
}

}  // namespace tessera::csl
