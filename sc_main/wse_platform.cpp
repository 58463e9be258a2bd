// wse_platform: runs a tile program (layout + .tasm files) or a CSL program on a WSE-2 or WSE-3
// fabric: docs/running.md. What happens in a run stands in platforms/wse/platform.cpp.
#include <systemc>

#include "platforms/wse/platform.h"
#include "tessera_commit.h"

int sc_main(int argc, char* argv[]) {
  tessera::wse::Replacements none;
  return tessera::wse::run_platform(argc, argv, none, TESSERA_COMMIT);
}
