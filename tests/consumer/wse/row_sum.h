// The tile program of this project, and what it must give: a row of tiles adds up its values from
// west to east; the east end keeps the sum.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "frontends/tasm/assembler.h"
#include "models/pe/program.h"

namespace row_sum {

inline constexpr const char* kProgram = R"(
param VALUE
param FIRST                     ; 1: the row begins here
param LAST                      ; 1: it ends here
param IN                        ; color of the link from the west
param OUT                       ; color of the link to the east

data sum: u32[1]

queue from_west input  2 color=IN
queue to_east   output 2 color=OUT

dsd in   fabin  from_west extent=1
dsd out  fabout to_east extent=1
dsd here mem1d  sum

fn main
    movri d0, VALUE
    movri r4, FIRST
    movri r5, LAST
    eq16  r4, 1
    jmpt  add
    lddsr dds1, here
    lddsr s1ds1, in
    mov32 dds1, s1ds1           ; waits for the wavelet
    ld32  d2, [sum]
    add32 d0, d0, d2
add:
    st32  [sum], d0
    eq16  r5, 1
    jmpt  done
    lddsr dds1, out
    mov32 dds1, d0
done:
    ret
)";

/// Color of the link from tile `x` to the next: two links of a tile differ.
inline unsigned link_color(int x) {
  return 2 + static_cast<unsigned>(x) % 2;
}

inline std::shared_ptr<const tessera::pe::Image> image(int x, int width, int value) {
  tessera::tasm::AssembleOptions options;
  options.file = "row_sum";
  options.params = {{"VALUE", value},
                    {"FIRST", x == 0},
                    {"LAST", x == width - 1},
                    {"IN", link_color(x + 1)},
                    {"OUT", link_color(x)}};
  return std::make_shared<tessera::pe::Image>(tessera::tasm::assemble(kProgram, options));
}

}  // namespace row_sum
