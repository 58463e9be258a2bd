#include "frontends/tasm/option_reader.h"
#include "frontends/tasm/options.h"
#include "frontends/tasm/parser.h"

namespace tessera::tasm {
namespace {

void read_memory_options(TokenCursor& cursor, DsdStatement& s) {
  OptionReader options;
  if (s.kind == pe::DsdKind::kCircbuf) {
    options.value("extent", s.extent).value("wraparound", s.wraparound).read(cursor);
    return;
  }
  options.value("offset", s.offset);
  if (s.kind == pe::DsdKind::kMem4d) {
    options.values("extent", pe::kMaxDimensions, s.extents)
        .values("stride", pe::kMaxDimensions, s.strides)
        .values("step", pe::kMaxDimensions, s.steps);
  } else {
    options.value("extent", s.extent).value("stride", s.stride);
  }
  options.flag("wavelet_index_offset", s.wavelet_index_offset).read(cursor);
}

void read_fabric_options(TokenCursor& cursor, DsdStatement& s) {
  OptionReader options;
  options.value("extent", s.extent);
  if (s.kind == pe::DsdKind::kFabout) {
    options.value("color", s.color)
        .flag("control", s.control)
        .flag("wavelet_index_offset", s.wavelet_index_offset)
        .flag("advance_switch", s.advance_switch)
        .choice("zero", kZeroSources, s.zero);
  }
  options.choice("simd", kSimdModes, s.simd)
      .flag("control_transform", s.control_transform)
      .choice("priority", kPriorities, s.priority)
      .read(cursor);
}

}  // namespace

Statement parse_dsd(TokenCursor& cursor, Place) {
  DsdStatement s;
  s.name = parse_new_name(cursor, "a dsd");
  s.kind = expect_word(cursor, kDsdKinds);
  const bool memory = is_memory(s.kind);
  s.target =
      name_of(cursor.expect_name(memory ? "the name of a data symbol" : "the name of a queue"));
  if (memory) {
    read_memory_options(cursor, s);
  } else {
    read_fabric_options(cursor, s);
  }
  return s;
}

Statement parse_fifo(TokenCursor& cursor, Place) {
  FifoStatement s;
  s.name = parse_new_name(cursor, "a fifo");
  s.symbol = name_of(cursor.expect_name("the name of a data symbol"));
  OptionReader()
      .value("dsr", s.dsr)
      .value("xdsr", s.xdsr)
      .choice("empty", kFifoActions, s.empty)
      .choice("full", kFifoActions, s.full)
      .name("activate_push", "the name of a local task", s.activate_push)
      .name("activate_pop", "the name of a local task", s.activate_pop)
      .choice("priority", kPriorities, s.priority)
      .choice("simd", kSimdModes, s.simd)
      .read(cursor);
  return s;
}

Statement parse_initial_load(TokenCursor& cursor, Place) {
  const std::string expected =
      "a DSR dds0..dds15, s0ds0..s0ds15 or s1ds0..s1ds15 that is loaded before the start";
  InitialLoadStatement s;
  s.reg = name_of(cursor.peek());
  const std::optional<RegisterName> reg = accept_register(cursor);
  if (!reg) cursor.fail_expected(expected);
  if ((reg->kind & pe::kAnyDsr) == 0) {
    cursor.fail(s.reg.place, "expected " + expected + ", found " + quoted(s.reg.text));
  }
  s.dsr = {reg->kind, static_cast<std::uint8_t>(reg->number), 0};
  s.dsd = name_of(cursor.expect_name("the name of a dsd"));
  parse_options(cursor, "the dsd of " + s.reg.text, s.options);
  return s;
}

}  // namespace tessera::tasm
