#include <limits>

#include "frontends/tasm/assembly.h"
#include "frontends/tasm/limits.h"

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

class DsdResolver {
 public:
  DsdResolver(const Assembly& a, const DsdStatement& s, pe::Dsd& dsd) : a_(a), s_(s), dsd_(dsd) {}

  void resolve() {
    if (s_.kind == pe::DsdKind::kMem1d) {
      resolve_memory();
    } else {
      resolve_fabric();
    }
  }

 private:
  void resolve_memory() {
    const Entity& entity =
        a_.names.require(s_.target, {NameKind::kData}, "the name of a data symbol");
    const pe::Symbol& symbol = a_.image.symbols[entity.index];
    const std::int64_t offset =
        s_.offset
            ? a_.integer(*s_.offset, "an offset", low_of<std::int16_t>(), high_of<std::int16_t>())
            : 0;
    const std::int64_t stride =
        s_.stride
            ? a_.integer(*s_.stride, "a stride", low_of<std::int8_t>(), high_of<std::int8_t>())
            : 1;
    const std::int64_t extent = s_.extent ? a_.integer(*s_.extent, "an extent", 0, kMostElements)
                                          : elements_left(symbol, offset, stride);
    const std::int64_t bytes = pe::bytes_of(symbol.type);
    const std::int64_t base = symbol.address + offset * bytes;
    require_in_sram(base, extent == 0 ? base : base + (extent - 1) * stride * bytes, bytes);
    dsd_.base = static_cast<std::uint16_t>(base);
    dsd_.extent = static_cast<std::uint16_t>(extent);
    dsd_.stride = static_cast<std::int16_t>(stride);
    dsd_.element_bytes = static_cast<std::uint8_t>(bytes);
  }

  /// Elements from `offset` to the end of the symbol in the direction of the stride.
  std::int64_t elements_left(const pe::Symbol& symbol, std::int64_t offset,
                             std::int64_t stride) const {
    if (offset < 0 || offset >= symbol.count) {
      a_.diagnostics.fail(s_.offset->place,
                          "expected an offset 0.." + std::to_string(symbol.count - 1) + " into " +
                              quoted(symbol.name) + ", found " + std::to_string(offset) +
                              "; with extent= others are possible");
    }
    if (stride < 0) return offset / -stride + 1;
    const std::int64_t left = symbol.count - offset;
    return stride == 0 ? left : (left + stride - 1) / stride;
  }

  void require_in_sram(std::int64_t first, std::int64_t last, std::int64_t bytes) const {
    const std::int64_t highest = pe::kSramBytes - bytes;
    for (const std::int64_t address : {first, last}) {
      if (address >= 0 && address <= highest) continue;
      a_.diagnostics.fail(s_.name.place, "expected elements at byte addresses 0.." +
                                             std::to_string(highest) + ", found one of dsd " +
                                             quoted(s_.name.text) + " at " +
                                             std::to_string(address));
    }
  }

  void resolve_fabric() {
    const bool input = s_.kind == pe::DsdKind::kFabin;
    const std::string expected =
        input ? "the name of an input queue" : "the name of an output queue";
    const Entity& entity = a_.names.require(s_.target, {NameKind::kQueue}, expected);
    const pe::QueueBinding& queue = a_.image.queues[entity.index];
    if (queue.input != input) {
      a_.diagnostics.fail(s_.target.place, "expected " + expected + ", found the " +
                                               (queue.input ? "input" : "output") + " queue " +
                                               quoted(s_.target.text));
    }
    if (!s_.extent) {
      a_.diagnostics.fail(s_.name.place,
                          "expected extent= for dsd " + quoted(s_.name.text) +
                              ", found none; a fabric descriptor has no other length");
    }
    dsd_.queue = queue.id;
    // wse.md 5.8: 0x7FFF is endless, so every value up to it has a meaning.
    dsd_.extent = static_cast<std::uint16_t>(a_.integer(*s_.extent, "an extent", 0, pe::kEndless));
    if (!input) dsd_.color = color_sent(queue);
  }

  /// wse.md 5.5: the descriptor may bring a color on WSE-2 only.
  Color color_sent(const pe::QueueBinding& queue) const {
    if (s_.color && a_.options.generation != Generation::kWse2) {
      a_.diagnostics.fail(s_.color->place,
                          "expected no color=, found one; a wse3 output queue has its own color");
    }
    if (s_.color)
      return Color(static_cast<unsigned>(a_.integer(*s_.color, "a color", 0, kColorCount - 1)));
    if (queue.color) return *queue.color;
    a_.diagnostics.fail(s_.name.place, "expected color= for dsd " + quoted(s_.name.text) +
                                           ", found none; its queue " + quoted(queue.name) +
                                           " has no color");
  }

  const Assembly& a_;
  const DsdStatement& s_;
  pe::Dsd& dsd_;
};

}  // namespace

void resolve_dsds(Assembly& a, const std::vector<Statement>& statements) {
  std::size_t next = 0;
  for (const Statement& statement : statements) {
    const auto* dsd = std::get_if<DsdStatement>(&statement);
    if (dsd != nullptr) DsdResolver(a, *dsd, a.image.dsds[next++]).resolve();
  }
}

}  // namespace tessera::tasm
