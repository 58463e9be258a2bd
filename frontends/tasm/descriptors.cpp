// Descriptors of memory (wse.md 5.2 to 5.4) and of the fabric (5.5, 5.8, 5.10), and the DSRs that are
// loaded with them before the start.
#include <algorithm>
#include <limits>

#include "frontends/tasm/assembly.h"
#include "frontends/tasm/lower_strides.h"

namespace tessera::tasm {
namespace {

/// The most elements of a descriptor: extents have 16 bits (wse.md 5.2).
constexpr std::int64_t kMostElements = 65535;
/// The most elements of all loops of a mem4d: more than SRAM could hold several times over.
constexpr std::int64_t kMostLoopElements = 262143;

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
    if (s_.offset) offset_ = a_.integer<std::int16_t>(*s_.offset, "an offset");
    if (s_.kind == pe::DsdKind::kMem1d) resolve_mem1d();
    if (s_.kind == pe::DsdKind::kMem4d) resolve_mem4d();
    if (s_.kind == pe::DsdKind::kCircbuf) resolve_circbuf();
    if (s_.element) dsd_.element_bytes = 0;
    if (!s_.stated) return;
    if (!s_.element)
      a_.fail(s_.stated->place,
              "expected element=operation with of=: without it the elements have the type of ",
              in_quotes(symbol_.name));
    dsd_.stated = s_.stated->value;
  }

 private:
  void resolve_mem1d() {
    const std::int64_t stride = s_.stride ? stride_of_mem1d() : 1;
    const std::int64_t extent =
        s_.extent ? a_.integer(*s_.extent, "an extent", 0, kMostElements) : elements_left(stride);
    set_base(reach_of({stride}, {std::max<std::int64_t>(extent, 1)}));
    set_one_loop(extent);
    dsd_.strides[0] = static_cast<std::int16_t>(stride);
  }

  /// wse.md 5.2, 5.3: a stride that takes 16 bits needs a mem4d.
  std::int64_t stride_of_mem1d() const {
    const Number n = a_.evaluator().number(*s_.stride);
    const auto stride = static_cast<std::int16_t>(n.integer);
    if (n.is_real || stride != n.integer || stride == static_cast<std::int8_t>(stride))
      return a_.integer<std::int8_t>(*s_.stride, "a stride");
    const std::string offset = s_.offset ? text::joined(" offset=", offset_) : "";
    const std::int64_t extent =
        s_.extent ? a_.integer(*s_.extent, "an extent", 1, kMostElements) : elements_left(stride);
    a_.fail(s_.stride->place, "expected a stride -128..127, found ", stride,
            "; a mem4d has strides of 16 bits: dsd ", s_.name.text, " mem4d ", symbol_.name, offset,
            " extent=", extent, " stride=", stride,
            (s_.wavelet_index_offset ? " wavelet_index_offset" : ""));
  }

  /// Elements from `offset` to the end of the symbol in the direction of the stride.
  std::int64_t elements_left(std::int64_t stride) const {
    if (offset_ < 0 || offset_ >= symbol_.count) {
      a_.fail(s_.offset->place, "expected an offset 0..", symbol_.count - 1, " into ",
              in_quotes(symbol_.name), ", found ", offset_, "; with extent= others are possible");
    }
    if (stride < 0) return offset_ / -stride + 1;
    const std::int64_t left = symbol_.count - offset_;
    return stride == 0 ? left : (left + stride - 1) / stride;
  }

