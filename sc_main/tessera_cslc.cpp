// tessera_cslc: reads a CSL program with the command line of the vendor's compiler (csl.md 15).
#include <boost/json.hpp>
#include <boost/program_options.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "frontends/csl/compile.h"
#include "frontends/csl/sema/engine.h"
#include "frontends/tasm/disassembler.h"

namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
using tessera::UserError;
using tessera::csl::Options;
using tessera::csl::Version;
using Numbers = std::vector<std::pair<std::string, std::uint64_t>>;

struct CommandLine {
  std::string file;
  std::string folder = "out";
  bool prints_layout = false;
  bool has_memcpy = false;
  unsigned west_buffer = 0;
  unsigned east_buffer = 0;
  Options options;
};

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find(separator, from), text.size());
    if (end > from) parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

std::uint64_t number(const std::string& text, const std::string& option) {
  std::size_t end = 0;
  std::uint64_t value = 0;
  try {
    value = std::stoull(text, &end, 0);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || end != text.size() || text[0] == '-')
    throw UserError("", "", option + ": '" + text + "' is no unsigned integer");
  return value;
}

/// "a:1,b:2"
Numbers named_numbers(const std::vector<std::string>& lists, const std::string& option) {
  Numbers numbers;
  for (const std::string& list : lists) {
    for (const std::string& part : parts_of(list, ',')) {
      const std::size_t colon = part.find(':');
      if (colon == std::string::npos || colon == 0)
        throw UserError("", "", option + ": '" + part + "' is not of the form NAME:VALUE");
      const std::string name = part.substr(0, colon);
      for (const auto& [other, value] : numbers) {
        if (other == name) throw UserError("", "", option + ": '" + name + "' is given twice");
      }
      numbers.emplace_back(name, number(part.substr(colon + 1), option));
    }
  }
  return numbers;
}

/// "W,H"
std::pair<unsigned, unsigned> two_numbers(const std::string& text, const std::string& option) {
  const std::vector<std::string> parts = parts_of(text, ',');
  if (parts.size() != 2)
    throw UserError("", "", option + ": '" + text + "' is not of the form A,B");
  return {static_cast<unsigned>(number(parts[0], option)),
          static_cast<unsigned>(number(parts[1], option))};
}

po::options_description described() {
  po::options_description all("tessera_cslc FILE [OPTIONS]: evaluates the layout of a CSL program");
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
      "fp16-format", text()->default_value("f16"),
      "f16, bf16 or cb16")("max-inlined-iterations", text(), "limit of inline loops")(
      "comptime-func-depth-limit", text()->default_value("256"),
      "functions that call each other at compile time")(
      "max-parallelism", text(), "accepted and ignored")("out-routes", "accepted and ignored")(
      "output-json", text()->implicit_value(""), "accepted and ignored")(
      "warnings-as-errors", "a warning makes the exit status 2")("verbose", "accepted and ignored")(
      "debug-level,g", text(), "accepted and ignored")("csl-version", text(),
                                                       "1.4 or 2.10; also TESSERA_CSL_VERSION")(
      "print-layout", "prints routes, tasks, queues and exports as JSON")(
      "print-program", "prints the tile assembly of every program");
  return all;
}

Version version_of(const std::string& text) {
  if (text == "1.4") return Version::k1_4;
  if (text == "2.10") return Version::k2_10;
  throw UserError("", "", "the version of CSL is '" + text + "'; 1.4 and 2.10 are known");
}

void choose(const std::string& value, const std::vector<std::string>& known,
            const std::string& option) {
  for (const std::string& one : known) {
    if (one == value) return;
  }
  throw UserError("", "", option + ": '" + value + "' is none of " + tessera::text::listed(known));
}

