// wse_platform with a router in Verilog (router.sv) that --replace puts in the place of ours:
//
//   rtl_router ../gemv_stream/layout.json --replace router[1,1]=verilog
//
// The factory "verilog" also steps our router beside it and ends the run at the first difference, with
// the cycles before it in router_X_Y.vcd. docs/rtl-in-the-loop.md
#include <systemc>

#include <memory>
#include <string>

#include "Vrouter.h"
#include "models/fabric/pin_router.h"
#include "platforms/wse/platform.h"

using namespace tessera;

namespace {

class VerilogRouter : public fabric::PinRouter {
 public:
  VerilogRouter(sc_core::sc_module_name name, const wse::Site& site,
                const fabric::PinRouterOptions& options)
      : PinRouter(name, site.domain, site.tile, site.config.fabric, site.routes, site.probe,
                  options) {
    connect(rtl_);
  }

 private:
  Vrouter rtl_{"rtl"};
};

}  // namespace

int sc_main(int argc, char* argv[]) {
  wse::Replacements replacements;
  replacements.routers.add("verilog", [](sc_core::sc_module_name name, const wse::Site& site) {
    fabric::PinRouterOptions options;
    options.lock_step = true;
    options.vcd_file =
        "router_" + std::to_string(site.tile.x) + "_" + std::to_string(site.tile.y) + ".vcd";
    return std::make_unique<VerilogRouter>(name, site, options);
  });
  return wse::run_platform(argc, argv, replacements);
}
