// Programs with every declaration and option of the language, for one generation each.
#pragma once

#include <string_view>

#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::tasm {

inline constexpr std::string_view kDeclarationsOfWse3 = R"(half bf16
control_table instructions=8 stride=3
main_thread priority=medium_high
control_transform mask=0x15
routing_registers unused
microthread 5 blocked
microthread 2 blocked
data pad: i16[3]
data h: f16[6] align=32 = 1.5, -0.25, 3, bits(0x7f80)
data A: f32[4 * 5]
data ring: u16[40]
data buf: f32[8]
data buf2: i16[16] align=64
queue in input 2 color=3 control_table=2
queue ctl input 4 color=4 unblocked
queue thin input 6 color=6 dense
queue out output 1 color=7
queue thin_out output 3 color=8 dense
dsd whole mem1d A
dsd indexed mem1d h extent=3 stride=-1 offset=5 wavelet_index_offset
dsd nest mem4d A offset=2 extent=5,5,5,5 step=5,5,1,1
dsd raw mem4d h extent=2,3 stride=1,-1 wavelet_index_offset
dsd wide mem4d A extent=4,5 step=1,4
dsd flat mem4d ring extent=4 stride=2
dsd around circbuf ring
dsd part circbuf ring extent=100 wraparound=30
dsd west fabin in extent=4 simd=off control_transform priority=high
dsd any fabin ctl extent=0x7fff
dsd east fabout out extent=4 control wavelet_index_offset advance_switch zero=second
dsd far fabout thin_out extent=4 simd=max control_transform priority=low zero=first
fifo f buf dsr=3 xdsr=1 empty=suspend full=terminate activate_push=wake activate_pop=sleep
fifo g buf2 dsr=4 xdsr=0 full=fault priority=medium
dsr dds1 east async ut=3 activate=wake
dsr s0ds3 nest save_address xdsr=2 sr=0,1
dsr s1ds1 raw xdsr=3 single_step
dsr dds6 around xdsr=4 save_address
dsr s0ds2 wide xdsr=5 sr=7
dsr s1ds2 any async on_control=terminate
rotate on_in first limit=4 init=1

fn main
    ret
task on_in data in blocked priority=high
    end
task wake local 30 active priority=high
    end
task sleep local 9 blocked
    end
task first control 6 priority=high
    end
task same_number control 9
    end
)";

inline constexpr std::string_view kDeclarationsOfWse2 = R"(half cb16
main_thread priority=high
control_transform mask=63
data h: f16[4] = 6, 0.1
data buf: f16[32]
data more: i16[8]
queue in input 1 color=9 priority=medium
queue ctl input 2 color=10 unblocked priority=low
queue out output 2
queue own output 3 color=4
dsd a fabout out extent=3 color=5 simd=64
dsd b fabout own extent=2 simd=32_or_64 zero=first
dsd c fabin in extent=8 simd=32
dsd d fabin ctl extent=8 simd=off
dsd e circbuf h wraparound=3
dsd n mem4d buf extent=3,2
dsd by_color fabin color=7 extent=2 simd=32_or_64
fifo f buf dsr=5 xdsr=7 empty=terminate simd=32_or_64 activate_pop=l
fifo g more dsr=0 xdsr=0 simd=64
dsr s1ds6 c async unblock=ctl
dsr dds6 e xdsr=1
task on_in data in blocked
    end
task l local 3 active blocked
    end
task c1 control 63 priority=high
    end
)";

constexpr std::string_view declarations_of(Generation generation) {
  return generation == Generation::kWse2 ? kDeclarationsOfWse2 : kDeclarationsOfWse3;
}

}  // namespace tessera::tasm
