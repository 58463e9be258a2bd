// docs/tile-isa.md against the opcode table: each instruction has its row, and its programs
// assemble.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/frontends/tasm_test_text.h"

namespace tessera::tasm {
namespace {

std::string page() {
  std::ifstream in(TESSERA_SOURCE_DIR "/docs/tile-isa.md");
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

std::vector<std::string> row_of(const std::string& text, std::string_view mnemonic) {
  const std::string head = "| `" + std::string(mnemonic) + "` |";
  for (const std::string& line : lines_of(text)) {
    if (line.compare(0, head.size(), head) == 0) return cells_of(line);
  }
  return {};
}

std::string class_word(const pe::OpcodeInfo& info) {
  using pe::OpClass;
  static const std::map<OpClass, std::string> kWords = {
      {OpClass::kMove, "move"},       {OpClass::kInteger, "integer"},
      {OpClass::kCompare, "compare"}, {OpClass::kFloat, "float"},
      {OpClass::kLoad, "load"},       {OpClass::kStore, "store"},
      {OpClass::kDsr, "DSR"},         {OpClass::kBranch, "branch"},
      {OpClass::kTaskEnd, "task"},    {OpClass::kTaskControl, "task"},
      {OpClass::kTile, "tile"}};
  return kWords.at(info.op_class) + (info.vector ? ",vector" : "");
}

std::size_t operands_in(const std::string& cell) {
  return cell.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(cell.begin(), cell.end(), ','));
}

TEST(TileIsaPage, HasARowForEveryMnemonicWithItsOperandsAndClass) {
  const std::string text = page();
  for (unsigned i = 0; i < pe::kOpcodeCount; ++i) {
    const pe::OpcodeInfo& info = pe::info(static_cast<pe::Opcode>(i));
    const std::vector<std::string> row = row_of(text, info.mnemonic);
    ASSERT_EQ(row.size(), 5U) << info.mnemonic
                              << " has no row: instruction, operands, effect, class, CSL";
    EXPECT_EQ(operands_in(row[1]), info.operand_count) << info.mnemonic;
    EXPECT_FALSE(row[2].empty()) << info.mnemonic;
    EXPECT_EQ(row[3], class_word(info)) << info.mnemonic;
  }
}

TEST(TileIsaPage, ProgramsOnItAssemble) {
  std::string program;
  bool inside = false;
  unsigned programs = 0;
  for (const std::string& line : lines_of(page())) {
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
  EXPECT_EQ(programs, 2U);
}

TEST(TileIsaPage, ErrorItShowsIsTheOneOfTheAssembler) {
  try {
    assemble(std::string(19, '\n') + "    fmac d0", {"gemv.tasm", Generation::kWse3, {}});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_NE(page().find("\n" + std::string(e.what()) + "\n"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace tessera::tasm
