#include "platforms/wse/options.h"

namespace tessera::wse {

cli::OptionGroup FabricOptions::group() {
  using cli::file;
  const auto written = cli::Option::File::kWritten;
  return {kHeading,
          {file("trace-wse", "FILE", trace_wse_file, written,
                "text trace in the form of the vendor's simulator, e.g. --trace-wse sim.log"),
           file("vcd", "FILE", vcd_file, written, "wave form of tasks and links, e.g. --vcd w.vcd"),
           file("heatmap", "FILE.svg", heatmap_file, written,
                "picture of where the time went, e.g. --heatmap h.svg"),
           cli::text("heatmap-counter", "NAME", heatmap_counter,
                     "counter that the heat map shows (default: busy issue cycles)"),
           cli::flag(
               "check-links", check_links,
               "watch the links between routers and at the rim for broken protocol rules (exit 3)"),
           cli::flag("check-epochs", check_epochs,
                     "watch for wavelets that a change of a route catches under way (exit 4)")}};
}

}  // namespace tessera::wse
