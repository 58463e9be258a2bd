// Descriptors of the fabric (wse.md 5.5, 5.8, 5.10).
#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

class FabricDsd {
 public:
  FabricDsd(const Assembly& a, const DsdStatement& s, pe::Dsd& dsd) : a_(a), s_(s), dsd_(dsd) {}

  void resolve() {
    const pe::QueueBinding& queue = find_queue();
    if (!s_.extent) {
      a_.fail(s_.name.place, "expected extent= for dsd ", quoted(s_.name.text),
              ", found none; a fabric descriptor has no other length");
    }
    dsd_.queue = queue.id;
    // wse.md 5.8: 0x7FFF is endless, so every value up to it has a meaning.
    dsd_.extent = static_cast<std::uint32_t>(a_.integer(*s_.extent, "an extent", 0, pe::kEndless));
    if (!queue.input) dsd_.color = color_sent(queue);
    dsd_.simd = simd();
    dsd_.priority = priority();
    dsd_.control = s_.control.has_value();
    dsd_.control_transform = s_.control_transform.has_value();
    dsd_.wavelet_index_offset = s_.wavelet_index_offset.has_value();
    dsd_.advance_switch = s_.advance_switch.has_value();
    if (s_.zero) dsd_.zero = s_.zero->value;
  }

 private:
  bool wse2() const { return a_.options.generation == Generation::kWse2; }

  const pe::QueueBinding& find_queue() const {
    const bool input = s_.kind == pe::DsdKind::kFabin;
    const std::string expected =
        input ? "the name of an input queue" : "the name of an output queue";
    const Entity& entity = a_.names.require(s_.target, {NameKind::kQueue}, expected);
    const pe::QueueBinding& queue = a_.image.queues[entity.index];
    if (queue.input == input) return queue;
    a_.fail(s_.target.place, "expected ", expected, ", found the ",
            (queue.input ? "input" : "output"), " queue ", quoted(s_.target.text));
  }

  /// wse.md 5.5: the descriptor may bring a color on WSE-2 only.
  Color color_sent(const pe::QueueBinding& queue) const {
    if (s_.color && !wse2()) {
      a_.fail(s_.color->place,
              "expected no color=, found one; a wse3 output queue has its own color");
    }
    if (s_.color)
      return Color(static_cast<unsigned>(a_.integer(*s_.color, "a color", 0, kColorCount - 1)));
    if (queue.color) return *queue.color;
    a_.fail(s_.name.place, "expected color= for dsd ", quoted(s_.name.text),
            ", found none; its queue ", quoted(queue.name), " has no color");
  }

  /// wse.md 5.10. `off` is a WSE-2 descriptor of the releases before 2.10.
  pe::SimdMode simd() const {
    if (!s_.simd) return pe::default_simd(a_.options.generation);
    const pe::SimdMode mode = s_.simd->value;
    const bool both = mode == pe::SimdMode::kOff;
    if (both || wse2() == (mode != pe::SimdMode::kMax)) return mode;
    a_.fail(
        s_.simd->place,
        "expected simd=", (wse2() ? "32, simd=64, simd=32_or_64 or simd=off" : "off or simd=max"),
        ", the modes of ", to_string(a_.options.generation), ", found ", quoted(to_string(mode)));
  }

  std::optional<pe::Priority> priority() const {
    if (!s_.priority) return std::nullopt;
    if (wse2()) {
      a_.fail(s_.priority->place,
              "expected no priority=, found one; on wse2 the operation or input queue has the "
              "priority");
    }
    return s_.priority->value;
  }

  const Assembly& a_;
  const DsdStatement& s_;
  pe::Dsd& dsd_;
};

}  // namespace

void resolve_fabric_dsd(const Assembly& a, const DsdStatement& s, pe::Dsd& dsd) {
  FabricDsd(a, s, dsd).resolve();
}

}  // namespace tessera::tasm
