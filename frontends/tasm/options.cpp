#include "frontends/tasm/options.h"

#include "frontends/tasm/option_reader.h"

namespace tessera::tasm {
void parse_options(TokenCursor& cursor, const std::string& behind, OptionsSyntax& options) {
  const char* const local = "the name of a local task";
  const char* const any = "the name of a task or input queue";
  OptionReader()
      .flag("async", options.async)
      .value("ut", options.ut)
      .name("activate", local, options.activate)
      .name("unblock", any, options.unblock)
      .choice("on_control", kOnControls, options.on_control)
      .name("on_control_activate", local, options.on_control_activate)
      .name("on_control_unblock", any, options.on_control_unblock)
      .register_or_value("index", options.index)
      .choice("priority", kPriorities, options.priority)
      .flag("save_address", options.save_address)
      .flag("single_step", options.single_step)
      .value("xdsr", options.xdsr)
      .values("sr", pe::OpConfig{}.sr.size(), options.sr)
      .behind(behind)
      .read(cursor);
}

}  // namespace tessera::tasm
