// Helpers of the tile assembly tests.
#pragma once

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "frontends/tasm/assembler.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::tasm {

inline AssembleOptions options_for(Generation generation,
                                   std::map<std::string, std::int64_t> params = {}) {
  return {"t.tasm", generation, std::move(params)};
}

inline pe::Image assemble_wse3(std::string_view text) {
  return assemble(text, options_for(Generation::kWse3));
}
inline pe::Image assemble_wse2(std::string_view text) {
  return assemble(text, options_for(Generation::kWse2));
}

/// "LINE:COLUMN: problem" of the UserError that assembling `text` ends in, or only the problem if
/// it has no place; "no error" if there is none. How the file is put in front is the business of
/// UserError.
inline std::string error_of(std::string_view text, const AssembleOptions& options) {
  try {
    assemble(text, options);
  } catch (const UserError& e) {
    const std::string what = e.what();
    return what.substr(what.find_first_not_of(": ", e.file().size()));
  }
  return "no error";
}

/// One field of a dump; absent: '-'.
template <class T>
std::string field(const T& value) {
  std::ostringstream os;
  os << ' ' << value;
  return os.str();
}
inline std::string field(std::uint8_t value) {
  return field(unsigned{value});
}
inline std::string field(const pe::Operand& o) {
  return field(int(o.kind)) + ":" + std::to_string(o.reg) + ":" + std::to_string(o.value);
}
template <class T>
std::string field(const std::optional<T>& value) {
  return value ? field(*value) : " -";
}
template <class T>
std::string word(const std::optional<T>& value) {
  return value ? field(int(*value)) : " -";
}
inline std::string field(const pe::OpConfig& c) {
  std::string text = field(c.async) + field(c.ut) + field(c.activate) + field(c.unblock) +
                     field(int(c.on_control)) + field(c.on_control_target) +
                     field(c.leaves_control) + field(c.index) + word(c.priority) +
                     field(c.save_address) + field(c.single_step) + field(c.xdsr);
  for (const auto& sr : c.sr) text += field(sr);
  return text;
}

inline std::string dump(const pe::Dsd& d) {
  std::string text = "dsd " + d.name + field(int(d.kind)) + field(d.extent) + field(d.base) +
                     field(d.element_bytes) + word(d.stated) + field(d.wavelet_index_offset) +
                     field(d.dimensions);
  for (const std::uint16_t extent : d.extents) text += field(extent);
  for (const std::int16_t stride : d.strides) text += field(stride);
  return text + field(d.wrap_base) + field(d.wrap_count) + field(d.queue) + field(d.color) +
         field(int(d.simd)) + word(d.priority) + field(d.control_transform) + field(d.control) +
         field(d.advance_switch) + field(int(d.zero)) + "\n";
}

inline std::string dump(const pe::Fifo& f) {
  return "fifo " + f.name + field(f.base) + field(f.bytes) + field(f.dsr) + field(f.xdsr) +
         field(int(f.empty_action)) + field(int(f.full_action)) + field(f.activate_push) +
         field(f.activate_pop) + word(f.priority) + field(int(f.simd)) + "\n";
}

inline std::string dump(const pe::QueueBinding& q) {
  return "queue " + q.name + field(q.input) + field(q.id) + field(q.color) + word(q.priority) +
         field(q.unblocked) + field(q.control_table) + field(q.dense) + "\n";
}

inline std::string dump(const pe::TaskBinding& t) {
  return "task " + t.name + field(int(t.kind)) + field(t.id) + field(t.queue) + field(t.entry) +
         field(t.active) + field(t.blocked) + field(int(t.priority)) + "\n";
}

/// Every field of an image but file and line numbers, one entity a line: two images with the same
/// dump are the same program. Written without the disassembler, to judge it.
inline std::string dump(const pe::Image& image) {
  std::ostringstream os;
  os << to_string(image.generation) << ' ' << to_string(image.half) << " end " << image.data_end
     << " main " << int(image.main_priority) << " mask " << int(image.control_mask) << " routing "
     << image.routing_unused << " blocked " << int(image.blocked_microthreads) << '\n';
  for (const pe::Symbol& s : image.symbols) {
    os << "symbol " << s.name << ' ' << to_string(s.type) << ' ' << s.address << ' ' << s.count
       << ' ' << s.align << " =";
    for (const std::uint32_t bits : s.init) os << ' ' << bits;
    os << '\n';
  }
  for (const pe::PrintedString& s : image.strings)
    os << "string " << s.name << " =" << s.text << '\n';
  for (const pe::Dsd& d : image.dsds) os << dump(d);
  for (const pe::Fifo& f : image.fifos) os << dump(f);
  for (const pe::InitialLoad& l : image.initial_loads)
    os << "load" << field(l.dsr) << field(l.dsd) << field(l.config) << '\n';
  for (const pe::QueueBinding& q : image.queues) os << dump(q);
  for (const pe::TaskBinding& t : image.tasks) os << dump(t);
  for (const pe::Rotation& r : image.rotations)
    os << "rotate" << field(r.main) << field(r.alternative) << field(r.init) << field(r.limit)
       << '\n';
  if (image.control_table) {
    os << "control_table" << field(image.control_table->instructions)
       << field(image.control_table->stride) << '\n';
  }
  for (const pe::Function& f : image.functions) os << "fn " << f.name << ' ' << f.entry << '\n';
  for (const pe::Label& l : image.labels) os << "label " << l.name << ' ' << l.target << '\n';
  for (const pe::Instruction& in : image.code) {
    os << pe::info(in.op).mnemonic;
    for (const pe::Operand& o : in.operands) os << field(o);
    os << field(in.config) << '\n';
  }
  return os.str();
}

/// The example of docs/tile-isa.md: every kind of line, and most kinds of operands.
inline constexpr std::string_view kGemv = R"(param Mp = 2
param Np = 2
param X = 0
param IN = 1
param OUT = 2
data A: f32[Mp * Np]          ; column-major block
data y: f32[Mp]
data left: i16[1] = Np        ; columns still to come
queue x_in    input 2  color=X
queue sum_in  input 3  color=IN
queue sum_out output 4 color=OUT
dsd column mem1d A extent=Mp
dsd acc    mem1d y
dsd west   fabin sum_in extent=Mp
dsd east   fabout sum_out extent=Mp

fn main
    lddsr s1ds1, column save_address
    ublk  x_in
    ret

task on_x data x_in blocked      ; d0 = x_j
    lddsr dds1, acc
    lddsr s0ds1, acc
    fmacs dds1, s0ds1, s1ds1, d0
    ld16  r2, [left]
    sub16 r2, r2, 1
    st16  [left], r2
    eq16  r2, 0
    jmpf  more
    actvt reduce
more:
    end

task reduce local 10
    lddsr dds2, east
    lddsr s0ds2, west
    lddsr s1ds2, acc
    fadds dds2, s0ds2, s1ds2 async
    end
)";

}  // namespace tessera::tasm
