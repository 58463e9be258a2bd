#include "platforms/wse/csl_options.h"

#include <filesystem>
#include <functional>
#include <iostream>

#include "frontends/compiled/folder.h"
#include "frontends/compiled/link.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

namespace fs = std::filesystem;

/// An option whose text is read at once.
cli::Option read_by(std::string name, std::string value, std::string help,
                    std::function<void(const std::string&)> take, bool repeatable = false) {
  return {std::move(name), std::move(value),         std::move(help),
          std::move(take), cli::Option::File::kNone, repeatable};
}

}  // namespace

cli::OptionGroup CslOptions::group() {
  using Text = const std::string&;
  return {
      kHeading,
      {cli::deciding(read_by(
           "params", "a:1,b:2", "parameters of the layout (repeatable)",
           [this](Text text) { csl::add_option_numbers(text, "--params", program.params); }, true)),
       cli::deciding(read_by(
           "colors", "a:1,b:2", "parameters of the layout that are colors (repeatable)",
           [this](Text text) { csl::add_option_numbers(text, "--colors", program.colors); }, true)),
       cli::deciding(read_by(
           "launch", "FUNCTION[:1,2]",
           "exported function that all PEs run, between --input and --output (repeatable, in "
           "order)",
           [this](Text text) { launches.push_back(text); }, true)),
       cli::deciding(read_by(
           "fabric-dims", "W,H", "size of the fabric (default: that of the program)",
           [this](Text text) { program.fabric = csl::option_pair(text, "--fabric-dims"); })),
       cli::deciding(read_by(
           "fabric-offsets", "X,Y", "where the program lies in the fabric",
           [this](Text text) { program.offsets = csl::option_pair(text, "--fabric-offsets"); })),
       cli::deciding(read_by("channels", "N",
                             "channels between host and program, 1 to 16 (default: 1)",
                             [this](Text text) { channels = compiled::channels_of(text); })),
       read_by(
           "import-path", "DIR", "folder for imports; also CSL_IMPORT_PATH (repeatable)",
           [this](Text text) { program.import_paths.push_back(text); }, true),
       cli::deciding(read_by(
           "link-section-start-address-bytes", ".a:4096,.b:8192",
           "addresses of the variables with linksection(\".a\") (repeatable)",
           [this](Text text) {
             csl::add_option_sections(text, "--link-section-start-address-bytes", program);
           },
           true)),
       cli::deciding(read_by("csl-version", "1.4|2.10", "version of CSL; also TESSERA_CSL_VERSION",
                             [this](Text text) { program.version = csl::option_version(text); })),
       cli::deciding(cli::one_of("fp16-format", "FORMAT", program.half, {"f16", "bf16", "cb16"},
                                 "16-bit float format of the program")),
       cli::deciding(cli::one_of(
           "csl-code", "vendor|plain|best", style, {"vendor", "plain", "best"},
           "how code is generated: as the vendor's compiler does, for reading, or better")),
       cli::deciding(
           cli::flag("allow-dsd-overrun", program.allows_overrun,
                     "a descriptor that leaves its array is a warning instead of an error")),
       cli::deciding(cli::one_of(
           "csl-locals", "memory|registers", locals, {"memory", "registers"},
           "--csl-code=plain: where variables of functions live that a loop changes"))}};
}

cli::Option arch_option(std::string& preset, std::string& arch) {
  cli::Option option =
      cli::one_of("arch", "NAME", arch, {"wse2", "wse3"},
                  "generation, as cslc has it: the preset of that name, unless --preset is given");
  option.take = [take = option.take, &preset, &arch](const std::string& given) {
    take(given);
    if (preset.empty()) preset = given;
    if (preset.rfind(arch, 0) != 0)
      throw UserError("", "--arch", "'" + arch + "' contradicts --preset " + preset);
  };
  return option;
}

bool is_csl(const std::string& program) {
  return fs::path(program).extension() == ".csl" || fs::is_directory(program);
}

compiled::Program load_csl(const cli::Options& options, const CslOptions& given,
                           const WseConfig& config) {
  if (fs::is_directory(options.program)) {
    options.refuse_any({"params", "param", "colors", "fabric-dims", "fabric-offsets", "import-path",
                        "csl-version", "fp16-format", "csl-code", "csl-locals", "allow-dsd-overrun",
                        "link-section-start-address-bytes", "channels"},
                       "the program is compiled; its parameters and the options of the compiler "
                       "cannot change any more");
    return compiled::read_folder(options.program, TESSERA_VERSION);
  }
  csl::Options engine_options = given.program;
  engine_options.shares_codes = true;
  engine_options.arch = config.generation == Generation::kWse2 ? "wse2" : "wse3";
  for (const auto& [name, value] : options.params)
    csl::add_option_numbers(name + ":" + value, "--param", engine_options.params);
  csl::add_environment(engine_options);
  const csl::CodeOptions code = csl::code_options(given.style, given.locals);
  engine_options.passes_descriptors = code.style == csl::codegen::Style::kVendor;
  csl::Engine engine(engine_options, std::cerr);
  engine.evaluate(options.program, [&](csl::Variant& variant) { csl::analyse(engine, variant); });
  csl::Compiler compiler(engine, code);
  compiled::LinkOptions link;
  link.channels = given.channels;
  return compiled::link(engine, options.program, link, std::ref(compiler));
}

}  // namespace tessera::wse
