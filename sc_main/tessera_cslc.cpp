// tessera_cslc: compiles a CSL program with the command line of the vendor's compiler (csl.md 15).
#include <boost/program_options.hpp>
#include <systemc>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <new>

#include "frontends/compiled/folder.h"
#include "frontends/compiled/link.h"
#include "frontends/compiled/ports.h"
#include "frontends/csl/messages/messages.h"
#include "frontends/csl/option_text.h"
#include "frontends/csl/syntax/parser.h"
#include "frontends/text/files_read.h"
#include "frontends/text/output_file.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
using tessera::UserError;
namespace compiled = tessera::compiled;
namespace csl = tessera::csl;
namespace wse = tessera::wse;

struct CommandLine {
  std::string file;
  std::string folder = "out";
  bool prints_layout = false;
  compiled::LinkOptions link;
  csl::CodeOptions code;
  csl::Options options;
};

po::options_description described() {
  po::options_description all("tessera_cslc FILE [OPTIONS]: compiles a CSL program");
  const auto text = [] { return po::value<std::string>(); };
  const auto texts = [] { return po::value<std::vector<std::string>>()->composing(); };
  all.add_options()("help,h", "prints this text")("version", "prints the version")(
      "output,o", text()->default_value("out"),
      "folder for the results")("arch", text()->default_value("wse2"),
                                "wse2 or wse3")("fabric-dims", text(), "W,H: size of the fabric")(
      "fabric-offsets", text(), "X,Y: where the program lies in the fabric")(
      "params", texts(), "a:1,b:2: parameters of the layout")(
      "colors", texts(), "a:1,b:2: parameters that are colors")("memcpy", "with host transfers")(
      "channels", text(), "host channels, 1 to 16")("width-west-buf", text(), "columns of buffers")(
      "width-east-buf", text(), "columns of buffers")("import-path", texts(),
                                                      "folder for imports; also CSL_IMPORT_PATH")(
      "fp16-format", text()->default_value("f16"), "f16, bf16 or cb16")(
      "max-inlined-iterations", text()->default_value("50"),
      "of an inline loop")("comptime-func-depth-limit", text()->default_value("256"),
                           "functions that call each other at compile time")(
      "link-section-start-address-bytes", texts(),
      ".a:4096,.b:8192: addresses of the variables with linksection(\".a\")")(
      "max-parallelism", text(), "accepted and ignored")("out-routes", "accepted and ignored")(
      "dump-dsr-alloc-graph", "accepted and ignored")("output-json", text()->implicit_value(""),
                                                      "accepted and ignored")(
      "warnings-as-errors", "a warning makes the exit status 2")("verbose", "accepted and ignored")(
      "debug-level,g", text(), "accepted and ignored")("csl-version", text(),
                                                       "1.4 or 2.10; also TESSERA_CSL_VERSION")(
      "csl-code", text()->default_value("vendor"),
      "vendor, plain or best: how code is generated (docs/csl.md)")(
      "csl-locals", text()->default_value("memory"),
      "memory or registers: with --csl-code=plain, where variables of functions live that a loop "
      "changes")("allow-dsd-overrun",
                 "a descriptor that leaves its array is a warning instead of an error")(
      "host-stream", texts(),
      "NAME:in|out:X,Y:SIDE:COLOR: a stream of the host over the rim of the fabric, at a side of a "
      "PE")("parse", texts()->multitoken(), "FILE..: parses files and does nothing else")(
      "explain", text(),
      "csl-0201: explains the message with this id, with a wrong and a right program")(
      "print-ir", po::value<std::string>(),
      "PASS: prints the intermediate code of each function after a pass")(
      "print-layout", "prints routes, tasks, queues and exports as JSON; compiles no code");
  return all;
}

void choose(const std::string& value, const std::vector<std::string>& known,
            const std::string& option) {
  for (const std::string& one : known) {
    if (one == value) return;
  }
  throw UserError("", "", option + ": '" + value + "' is none of " + tessera::text::listed(known));
}

/// The name of a pass; of a wrong one the message has all.
std::string pass_of(const std::string& name) {
  std::string all;
  for (const std::string& one : csl::codegen::pass_names()) {
    if (one == name) return name;
    all += ' ' + one;
  }
  throw UserError("", "", "--print-ir: '" + name + "' is no pass; the passes are" + all);
}

