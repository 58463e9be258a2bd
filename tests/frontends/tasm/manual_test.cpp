// docs/tile-isa.md against the opcode table: each instruction has its row with the words of the
// table. The programs on it and on docs/tile-programs.md assemble.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/frontends/tasm/test_text.h"

namespace tessera::tasm {
namespace {

std::string page(const std::string& name) {
  std::ifstream in(TESSERA_SOURCE_DIR "/docs/" + name);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Cells of a table row, without blanks; "\|" is a letter.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|' && line[i - 1] != '\\') {
      cells.push_back(cell);
      cell.clear();
    } else if (line[i] != ' ') {
      cell += line[i];
    }
  }
  return cells;
}

/// A text of the table as it stands in a cell: no blanks, no marks of code.
std::string bare(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '`' && c != '\\') result += c;
  }
  return result;
}

std::vector<std::string> row_of(const std::string& text, std::string_view mnemonic) {
  const std::string head = "| `" + std::string(mnemonic) + "` |";
  for (const std::string& line : lines_of(text)) {
    if (line.compare(0, head.size(), head) == 0) return cells_of(line);
  }
  return {};
}

std::string class_word(const pe::OpcodeInfo& info) {
  using pe::OpClass;
  static const std::map<OpClass, std::string> kWords = {{OpClass::kMove, "move"},
                                                        {OpClass::kInteger, "integer"},
                                                        {OpClass::kIntegerDivide, "integer divide"},
                                                        {OpClass::kFloat, "float"},
                                                        {OpClass::kFloatDivide, "float divide"},
                                                        {OpClass::kCompare, "compare"},
                                                        {OpClass::kFilter, "filter"},
                                                        {OpClass::kLoad, "load"},
                                                        {OpClass::kStore, "store"},
                                                        {OpClass::kDsr, "DSR"},
                                                        {OpClass::kBranch, "branch"},
                                                        {OpClass::kTaskEnd, "task"},
                                                        {OpClass::kTaskControl, "task"},
                                                        {OpClass::kTile, "tile"},
                                                        {OpClass::kConfig, "tile"}};
  return bare(kWords.at(info.op_class) + (info.vector() ? ", vector" : ""));
}

std::size_t operands_in(const std::string& cell) {
  return cell.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(cell.begin(), cell.end(), ','));
}

TEST(TileIsaPage, HasARowForEveryMnemonicWithTheWordsOfTheTable) {
  const std::string text = page("tile-isa.md");
  for (unsigned i = 0; i < pe::kOpcodeCount; ++i) {
    const pe::OpcodeInfo& info = pe::info(static_cast<pe::Opcode>(i));
    const std::vector<std::string> row = row_of(text, info.mnemonic);
    ASSERT_EQ(row.size(), 5U) << info.mnemonic
                              << " has no row: instruction, operands, effect, class, CSL";
    EXPECT_EQ(operands_in(row[1]), info.operand_count) << info.mnemonic;
    EXPECT_EQ(bare(row[2]), bare(info.effect)) << info.mnemonic;
    EXPECT_EQ(row[3], class_word(info)) << info.mnemonic;
    EXPECT_EQ(bare(row[4]), bare(info.csl)) << info.mnemonic;
  }
}

// wse.md 6.7, as isa.h has it.
TEST(TileIsaPage, ListsTheFormsOfEveryVectorInstruction) {
  std::map<std::string, std::string> forms;  // by mnemonic
  for (const std::string& line : lines_of(page("tile-isa.md"))) {
    const std::vector<std::string> cells =
        line.rfind("| `", 0) == 0 ? cells_of(line) : std::vector<std::string>();
    if (cells.size() != 2) continue;
    std::istringstream names(bare(cells[0]));
    for (std::string name; std::getline(names, name, ',');) forms.emplace(name, cells[1]);
  }
  for (unsigned i = 0; i < pe::kOpcodeCount; ++i) {
    const pe::OpcodeInfo& info = pe::info(static_cast<pe::Opcode>(i));
    if (info.vector()) {
      EXPECT_EQ(forms[std::string(info.mnemonic)], bare(to_string(info.form))) << info.mnemonic;
    }
  }
}

/// Assembles every program on the page; answers how many there are.
unsigned check_programs(const std::string& name) {
  std::string program;
  bool inside = false;
  unsigned programs = 0;
  for (const std::string& line : lines_of(page(name))) {
    if (line == "```tasm") {
      inside = true;
      program.clear();
    } else if (line == "```" && inside) {
      inside = false;
      ++programs;
      EXPECT_EQ(error_of(program, options_for(Generation::kWse3)), "no error") << program;
    } else if (inside) {
      program += line + "\n";
    }
  }
  return programs;
}

TEST(TileIsaPage, ProgramsOnItAssemble) {
  EXPECT_EQ(check_programs("tile-isa.md"), 3U);
}

TEST(TileProgramsPage, ProgramsOnItAssemble) {
  EXPECT_EQ(check_programs("tile-programs.md"), 9U);
}

// wse.md 1.5: the word is also built from the bits of the table on the page.
TEST(TileProgramsPage, ControlWordOfSeveralCommands) {
  const std::string text = page("tile-programs.md");
  const std::size_t first = text.find("const ADVANCE = 1");
  ASSERT_NE(first, std::string::npos);
  const pe::Image image = assemble_wse3(text.substr(first, text.find("```", first) - first));
  const unsigned no_ce =
      1U << 24 | 1U << 27 | 1U << 0 | 1U << 3 | 1U << 6 | 1U << 9 | 1U << 12 | 1U << 15;
  const std::uint32_t word = 31U << 16 | 1U << 22 | 2U << 28 | no_ce;
  EXPECT_EQ(image.symbols[0].init.at(0), word);
  EXPECT_EQ(word, 0x295F9249U);
  EXPECT_NE(text.find("; 0x295F9249"), std::string::npos);
}

TEST(ConfigurationSpacePage, ProgramsOnItAssemble) {
  EXPECT_EQ(check_programs("configuration-space.md"), 4U);
}

TEST(TileIsaPage, ErrorItShowsIsTheOneOfTheAssembler) {
  try {
    assemble(std::string(19, '\n') + "    fmac d0", {"gemv.tasm", Generation::kWse3, {}});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_NE(page("tile-isa.md").find("\n" + std::string(e.what()) + "\n"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace tessera::tasm
