// Folders of compiled programs with a few bytes or values changed: each is refused with one sentence, or
// is a whole program. With the digests made right again the checks of the contents are reached.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "frontends/compiled/check.h"
#include "frontends/compiled/folder.h"
#include "frontends/compiled/folder_files.h"
#include "frontends/layout/layout_reader.h"
#include "frontends/tasm/assembler.h"
#include "frontends/text/files_read.h"
#include "tests/support/csl_program.h"
#include "tests/support/number_from.h"
#include "tests/support/temporary_folder.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::compiled {
namespace {

const std::string kHost = "tests/platforms/wse/programs/csl_host/layout.csl";
const std::vector<std::string> kFiles = {kProgramFile, kLayoutFile, code_file(0)};

/// TESSERA_MUTANTS of the environment, for long runs.
unsigned mutants() {
  return static_cast<unsigned>(test::number_from("TESSERA_MUTANTS", 2000));
}

class Folder {
 public:
  Folder() {
    write_folder(test::csl_program(kHost, "wse3", "width:2,height:2"), path(), "1");
    for (const std::string& name : kFiles) texts_.push_back(test::read_file(folder_.file(name)));
  }
  std::string path() const { return folder_.path().string(); }
  const std::string& text(std::size_t file) const { return texts_[file]; }

  /// The folder with another text of one file, with digests that fit if `is_signed`.
  void put(std::size_t file, const std::string& text, bool is_signed) {
    for (std::size_t i = 0; i < kFiles.size(); ++i)
      test::write_file(folder_.file(kFiles[i]), i == file ? text : texts_[i]);
    if (!is_signed) return;
    std::string program = file == 0 ? text : texts_[0];
    if (file != 0) replace(program, text::digest_of(texts_[file]), text::digest_of(text));
    const std::string old = digest_in(texts_[0]);
    if (!replace(program, old, kNoDigest)) return;
    replace(program, kNoDigest, text::digest_of(program));
    test::write_file(folder_.file(kProgramFile), program);
  }

 private:
  static bool replace(std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return false;
    text.replace(at, from.size(), to);
    return true;
  }
  static std::string digest_in(const std::string& program) {
    const std::string before = "\"digest\":\"";
    return program.substr(program.find(before) + before.size(), std::string(kNoDigest).size());
  }

  const test::TemporaryFolder folder_;
  std::vector<std::string> texts_;
};

/// What a machine does before it is built: reads, assembles and checks. Answers the sentence of a refusal.
std::string load(const Folder& folder) {
  try {
    const Program program = test::load_folder(folder.path(), "1");
    const layout::Rect& r = program.rectangle;
    for (int y = r.y; y < r.y + r.h; ++y) {
      for (int x = r.x; x < r.x + r.w; ++x) program.symbols_of({x, y});
    }
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// A number, a word or some bytes are changed.
std::string mutant_of(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kNumbers = {"0",
                                                    "1",
                                                    "-1",
                                                    "3",
                                                    "24",
                                                    "31",
                                                    "65535",
                                                    "65536",
                                                    "4294967295",
                                                    "4294967296",
                                                    "9223372036854775807",
                                                    "1e99",
                                                    "\"x\"",
                                                    "null",
                                                    "[]",
                                                    "{}",
                                                    "true",
                                                    "\"\""};
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto is_digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  std::size_t at = below(text.size());
  switch (below(5)) {
  case 0: {  // a number
    while (at < text.size() && !is_digit(at)) ++at;
    std::size_t end = at;
    while (end < text.size() && is_digit(end)) ++end;
    return text.replace(at, end - at, kNumbers[below(kNumbers.size())]);
  }
  case 1:
    return text.erase(at, 1 + below(40));
  case 2:
    return text.insert(at, text.substr(below(text.size()), 1 + below(60)));
  case 3:
    text[at] = static_cast<char>(random());
    return text;
  default:
    return text.substr(0, at);
  }
}

TEST(CompiledFolderMutation, AnEditedFileIsRefused) {
  Folder folder;
  ASSERT_EQ(load(folder), "");
  std::mt19937 random(1);
  for (unsigned run = 0; run < mutants() / 2; ++run) {
    const std::size_t file = run % kFiles.size();
    const std::string text = mutant_of(folder.text(file), random);
    if (text == folder.text(file)) continue;
    folder.put(file, text, false);
    const std::string problem = load(folder);
    EXPECT_NE(problem, "") << text;
    EXPECT_EQ(std::count(problem.begin(), problem.end(), '\n'), 0) << problem;
  }
}

TEST(CompiledFolderMutation, ContentsAreCheckedToo) {
  Folder folder;
  std::mt19937 random(2);
  unsigned accepted = 0;
  for (unsigned run = 0; run < mutants() / 2; ++run) {
    const std::size_t file = run % 4 == 3 ? 0 : run % kFiles.size();
    const std::string text = mutant_of(folder.text(file), random);
    folder.put(file, text, true);
    std::string problem;
    EXPECT_NO_THROW(problem = load(folder)) << text;
    accepted += problem.empty();
  }
  EXPECT_GT(accepted, 0U);  // a changed comment
}

TEST(CompiledFolderMutation, SaysWhatDoesNotFit) {
  Folder folder;
  const auto with = [&](const std::string& pattern, const std::string& other) {
    std::string text = folder.text(0);
    const std::size_t at = text.find(pattern);
    EXPECT_NE(at, std::string::npos) << pattern;
    folder.put(0, text.replace(at, pattern.size(), other), true);
    return load(folder);
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(with("\"rectangle\":[", "\"rectangle\":[1"), HasSubstr("does not lie in the fabric"));
  EXPECT_THAT(with("\"functions\":{", "\"functions\":{\"nobody\":\"nobody\","),
              HasSubstr("there is no function 'nobody'"));
  EXPECT_THAT(with("\"variables\":{", "\"variables\":{\"nobody\":\"nobody\","),
              HasSubstr("there is no variable 'nobody'"));
  EXPECT_THAT(with("\"streams_in\":", "\"streams_in\":16777216,\"streams_was\":"),
              HasSubstr("only 24 colors"));
  std::string text = folder.text(0);
  const std::size_t pointers = text.find("\"pointers\":{\"");
  const std::size_t number = text.find(':', pointers + 12) + 1;
  for (const char* address : {"65535", "49151", "49152"}) {
    std::string edited = text;
    edited.replace(number, edited.find_first_of(",}", number) - number, address);
    folder.put(0, edited, true);
    EXPECT_THAT(load(folder), HasSubstr("does not lie in the memory of a PE")) << address;
  }
  folder.put(2, "", true);
  EXPECT_NE(load(folder), "");
}

}  // namespace
}  // namespace tessera::compiled
