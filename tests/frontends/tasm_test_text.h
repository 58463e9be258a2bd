// Helpers of the tile assembly tests.
#pragma once

#include <map>
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

/// The message of the UserError that assembling `text` ends in; "no error" if it does not.
inline std::string error_of(std::string_view text, const AssembleOptions& options) {
  try {
    assemble(text, options);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
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
