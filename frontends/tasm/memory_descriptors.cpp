// Descriptors of memory (wse.md 5.2 to 5.4).
#include <algorithm>
#include <limits>

#include "frontends/tasm/assembly.h"
#include "frontends/tasm/limits.h"
#include "frontends/tasm/lower_strides.h"

namespace tessera::tasm {
namespace {

template <class T>
constexpr std::int64_t low_of() {
  return std::numeric_limits<T>::min();
}
template <class T>
constexpr std::int64_t high_of() {
  return std::numeric_limits<T>::max();
}

class MemoryDsd {
 public:
  MemoryDsd(const Assembly& a, const DsdStatement& s, pe::Dsd& dsd)
      : a_(a), s_(s), dsd_(dsd),
        symbol_(
            a.image.symbols
                [a.names.require(s.target, {NameKind::kData}, "the name of a data symbol").index]),
        bytes_(pe::bytes_of(symbol_.type)) {}

  void resolve() {
    dsd_.element_bytes = static_cast<std::uint8_t>(bytes_);
    dsd_.wavelet_index_offset = s_.wavelet_index_offset.has_value();
    if (s_.offset)
      offset_ =
          a_.integer(*s_.offset, "an offset", low_of<std::int16_t>(), high_of<std::int16_t>());
    if (s_.kind == pe::DsdKind::kMem1d) resolve_mem1d();
    if (s_.kind == pe::DsdKind::kMem4d) resolve_mem4d();
    if (s_.kind == pe::DsdKind::kCircbuf) resolve_circbuf();
  }

 private:
  void resolve_mem1d() {
    const std::int64_t stride =
        s_.stride
            ? a_.integer(*s_.stride, "a stride", low_of<std::int8_t>(), high_of<std::int8_t>())
            : 1;
    const std::int64_t extent =
        s_.extent ? a_.integer(*s_.extent, "an extent", 0, kMostElements) : elements_left(stride);
    set_base(reach_of({stride}, {std::max<std::int64_t>(extent, 1)}));
    set_one_loop(extent);
    dsd_.strides[0] = static_cast<std::int16_t>(stride);
  }

  /// Elements from `offset` to the end of the symbol in the direction of the stride.
  std::int64_t elements_left(std::int64_t stride) const {
    if (offset_ < 0 || offset_ >= symbol_.count) {
      a_.fail(s_.offset->place, "expected an offset 0..", symbol_.count - 1, " into ",
              quoted(symbol_.name), ", found ", offset_, "; with extent= others are possible");
    }
    if (stride < 0) return offset_ / -stride + 1;
    const std::int64_t left = symbol_.count - offset_;
    return stride == 0 ? left : (left + stride - 1) / stride;
  }

  void resolve_mem4d() {
    const Loops trips = trip_counts();
    const bool has_steps = !s_.steps.empty();
    if (has_steps != s_.strides.empty()) {
      a_.fail(s_.name.place, "expected one of stride= and step= for dsd ", quoted(s_.name.text),
              ", found ", (has_steps ? "both" : "none"));
    }
    const Loops strides = has_steps ? strides_of_steps(trips) : given_strides(trips.size());
    set_base(reach_of(steps_of(strides, trips), trips));
    dsd_.dimensions = static_cast<std::uint8_t>(trips.size());
    dsd_.extent = 1;
    for (std::size_t k = 0; k < trips.size(); ++k) {
      dsd_.extents[k] = static_cast<std::uint16_t>(trips[k]);
      dsd_.strides[k] = static_cast<std::int16_t>(strides[k]);
      dsd_.extent *= dsd_.extents[k];
    }
  }

  /// Inner loop first; the text has the outer loop first.
  Loops trip_counts() const {
    if (s_.extents.empty()) {
      a_.fail(s_.name.place, "expected extent= for dsd ", quoted(s_.name.text),
              ", found none; a mem4d descriptor says the extent of every loop");
    }
    Loops trips;
    std::uint64_t elements = 1;  // at most 65535^4
    for (const ExpressionPtr& e : s_.extents) {
      trips.insert(trips.begin(), a_.integer(*e, "an extent", 1, high_of<std::uint16_t>()));
      elements *= static_cast<std::uint64_t>(trips.front());
    }
    if (elements > kMostLoopElements) {
      a_.fail(s_.extents.front()->place, "expected at most ", kMostLoopElements,
              " elements in all loops, found ", elements);
    }
    return trips;
  }