CommandLine read_options(const po::variables_map& given) {
  CommandLine line;
  csl::Options& options = line.options;
  const auto text = [&](const char* name) { return given[name].as<std::string>(); };
  const auto texts = [&](const char* name) {
    return given.count(name) != 0 ? given[name].as<std::vector<std::string>>()
                                  : std::vector<std::string>();
  };
  line.file = text("file");
  line.folder = text("output");
  line.link.has_memcpy = given.count("memcpy") != 0;
  const auto count_of = [&](const char* name) {
    return given.count(name) == 0
               ? 0U
               : static_cast<unsigned>(csl::option_number(text(name), "--" + std::string(name)));
  };
  line.link.west_buffer = count_of("width-west-buf");
  line.link.east_buffer = count_of("width-east-buf");
  if (given.count("channels") != 0) line.link.channels = compiled::channels_of(text("channels"));
  for (const std::string& stream : texts("host-stream"))
    line.link.ports.push_back(compiled::port_of(stream));
  line.prints_layout = given.count("print-layout") != 0;
  options.shares_codes = !line.prints_layout;
  options.arch = text("arch");
  choose(options.arch, {"wse2", "wse3"}, "--arch");
  options.half = text("fp16-format");
  choose(options.half, {"f16", "bf16", "cb16"}, "--fp16-format");
  for (const std::string& list : texts("params"))
    csl::add_option_numbers(list, "--params", options.params);
  for (const std::string& list : texts("colors"))
    csl::add_option_numbers(list, "--colors", options.colors);
  for (const std::string& list : texts("link-section-start-address-bytes"))
    csl::add_option_sections(list, "--link-section-start-address-bytes", options);
  options.import_paths = texts("import-path");
  if (given.count("fabric-dims") != 0)
    options.fabric = csl::option_pair(text("fabric-dims"), "--fabric-dims");
  if (given.count("fabric-offsets") != 0)
    options.offsets = csl::option_pair(text("fabric-offsets"), "--fabric-offsets");
  options.most_calls = static_cast<unsigned>(
      csl::option_number(text("comptime-func-depth-limit"), "--comptime-func-depth-limit"));
  options.most_inlined =
      csl::option_number(text("max-inlined-iterations"), "--max-inlined-iterations");
  if (given.count("csl-version") != 0) options.version = csl::option_version(text("csl-version"));
  csl::add_environment(options);
  options.allows_overrun = given.count("allow-dsd-overrun") != 0;
  choose(text("csl-locals"), {"memory", "registers"}, "--csl-locals");
  choose(text("csl-code"), {"vendor", "plain", "best"}, "--csl-code");
  line.code = csl::code_options(text("csl-code"), text("csl-locals"));
  line.code.has_memcpy = line.link.has_memcpy;
  options.passes_descriptors = line.code.style == csl::codegen::Style::kVendor;
  if (given.count("print-ir") == 0) return line;
  line.code.printed = {pass_of(text("print-ir")), &std::cout};
  return line;
}

CommandLine read(const po::variables_map& given) {
  try {
    return read_options(given);
  } catch (const UserError& error) {
    throw po::error(error.what());
  }
}

/// "-arch=wse3": the name of an option of several letters after one dash.
bool is_long_option(const std::string& argument) {
  if (argument.size() < 3 || argument[0] != '-' || argument[1] == '-') return false;
  const std::string name = argument.substr(1, argument.find('=') - 1);
  return described().find_nothrow(name, false) != nullptr;
}

/// What compiles, loads: the rules of the loader are asked here, not written again.
void require_loadable(const compiled::Program& program, const std::string& arch) {
  try {
    const wse::Workload loads(program, wse::load_wse_config(arch, "", {}));
  } catch (const UserError& error) {
    throw UserError("", "", error.what() + csl::tag(csl::Id::kMachine));
  }
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("-o=", 0) == 0) {
      arguments.insert(arguments.end(), {"-o", argument.substr(3)});
    } else if (is_long_option(argument)) {  // one dash is enough
      arguments.push_back("-" + argument);
    } else {
      arguments.push_back(argument);
    }
  }
  const po::options_description visible = described();
  po::options_description all = visible;
  all.add_options()("file", po::value<std::string>());
  po::positional_options_description position;
  position.add("file", 1);
  po::variables_map given;
  po::store(po::command_line_parser(arguments).options(all).positional(position).run(), given);
  if (given.count("help") != 0) {
    std::cout << visible;
    return 0;
  }
  if (given.count("version") != 0) {
    std::cout << "tessera_cslc " TESSERA_VERSION "\n";
    return 0;
  }
  if (given.count("explain") != 0) {
    std::cout << csl::explanation(given["explain"].as<std::string>());
    return 0;
  }
  if (given.count("parse") != 0) {
    for (const std::string& file : given["parse"].as<std::vector<std::string>>())
      csl::parse_file(file);
    return 0;
  }
  if (given.count("file") == 0) throw po::error("no CSL file is given");
  const CommandLine line = read(given);
  csl::Engine engine(line.options, std::cerr);
  const csl::Program& program =
      engine.evaluate(line.file, [&](csl::Variant& variant) { csl::analyse(engine, variant); });
  if (line.prints_layout) {
    compiled::place(engine, line.file, program, line.link);
    compiled::write_parameters(line.folder, line.options.params, line.options.colors);
    std::cout << csl::layout_json(program, line.options.arch) << '\n';
  } else {
    csl::Compiler compiler(engine, line.code);
    const compiled::Program linked =
        compiled::link(engine, line.file, line.link, std::ref(compiler));
    require_loadable(linked, line.options.arch);
    compiled::write_folder(linked, line.folder, TESSERA_VERSION);
  }
  return engine.has_warned() && given.count("warnings-as-errors") != 0 ? 2 : 0;
}

/// `otherwise`: the id of a message that has none.
void report(std::string message, csl::Id otherwise) {
  if (!csl::has_tag(message))
    message.insert(std::min(message.find('\n'), message.size()), csl::tag(otherwise));
  std::cerr << "error: " << message << '\n';
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  tessera::text::make_failed_writes_errors();
  const tessera::text::FilesRead read;
  try {
    const int exit_code = run(argc, argv);
    tessera::text::require_printed();
    return exit_code;
  } catch (const csl::Mistakes& mistakes) {
    for (const UserError& error : mistakes.all()) report(error.what(), csl::Id::kSystem);
    if (mistakes.is_full())
      std::cerr << "error: there may be more mistakes; the analysis ends here\n";
  } catch (const UserError& error) {
    report(error.what(), csl::Id::kSystem);
  } catch (const po::error& error) {
    report(error.what(), csl::Id::kCommandLine);
  } catch (const fs::filesystem_error& error) {
    report(error.what(), csl::Id::kSystem);
  } catch (const std::bad_alloc&) {
    report("there is not enough memory to compile this program", csl::Id::kSystem);
  } catch (const std::exception& error) {
    std::cerr << "internal error: " << error.what() << '\n';
    return 5;
  }
  return 2;
}
