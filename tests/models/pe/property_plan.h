// One drawn DSD operation before it is written as instructions: its operands, what their
// descriptors look like and where they lie (reference wse.md 5.2 to 5.8).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/models/pe/builder.h"
#include "tests/models/pe/property_random.h"
#include "tests/models/pe/property_state.h"

namespace tessera::pe::test {

struct Slot {
  enum class Kind : std::uint8_t { kNone, kScalar, kPointer, kMemory, kFabric, kFifo };
  Kind kind = Kind::kNone;
  char type = 'w';
  unsigned bytes = 2;
  Operand operand;
  Dsd dsd;
  OpConfig load;
  int loaded = -1;               ///< index of the descriptor in the image
  bool same_as_source = false;   ///< destination in the DSR of a source
  bool in_register = false;      ///< scalar
  std::uint32_t value = 0;       ///< scalar; address of a pointer
  unsigned fifo = 0;             ///< index into Image::fifos
  bool sets_length = false;      ///< FIFO: by setdsl
  std::uint32_t new_length = 0;  ///< FIFO

  bool loads() const { return (kind == Kind::kMemory || kind == Kind::kFabric) && !same_as_source; }
};

struct Plan {
  const VectorOp* row = nullptr;
  std::array<Slot, kMaxOperands> slots;  ///< as in the instruction
  unsigned slot_count = 0;
  OpConfig config;
  std::uint32_t index = 0;
  bool index_in_register = false;
  Arena arena;
  bool async = false;
  bool single_step = false;
  unsigned rounds = 1;
  std::uint32_t length = 1;
  std::uint32_t elements = 1;  ///< elements that a round works on, at most
  bool endless = false;
  bool ends_on_control = false;
  bool shared_fifo = false;
  unsigned thread = 0;  ///< asynchronous: its microthread
  unsigned tasks = 0;   ///< tasks that operations of this phase activate, itself included

  bool has_destination() const { return row->form != VectorForm::kFilter; }
  Slot* first_of(Slot::Kind kind, unsigned from = 0) {
    for (unsigned i = from; i < slot_count; ++i) {
      if (slots[i].kind == kind) return &slots[i];
    }
    return nullptr;
  }
  Slot* source(Slot::Kind kind) { return first_of(kind, has_destination() ? 1 : 0); }
  bool uses(Slot::Kind kind) { return first_of(kind) != nullptr; }
  /// Slots with a DSR in the order of wse.md 5.8: file src0, file src1, destination.
  std::vector<Slot*> by_length_rule() {
    std::vector<Slot*> order;
    for (OperandKind file : {kSrc0, kSrc1}) {
      for (unsigned i = has_destination() ? 1 : 0; i < slot_count; ++i) {
        if (slots[i].operand.kind == file) order.push_back(&slots[i]);
      }
    }
    if (has_destination() && slots[0].operand.is_dsr()) order.push_back(&slots[0]);
    return order;
  }
};

/// wse.md 6.7: D destination, p destination register or pointer, S source, v scalar.
inline std::string draw_form(VectorForm form, Random& random) {
  const auto one_of = [&random](std::initializer_list<const char*> forms) {
    return std::string(forms.begin()[random.below(static_cast<unsigned>(forms.size()))]);
  };
  switch (form) {
  case VectorForm::kMove:
    return one_of({"DS", "DS", "pS", "Dv"});
  case VectorForm::kUnary:
    return one_of({"DS", "DS", "Dv"});
  case VectorForm::kBinary:
    return one_of({"DSS", "DSS", "DvS", "DSv"});
  case VectorForm::kSubtract16:
    return one_of({"DSS", "DSv"});
  case VectorForm::kFloatBinary:
    return one_of({"DSS", "DSS", "DvS", "DSv", "pvS"});
  case VectorForm::kMultiplyAdd:
    return "DSSv";
  case VectorForm::kFilter:
    return "S";
  case VectorForm::kNone:
    break;
  }
  return "";
}

/// Fields of a memory descriptor except where it lies. `extent` 0: the length is that of another
/// operand.
inline void draw_shape(Dsd& dsd, unsigned bytes, unsigned extent, Random& random) {
  dsd.element_bytes = static_cast<std::uint8_t>(bytes);
  dsd.extent = extent;
  dsd.dimensions = 1;
  dsd.strides = {1, 0, 0, 0};
  const unsigned kind = random.below(100);
  if (kind >= 85) {
    dsd.kind = DsdKind::kCircbuf;
    dsd.wrap_count = static_cast<std::uint16_t>(1 + random.below(20));
    return;
  }
  const int strides[] = {1, 1, 1, 0, -1, random.between(-8, 8), random.between(-128, 127)};
  dsd.kind = kind < 55 ? DsdKind::kMem1d : DsdKind::kMem4d;
  dsd.strides[0] = static_cast<std::int16_t>(strides[random.below(7)]);
  if (dsd.kind == DsdKind::kMem1d) return;
  dsd.dimensions = static_cast<std::uint8_t>(1 + random.below(4));
  for (unsigned k = 0; k < dsd.dimensions; ++k) {
    dsd.extents[k] = static_cast<std::uint16_t>(1 + random.below(4));
    if (k > 0) dsd.strides[k] = static_cast<std::int16_t>(random.between(-9, 9));
  }
  if (extent == 0) dsd.extents[dsd.dimensions - 1U] = 0;
  dsd.extent = 1;
  for (unsigned k = 0; k < dsd.dimensions; ++k) dsd.extent *= dsd.extents[k];
}

/// Puts a vector of `elements` elements, `rounds` times, somewhere into `arena`; false: it does not
/// fit. With `save` each round begins where the last one ended.
inline bool place(Dsd& dsd, std::uint32_t elements, unsigned rounds, bool save, const Arena& arena,
                  Random& random) {
  const std::uint32_t room = arena.end - arena.begin;
  if (dsd.kind == DsdKind::kCircbuf) {
    const std::uint32_t size = dsd.wrap_count * dsd.element_bytes;
    if (size > room) return false;
    dsd.wrap_base =
        static_cast<std::uint16_t>(arena.begin + 2 * random.below((room - size) / 2 + 1));
    dsd.base = static_cast<std::uint16_t>(dsd.wrap_base +
                                          dsd.element_bytes * random.below(dsd.wrap_count));
    return true;
  }
  std::int32_t low = 0;
  std::int32_t high = 0;
  std::uint32_t base = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::uint32_t k = 0; k < elements; ++k) {
      const auto at = static_cast<std::int32_t>(element_address(dsd, base, dsd.strides[0], k));
      low = std::min(low, at);
      high = std::max(high, at + dsd.element_bytes);
    }
    if (save) base = element_address(dsd, base, dsd.strides[0], elements);
  }
  const auto span = static_cast<std::uint32_t>(high - low);
  if (span > room) return false;
  const std::uint32_t begin = arena.begin + 2 * random.below((room - span) / 2 + 1);
  dsd.base = static_cast<std::uint16_t>(begin + static_cast<std::uint32_t>(-low));
  return true;
}

/// Elements that a wavelet carries, and how many wavelets a SIMD mode waits for.
inline unsigned packed_of(const Image& image, const Dsd& dsd, unsigned bytes) {
  const bool input = dsd.kind == DsdKind::kFabin;
  for (const QueueBinding& q : image.queues) {
    if (q.input == input && q.id == dsd.queue && q.dense) return 1;
  }
  const bool indexed = !input && dsd.wavelet_index_offset;
  return bytes == 4 || indexed || dsd.simd == SimdMode::kOff ? 1 : 2;
}

}  // namespace tessera::pe::test