CommandLine read(const po::variables_map& given) {
  CommandLine line;
  Options& options = line.options;
  const auto text = [&](const char* name) { return given[name].as<std::string>(); };
  const auto texts = [&](const char* name) {
    return given.count(name) != 0 ? given[name].as<std::vector<std::string>>()
                                  : std::vector<std::string>();
  };
  line.file = text("file");
  line.folder = text("output");
  line.has_memcpy = given.count("memcpy") != 0;
  const auto count_of = [&](const char* name) {
    return given.count(name) == 0
               ? 0U
               : static_cast<unsigned>(number(text(name), "--" + std::string(name)));
  };
  line.west_buffer = count_of("width-west-buf");
  line.east_buffer = count_of("width-east-buf");
  line.prints_layout = given.count("print-layout") != 0;
  options.arch = text("arch");
  choose(options.arch, {"wse2", "wse3"}, "--arch");
  options.half = text("fp16-format");
  choose(options.half, {"f16", "bf16", "cb16"}, "--fp16-format");
  options.params = named_numbers(texts("params"), "--params");
  options.colors = named_numbers(texts("colors"), "--colors");
  options.import_paths = texts("import-path");
  if (const char* paths = std::getenv("CSL_IMPORT_PATH")) {
    for (const std::string& path : parts_of(paths, ':')) options.import_paths.push_back(path);
  }
  if (given.count("fabric-dims") != 0)
    options.fabric = two_numbers(text("fabric-dims"), "--fabric-dims");
  if (given.count("fabric-offsets") != 0)
    options.offsets = two_numbers(text("fabric-offsets"), "--fabric-offsets");
  options.most_calls = static_cast<unsigned>(
      number(text("comptime-func-depth-limit"), "--comptime-func-depth-limit"));
  if (given.count("csl-version") != 0) {
    options.version = version_of(text("csl-version"));
  } else if (const char* version = std::getenv("TESSERA_CSL_VERSION")) {
    options.version = version_of(version);
  }
  return line;
}

void write_results(const CommandLine& line) {
  const fs::path folder(line.folder);
  fs::create_directories(folder);
  boost::json::object params, colors;
  for (const auto& [name, value] : line.options.params) params[name] = std::to_string(value);
  for (const auto& [name, value] : line.options.colors) colors[name] = std::to_string(value);
  std::ofstream out(folder / "out.json");
  out << boost::json::object{{"params", params}, {"colors", colors}} << '\n';
  if (!out) throw UserError((folder / "out.json").string(), "", "the file cannot be written");
}

/// The program lies in the fabric. Host transfers need 4 columns in the west and 3 in the east besides
/// those of buffers, and a row in the north and in the south.
void check_fabric(const CommandLine& line, const tessera::csl::Program& program) {
  const auto [width, height] = line.options.fabric;
  const auto [x, y] = line.options.offsets;
  const unsigned rim = line.has_memcpy ? 1 : 0;
  const unsigned west = line.has_memcpy ? 4 + line.west_buffer : 0;
  const unsigned east = line.has_memcpy ? 3 + line.east_buffer : 0;
  if (width == 0) return;
  const auto refuse = [&](const std::string& problem) {
    throw UserError(line.file, "",
                    "the program of " + std::to_string(program.width) + " x " +
                        std::to_string(program.height) + " PEs from (" + std::to_string(x) + ", " +
                        std::to_string(y) + ") on " + problem);
  };
  if (x < west || y < rim)
    refuse("leaves no room for host transfers; --fabric-offsets must be at least " +
           std::to_string(west) + "," + std::to_string(rim));
  if (x + program.width + east > width || y + program.height + rim > height)
    refuse("does not fit into the fabric; --fabric-dims must be at least " +
           std::to_string(x + program.width + east) + "," +
           std::to_string(y + program.height + rim));
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("-o=", 0) == 0) {
      arguments.insert(arguments.end(), {"-o", argument.substr(3)});
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
  if (given.count("file") == 0) throw UserError("", "", "no CSL file is given");
  const CommandLine line = read(given);
  tessera::csl::Engine engine(line.options, std::cerr);
  const tessera::csl::Program& program = engine.evaluate(line.file);
  check_fabric(line, program);
  write_results(line);
  if (line.prints_layout)
    std::cout << tessera::csl::layout_json(program, line.options.arch) << '\n';
  for (const auto& variant : engine.program().variants) {
    const tessera::csl::CompiledVariant compiled = tessera::csl::compile(engine, *variant);
    if (given.count("print-program") != 0)
      std::cout << "; " << variant->file << '\n' << tessera::tasm::disassemble(compiled.image);
  }
  return engine.has_warned() && given.count("warnings-as-errors") != 0 ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const UserError& error) {
    std::cerr << "error: " << error.what() << '\n';
  } catch (const po::error& error) {
    std::cerr << "error: " << error.what() << '\n';
  } catch (const fs::filesystem_error& error) {
    std::cerr << "error: " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "internal error: " << error.what() << '\n';
    return 5;
  }
  return 2;
}