  void require_as_many(const std::vector<ExpressionPtr>& values, const char* option,
                       std::size_t count) const {
    if (values.size() == count) return;
    a_.fail(values.front()->place, "expected as many values of ", option, "= as of extent=, ",
            count, ", found ", values.size());
  }

  Loops given_strides(std::size_t count) const {
    require_as_many(s_.strides, "stride", count);
    Loops strides;
    for (const ExpressionPtr& e : s_.strides)
      strides.push_back(
          a_.integer(*e, "a stride", low_of<std::int16_t>(), high_of<std::int16_t>()));
    return strides;
  }

  Loops strides_of_steps(const Loops& trips) const {
    require_as_many(s_.steps, "step", trips.size());
    Loops steps;
    for (const ExpressionPtr& e : s_.steps) {
      steps.insert(steps.begin(),
                   a_.integer(*e, "a step", low_of<std::int16_t>(), high_of<std::int16_t>()));
    }
    Loops strides = lower_strides(steps, trips);
    for (std::size_t k = 0; k < strides.size(); ++k) {
      if (strides[k] >= low_of<std::int16_t>() && strides[k] <= high_of<std::int16_t>()) continue;
      a_.fail(s_.steps[steps.size() - 1 - k]->place, "expected steps that make strides ",
              low_of<std::int16_t>(), "..", high_of<std::int16_t>(), ", found ", steps[k],
              ", which makes the stride ", strides[k]);
    }
    return strides;
  }

  void resolve_circbuf() {
    const std::int64_t extent =
        s_.extent ? a_.integer(*s_.extent, "an extent", 0, kMostElements) : symbol_.count;
    set_one_loop(extent);
    dsd_.base = dsd_.wrap_base = static_cast<std::uint16_t>(symbol_.address);
    dsd_.wrap_count = static_cast<std::uint16_t>(s_.wraparound ? wraparound() : symbol_.count);
  }

  /// wse.md 5.4: smaller than the symbol if it is given at all.
  std::int64_t wraparound() const {
    if (symbol_.count == 1) {
      a_.fail(s_.wraparound->place, "expected no wraparound=, found one; ", quoted(symbol_.name),
              " has one element, and only a smaller number could be given");
    }
    return a_.integer(*s_.wraparound,
                      "a wrap-around behind fewer elements than " + quoted(symbol_.name) + " has,",
                      1, symbol_.count - 1);
  }

  void set_one_loop(std::int64_t extent) {
    dsd_.extent = static_cast<std::uint32_t>(extent);
    dsd_.extents[0] = static_cast<std::uint16_t>(extent);
  }

  /// All elements must lie in SRAM.
  void set_base(const Reach& reach) {
    const std::int64_t base = symbol_.address + offset_ * bytes_;
    const std::int64_t highest = pe::kSramBytes - bytes_;
    for (const std::int64_t element : {reach.lowest, reach.highest}) {
      const std::int64_t address = base + element * bytes_;
      if (address >= 0 && address <= highest) continue;
      a_.fail(s_.name.place, "expected elements at byte addresses 0..", highest,
              ", found one of dsd ", quoted(s_.name.text), " at ", address);
    }
    dsd_.base = static_cast<std::uint16_t>(base);
  }

  const Assembly& a_;
  const DsdStatement& s_;
  pe::Dsd& dsd_;
  const pe::Symbol& symbol_;
  std::int64_t bytes_;
  std::int64_t offset_ = 0;
};

}  // namespace

void resolve_memory_dsd(const Assembly& a, const DsdStatement& s, pe::Dsd& dsd) {
  MemoryDsd(a, s, dsd).resolve();
}

}  // namespace tessera::tasm
