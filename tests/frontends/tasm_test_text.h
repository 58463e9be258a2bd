// Helpers of the tile assembly tests.
#pragma once

#include <map>
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

/// Every field of an image but file and line numbers, one entity a line: two images with the same
/// dump are the same program. Written without the disassembler, to judge it.
inline std::string dump(const pe::Image& image) {
  std::ostringstream os;
  const auto optional_id = [&os](const auto& id) { id ? os << *id : os << '-'; };
  os << to_string(image.generation) << " end " << image.data_end << '\n';
  for (const pe::Symbol& s : image.symbols) {
    os << "symbol " << s.name << ' ' << to_string(s.type) << ' ' << s.address << ' ' << s.count
       << " =";
    for (const std::uint32_t bits : s.init) os << ' ' << bits;
    os << '\n';
  }
  for (const pe::Dsd& d : image.dsds) {
    os << "dsd " << d.name << ' ' << int(d.kind) << ' ' << d.extent << ' ' << d.base << ' '
       << d.stride << ' ' << int(d.element_bytes) << ' ' << d.queue << ' ' << d.color << '\n';
  }
  for (const pe::QueueBinding& q : image.queues) {
    os << "queue " << q.name << ' ' << q.input << ' ' << q.id << ' ';
    optional_id(q.color);
    os << '\n';
  }
  for (const pe::TaskBinding& t : image.tasks) {
    os << "task " << t.name << ' ' << int(t.kind) << ' ' << t.id << ' ' << t.queue << ' ' << t.entry
       << ' ' << t.active << t.blocked << '\n';
  }
  for (const pe::Function& f : image.functions) os << "fn " << f.name << ' ' << f.entry << '\n';
  for (const pe::Label& l : image.labels) os << "label " << l.name << ' ' << l.target << '\n';
  for (const pe::Instruction& in : image.code) {
    os << pe::info(in.op).mnemonic;
    for (const pe::Operand& o : in.operands)
      os << ' ' << int(o.kind) << ':' << int(o.reg) << ':' << o.value;
    os << ' ' << in.config.async << in.config.save_address << ' ';
    optional_id(in.config.ut);
    optional_id(in.config.activate);
    optional_id(in.config.unblock);
    os << '\n';
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