  void resolve_mem4d() {
    const Loops trips = trip_counts();
    const bool has_steps = !s_.steps.empty();
    if (has_steps && !s_.strides.empty()) {
      a_.fail(s_.name.place, "expected one of stride= and step= for dsd ", in_quotes(s_.name.text),
              ", found both");
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
    if (is_empty_) dsd_.extent = 0;
  }

  /// Inner loop first; the text has the outer loop first.
  Loops trip_counts() {
    if (s_.extents.empty()) {
      a_.fail(s_.name.place, "expected extent= for dsd ", in_quotes(s_.name.text),
              ", found none; a mem4d descriptor says the extent of every loop");
    }
    Loops trips;
    std::uint64_t elements = 1;  // at most 65535^4
    for (const ExpressionPtr& e : s_.extents) {
      const std::int64_t trip = a_.integer<std::uint16_t>(*e, "an extent", 0);
      is_empty_ = is_empty_ || trip == 0;
      trips.insert(trips.begin(), std::max<std::int64_t>(trip, 1));
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

  /// wse.md 5.3: 1 for each loop if the program gives none.
  Loops given_strides(std::size_t count) const {
    if (s_.strides.empty()) return Loops(count, 1);
    require_as_many(s_.strides, "stride", count);
    Loops strides;
    for (const ExpressionPtr& e : s_.strides)
      strides.push_back(a_.integer<std::int16_t>(*e, "a stride"));
    return strides;
  }

  Loops strides_of_steps(const Loops& trips) const {
    require_as_many(s_.steps, "step", trips.size());
    Loops steps;
    for (const ExpressionPtr& e : s_.steps)
      steps.insert(steps.begin(), a_.integer<std::int16_t>(*e, "a step"));
    Loops strides = lower_strides(steps, trips);
    constexpr std::int64_t kLowest = std::numeric_limits<std::int16_t>::min();
    constexpr std::int64_t kHighest = std::numeric_limits<std::int16_t>::max();
    for (std::size_t k = 0; k < strides.size(); ++k) {
      if (strides[k] >= kLowest && strides[k] <= kHighest) continue;
      a_.fail(s_.steps[steps.size() - 1 - k]->place, "expected steps that make strides ", kLowest,
              "..", kHighest, ", found ", steps[k], ", which makes the stride ", strides[k]);
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
      a_.fail(s_.wraparound->place, "expected no wraparound=, found one; ", in_quotes(symbol_.name),
              " has one element, and only a smaller number could be given");
    }
    return a_.integer(*s_.wraparound,
                      "a wrap-around after fewer elements than " + in_quotes(symbol_.name) +
                          " has,",
                      1, symbol_.count - 1);
  }

  void set_one_loop(std::int64_t extent) {
    dsd_.extent = static_cast<std::uint32_t>(extent);
    dsd_.extents[0] = static_cast<std::uint16_t>(std::max<std::int64_t>(extent, 1));
  }

  /// All elements must lie in SRAM. If the operation sets their size, only the first one is known.
  void set_base(const Reach& reach) {
    const std::int64_t base = symbol_.address + offset_ * bytes_;
    const std::int64_t highest = pe::kSramBytes - (s_.element ? 2 : bytes_);
    for (const std::int64_t element :
         {s_.element ? 0 : reach.lowest, s_.element ? 0 : reach.highest}) {
      const std::int64_t address = base + element * bytes_;
      if (address >= 0 && address <= highest) continue;
      a_.fail(s_.name.place, "expected elements at byte addresses 0..", highest,
              ", found one of dsd ", in_quotes(s_.name.text), " at ", address);
    }
    dsd_.base = static_cast<std::uint16_t>(base);
  }

  const Assembly& a_;
  const DsdStatement& s_;
  pe::Dsd& dsd_;
  bool is_empty_ = false;  ///< a loop of a mem4d has no trip
  const pe::Symbol& symbol_;
  std::int64_t bytes_;
  std::int64_t offset_ = 0;
};

class FabricDsd {
 public:
  FabricDsd(Assembly& a, const DsdStatement& s, pe::Dsd& dsd) : a_(a), s_(s), dsd_(dsd) {}

  void resolve() {
    // wse.md 5.5: the descriptor may bring a color on WSE-2 only.
    const bool input = s_.kind == pe::DsdKind::kFabin;
    a_.refuse_on(Generation::kWse3, s_.color, "color=", "a wse3 queue has its own color");
    if (s_.color) color_ = Color(a_.integer<unsigned>(*s_.color, "a color", 0, kColorCount - 1));
    const pe::QueueBinding& queue = s_.target.text.empty() ? queue_of_color() : find_queue(input);
    if (!s_.extent) {
      a_.fail(s_.name.place, "expected extent= for dsd ", in_quotes(s_.name.text),
              ", found none; a fabric descriptor has no other length");
    }
    dsd_.queue = queue.id;
    // wse.md 5.8: 0x7FFF is endless; larger ones have the 16 bits of every extent.
    dsd_.extent = a_.integer<std::uint32_t>(*s_.extent, "an extent", 0, kMostElements);
    if (input) {
      require_color_of(queue);
    } else {
      dsd_.color = color_sent(queue);
    }
    dsd_.simd = simd();
    a_.refuse_on(Generation::kWse2, s_.priority,
                 "priority=", "on wse2 the operation or input queue has the priority");
    if (s_.priority) dsd_.priority = s_.priority->value;
    dsd_.control = s_.control.has_value();
    dsd_.control_transform = s_.control_transform.has_value();
    dsd_.wavelet_index_offset = s_.wavelet_index_offset.has_value();
    dsd_.advance_switch = s_.advance_switch.has_value();
    if (s_.zero) dsd_.zero = s_.zero->value;
  }

 private:
  const pe::QueueBinding& find_queue(bool input) const {
    const std::string expected =
        input ? "the name of an input queue" : "the name of an output queue";
    const Entity& entity = a_.names.require(s_.target, {NameKind::kQueue}, expected);
    const pe::QueueBinding& queue = a_.image.queues[entity.index];
    if (queue.input == input) return queue;
    a_.fail(s_.target.place, "expected ", expected, ", found the ",
            (queue.input ? "input" : "output"), " queue ", in_quotes(s_.target.text));
  }

  /// wse.md 5.5: the input queue that receives the color of a fabin without a queue. Where no queue
  /// line has the color, it is the lowest queue that is free, called like the dsd.
  const pe::QueueBinding& queue_of_color() {
    std::vector<pe::QueueBinding>& queues = a_.image.queues;
    for (const pe::QueueBinding& queue : queues)
      if (queue.input && queue.color == color_) return queue;
    pe::QueueBinding queue;
    unsigned id = 0;
    while (a_.image.find_queue(true, QueueId(id)) != nullptr) ++id;
    if (id == queue_count(a_.options.generation, true)) {
      a_.fail(s_.color->place, "expected a color that an input queue receives, found ",
              color_->value(), "; no queue is free for it");
    }
    queue.id = QueueId(id);
    queue.name = s_.name.text + "_queue";
    queue.color = color_;
    queue.line = s_.name.place.line;
    a_.names.add({s_.name.place, queue.name}, NameKind::kQueue, queues.size());
    queues.push_back(queue);
    return queues.back();
  }

  void require_color_of(const pe::QueueBinding& queue) const {
    if (!color_ || queue.color == color_) return;
    a_.fail(s_.color->place, "expected ",
            (queue.color ? std::to_string(queue.color->value()) : "none"), ", the color of queue ",
            named(a_, queue), ", found ", color_->value());
  }

  Color color_sent(const pe::QueueBinding& queue) const {
    if (color_) return *color_;
    if (queue.color) return *queue.color;
    a_.fail(s_.name.place, "expected color= for dsd ", in_quotes(s_.name.text),
            ", found none; its queue ", in_quotes(queue.name), " has no color");
  }

  /// wse.md 5.10. `off` is a WSE-2 descriptor of the releases before 2.10.
  pe::SimdMode simd() const {
    if (!s_.simd) return pe::default_simd(a_.options.generation);
    const pe::SimdMode mode = s_.simd->value;
    const bool both = mode == pe::SimdMode::kOff;
    if (both || a_.is_wse2() == (mode != pe::SimdMode::kMax)) return mode;
    a_.fail(s_.simd->place, "expected simd=",
            (a_.is_wse2() ? "32, simd=64, simd=32_or_64 or simd=off" : "off or simd=max"),
            ", the modes of ", to_string(a_.options.generation), ", found ",
            in_quotes(to_string(mode)));
  }

  Assembly& a_;
  const DsdStatement& s_;
  pe::Dsd& dsd_;
  std::optional<Color> color_;
};

void resolve(Assembly& a, const InitialLoadStatement& s) {
  for (const pe::InitialLoad& other : a.image.initial_loads) {
    if (!(other.dsr == s.dsr)) continue;
    a.fail(s.reg.place, "expected each DSR once, found ", in_quotes(s.reg.text), " again; line ",
           a.diagnostics.line_text(other.line), " loads it");
  }
  const Entity& entity = a.names.require(s.dsd, {NameKind::kDsd}, "the name of a dsd");
  pe::InitialLoad load;
  load.dsr = s.dsr;
  load.dsd = static_cast<std::uint32_t>(entity.index);
  load.config = encode_load_options(a, s.options, s.dsr, a.image.dsds[entity.index], s.dsd.place);
  load.line = s.reg.place.line;
  a.image.initial_loads.push_back(load);
}

}  // namespace

void resolve_dsds(Assembly& a, const std::vector<Statement>& statements) {
  for_each<DsdStatement>(statements, [&](const DsdStatement& s, std::size_t index) {
    pe::Dsd& dsd = a.image.dsds[index];
    if (is_memory(s.kind)) {
      MemoryDsd(a, s, dsd).resolve();
    } else {
      FabricDsd(a, s, dsd).resolve();
    }
  });
}

void resolve_initial_loads(Assembly& a, const std::vector<Statement>& statements) {
  for_each<InitialLoadStatement>(
      statements, [&](const InitialLoadStatement& s, std::size_t) { resolve(a, s); });
}

}  // namespace tessera::tasm
