// Copies between the host's arrays and the memory of tiles: debug accesses between two cycles, which
// take no time in the fabric (docs/layout.md).
#pragma once

#include "frontends/layout/layout.h"
#include "platforms/data/host_array.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/workload.h"

namespace tessera::wse {

/// `array` to the tiles that `symbol` names.
void copy_in(const layout::Layout& layout, const layout::Symbol& symbol, const Programs& programs,
             const data::HostArray& array, Machine& machine);
/// The tiles to `array`.
void copy_out(const layout::Layout& layout, const layout::Symbol& symbol, const Programs& programs,
              Machine& machine, data::HostArray& array);

}  // namespace tessera::wse
