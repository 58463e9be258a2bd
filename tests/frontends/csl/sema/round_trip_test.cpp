// The programs of tests/scenario/csl and examples/csl: the text of their compiled code is assembled to the same code.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "frontends/compiled/code_files.h"
#include "frontends/compiled/link.h"
#include "frontends/csl/option_text.h"
#include "frontends/tasm/disassembler.h"
#include "tests/frontends/tasm/test_text.h"

namespace tessera::csl {
namespace {

namespace fs = std::filesystem;

/// The options of the compiler follow `// cslc:` in layout.csl, or in commands.sh beside it.
Options options_of(const fs::path& layout, const std::string& arch) {
  const fs::path commands = layout.parent_path() / "commands.sh";
  std::ifstream file(fs::exists(commands) ? commands : layout);
  std::string line;
  while (std::getline(file, line) && line.find("cslc") == std::string::npos) {
  }
  Options options;
  options.arch = arch;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    const std::string value = word.substr(std::min(name.size() + 1, word.size()));
    if (name == "--params") add_option_numbers(value, name, options.params);
    if (name == "--fabric-dims") options.fabric = option_pair(value, name);
    if (name == "--fabric-offsets") options.offsets = option_pair(value, name);
    if (name == "--csl-version") options.version = option_version(value);
    if (name == "--fp16-format") options.half = value;
  }
  return options;
}

void expect_round_trips(const fs::path& layout, const std::string& arch) {
  SCOPED_TRACE(layout.string() + ", " + arch);
  std::ostringstream messages;
  Engine engine(options_of(layout, arch), messages);
  engine.evaluate(layout.string());
  Compiler compiler(engine);
  const compiled::Program program = compiled::link(engine, layout.string(), {}, std::ref(compiler));
  EXPECT_FALSE(program.layout.programs.empty());
  const compiled::CodeFiles files = compiled::code_files(program);
  for (std::size_t i = 0; i < program.layout.programs.size(); ++i) {
    const pe::Image& image = *program.layout.programs[i].image;
    const std::string text = tasm::disassemble(image);
    tasm::AssembleOptions options = tasm::options_for(image.generation);
    EXPECT_EQ(tasm::dump(tasm::assemble(text, options)), tasm::dump(image)) << text;
    // The same code in the file that it shares with others.
    const compiled::CodeFiles::Use& use = files.uses[i];
    options.params.insert(use.params.begin(), use.params.end());
    EXPECT_EQ(tasm::dump(tasm::assemble(files.texts[use.file], options)), tasm::dump(image))
        << files.texts[use.file];
  }
}

class CslRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(CslRoundTrip, CompiledCodeIsAssembledToItself) {
  unsigned programs = 0;
  for (const char* folder : {"tests/scenario/csl", "examples/csl"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(TESSERA_SOURCE_DIR) / folder)) {
      const fs::path layout = entry.path() / "layout.csl";
      if (!fs::exists(layout)) continue;
      const bool is_of_wse2 = layout.string().find("_sdk_0_") != std::string::npos ||
                              layout.string().find("_wse2/") != std::string::npos;
      if (is_of_wse2 && GetParam() == std::string("wse3")) continue;  // SDK 0.4 to 0.9
      expect_round_trips(layout, GetParam());
      ++programs;
    }
  }
  EXPECT_GT(programs, 60U);
}

INSTANTIATE_TEST_SUITE_P(Generations, CslRoundTrip, testing::Values("wse2", "wse3"));

}  // namespace
}  // namespace tessera::csl
