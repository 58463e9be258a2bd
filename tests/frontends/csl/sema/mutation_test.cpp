// Programs with a few tokens changed: the evaluation gives a program or a message, and never fails
// in another way.
#include <gtest/gtest.h>

#include <random>

#include "frontends/csl/syntax/lexer.h"
#include "tests/frontends/csl/sema/project.h"

namespace tessera::csl {
namespace {

constexpr const char* kFiles[] = {"layout.csl", "pe.csl", "part.csl"};

std::string source(const std::string& name) {
  return test::read_file(std::string(TESSERA_SOURCE_DIR) + "/tests/frontends/csl/sema/programs/" +
                         name);
}

/// Takes a token out, or puts another one in its place or in front of it.
std::string changed(std::string text, std::mt19937& random) {
  const std::vector<Token> tokens = tokenize(text, Diagnostics("a.csl", text));
  const auto any = [&] { return tokens[random() % (tokens.size() - 1)].text; };
  const std::string_view target = any();
  const auto from = static_cast<std::size_t>(target.data() - text.data());
  const std::string other(random() % 8 == 0 ? "undefined" : any());
  const auto kind = random() % 4;
  return text.replace(from, kind == 1 ? 0 : target.size(), kind == 0 ? "" : other + " ");
}

TEST(CslEvaluationMutation, GivesAProgramOrAMessage) {
  Project project;
  Options options;
  options.params = {{"width", 3}};
  options.most_steps = 2000;
  for (const char* name : kFiles) project.file(name, source(name));
  ASSERT_EQ(project.mistake(options), "");
  std::mt19937 random(1);
  unsigned accepted = 0;
  constexpr unsigned kRuns = 1000;
  for (unsigned run = 0; run < kRuns; ++run) {
    options.arch = run % 2 == 0 ? "wse2" : "wse3";
    const std::string name = kFiles[run % 3];
    std::string text = source(name);
    try {
      for (unsigned i = 0; i <= run % 2; ++i) text = changed(text, random);
    } catch (const UserError&) {
      continue;  // no tokens any more
    }
    project.file(name, text);
    EXPECT_NO_THROW(accepted += project.mistake(options).empty()) << text;
    project.file(name, source(name));
  }
  EXPECT_GT(accepted, kRuns / 100);
}

}  // namespace
}  // namespace tessera::csl
