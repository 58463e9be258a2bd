// Communication programs as JSON: what is read, and what is refused with which words
// (docs/numesh-platform.md).
#include <gtest/gtest.h>

#include "frontends/operators/program_reader.h"
#include "tests/support/run_program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::operators {
namespace {

using test::program_text;

const char* const kStream = R"("s": {"kind": "stream", "from": 0, "to": 3})";

std::string problem(const std::string& text, const ParamOverrides& params = {}) {
  try {
    read_program_text(text, "t.json", params);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}
std::string problem_of_operator(const std::string& op, const std::string& mesh = "[4]") {
  return problem(program_text(mesh, "\"a\": {" + op + "}", "\"a\""));
}
Program read(const std::string& mesh, const std::string& op) {
  return read_program_text(program_text(mesh, "\"a\": {" + op + "}", "\"a\""), "t.json");
}

TEST(OperatorsReader, NodesInThreeDimensions) {
  const Program p = read("[2, 3, 4]", R"("kind": "stream", "from": [1, 2, 3], "to": [0, 0, 0])");
  EXPECT_EQ(p.mesh.node_count(), 24U);
  EXPECT_EQ(p.operators[0].instances, (std::vector<Nodes>{{23, 0}}));
  EXPECT_EQ(p.mesh.route(23, 0), (Nodes{23, 22, 20, 18, 12, 6, 0}));
}
TEST(OperatorsReader, LinesOfABox) {
  const Program p =
      read("[4, 3]", R"("kind": "shift", "nodes": {"box": [1, 0, 3, 2]}, "each": "x", "by": -1)");
  EXPECT_EQ(p.operators[0].instances, (std::vector<Nodes>{{3, 2, 1}, {7, 6, 5}}));
}
TEST(OperatorsReader, RootsComeFirst) {
  const Program p = read("[3, 2]", R"("kind": "reduce", "nodes": "all", "each": "x",
                                      "to": {"box": [2, 0, 1, 2]})");
  EXPECT_EQ(p.operators[0].instances, (std::vector<Nodes>{{2, 0, 1}, {5, 3, 4}}));
}
TEST(OperatorsReader, ParametersAndTheirOverrides) {
  const std::string text =
      R"({"schema": "tessera-numesh-program-1", "params": {"N": 4, "M": "N * 2"},
    "mesh": ["N"], "operators": {"a": {"kind": "stream", "from": 0, "to": "N - 1", "words": "M"}},
    "program": "a"})";
  EXPECT_EQ(read_program_text(text, "t.json").operators[0].words, 8U);
  const Program p = read_program_text(text, "t.json", {{"N", 6}});
  EXPECT_EQ(p.operators[0].words, 12U);
  EXPECT_EQ(p.operators[0].instances, (std::vector<Nodes>{{0, 5}}));
  EXPECT_EQ(problem(text, {{"n", 6}}),
            "t.json: --param n: the program has no parameter \"n\"; did you mean 'N'? its "
            "parameters: N, M");
}
TEST(OperatorsReader, SharesAsFractionsAndDecimals) {
  for (const char* share : {"\"2/3\"", "0.667"}) {
    const Program p =
        read("[4]", std::string(R"("kind": "stream", "from": 0, "to": 3, "bandwidth": )") + share);
    EXPECT_EQ(p.operators[0].bandwidth->num, 2U);
    EXPECT_EQ(p.operators[0].bandwidth->den, 3U);
  }
}

TEST(OperatorsDiagnostics, Schema) {
  EXPECT_EQ(problem(R"({"schema": "tessera-wse-layout-1"})"),
            "t.json: schema: unknown schema \"tessera-wse-layout-1\"; this program reads "
            "\"tessera-numesh-program-1\"");
}
TEST(OperatorsDiagnostics, UnknownKey) {
  EXPECT_EQ(
      problem_of_operator(R"("kind": "stream", "from": 0, "to": 3, "word": 3)"),
      "t.json: operators.a: unknown key \"word\"; did you mean 'words'? allowed keys: kind, in, "
      "out, technique, compute, bandwidth, words, delay, echo, slot, combine, from, to");
}
TEST(OperatorsDiagnostics, UnknownKind) {
  EXPECT_EQ(problem_of_operator(R"("kind": "brodcast")"),
            "t.json: operators.a.kind: unknown kind of operator \"brodcast\"; did you mean "
            "'broadcast'? allowed: stream, broadcast, shift, circular_shift, reduce, prefix, "
            "online");
}
TEST(OperatorsDiagnostics, NodeOutsideTheMesh) {
  EXPECT_EQ(problem_of_operator(R"("kind": "stream", "from": 0, "to": 4)"),
            "t.json: operators.a.to: the coordinate x is 4; it must be in 0..3");
}
TEST(OperatorsDiagnostics, WrongNumberOfCoordinates) {
  EXPECT_EQ(problem_of_operator(R"("kind": "stream", "from": 0, "to": [1, 1])", "[4, 4]"),
            "t.json: operators.a.from: a node of this mesh has 2 coordinates, but 1 are given");
}
TEST(OperatorsDiagnostics, MeshOfFourDimensions) {
  EXPECT_EQ(problem(program_text("[2, 2, 2, 2]", kStream, "\"s\"")),
            "t.json: mesh: a mesh has 1 to 3 dimensions, but 4 are given");
}
TEST(OperatorsDiagnostics, UnknownSet) {
  EXPECT_EQ(problem_of_operator(R"("kind": "shift", "nodes": "al")"),
            "t.json: operators.a.nodes: unknown set \"al\"; did you mean 'all'? sets: all");
}
TEST(OperatorsDiagnostics, NodeTwice) {
  EXPECT_EQ(problem_of_operator(R"("kind": "shift", "nodes": [0, 1, 0])"),
            "t.json: operators.a.nodes[2]: the node (0) is already in this set");
}
TEST(OperatorsDiagnostics, InstancesShareANode) {
  EXPECT_EQ(problem_of_operator(R"("kind": "shift", "subsets": [[0, 1], [1, 2]])"),
            "t.json: operators.a: the node (1) is in two instances; instances may not read from or "
            "write to the same node");
}
TEST(OperatorsDiagnostics, RootOutsideItsNodes) {
  EXPECT_EQ(
      problem_of_operator(R"("kind": "reduce", "nodes": [0, 1], "to": 3)"),
      "t.json: operators.a.to: of the nodes (0), (1) none are named here; one of them must be");
}
TEST(OperatorsDiagnostics, ShiftByTwo) {
  EXPECT_EQ(problem_of_operator(R"("kind": "shift", "nodes": "all", "by": 2)"),
            "t.json: operators.a.by: a shift is by 1 or -1 along the order of its nodes, but 2 is "
            "given");
}
TEST(OperatorsDiagnostics, BandwidthAboveOne) {
  EXPECT_EQ(problem_of_operator(R"("kind": "stream", "from": 0, "to": 3, "bandwidth": 1.5)"),
            "t.json: operators.a.bandwidth: the bandwidth 1.5 is out of range; expected more than "
            "0 and at "
            "most 1");
  EXPECT_EQ(problem_of_operator(R"("kind": "stream", "from": 0, "to": 3, "bandwidth": "3/2")"),
            "t.json: operators.a.bandwidth: the bandwidth 3/2 is out of range; expected A/B with 1 "
            "<= A <= B <= 256");
}
TEST(OperatorsDiagnostics, UnknownOperatorInTheProgram) {
  EXPECT_EQ(problem(program_text("[4]", kStream, R"({"sequential": ["s", "t"]})")),
            "t.json: program.sequential[1]: unknown operator \"t\"; operators: s");
}
TEST(OperatorsDiagnostics, NoGroup) {
  EXPECT_EQ(problem(program_text("[4]", kStream, "3")),
            "t.json: program: found the number 3 where the name of an operator, or a group "
            "{\"sequential\": [..]}, {\"parallel\": [..]}, {\"loop\": N, \"body\": [..]} or "
            "{\"work\": N} was expected");
}
TEST(OperatorsDiagnostics, SmallArray) {
  EXPECT_EQ(problem(program_text(
                "[4]", R"("a": {"kind": "stream", "from": 0, "to": 3, "words": 9, "in": "u"})",
                "\"a\"", R"("arrays": {"u": {"words": 3}})")),
            "t.json: operators.a.in: the array \"u\" has 3 words, but the operator moves 9");
}
TEST(OperatorsDiagnostics, MistakeInAnInit) {
  EXPECT_EQ(problem(program_text("[4]", kStream, "\"s\"",
                                 R"("arrays": {"u": {"words": 3, "init": "7 / x"}})")),
            "t.json: arrays.u.init: in \"7 / x\" at character 3, for word 0 of node (0): 7 is "
            "divided by zero");
}
TEST(OperatorsDiagnostics, InitBeyondAWord) {
  const auto with = [](const std::string& init) {
    return problem(program_text("[4]", kStream, "\"s\"",
                                R"("arrays": {"u": {"words": 3, "init": )" + init + "}}"));
  };
  EXPECT_EQ(with(R"("4294967296*node+k")"),
            "t.json: arrays.u.init: '4294967296*node+k' is 12884901890 for word 2 of node (3), "
            "which 32 bits do not hold");
  EXPECT_EQ(with("-2147483649"),
            "t.json: arrays.u.init: '-2147483649' is -2147483649 for word 0 of node (0), which "
            "32 bits do not hold");
}
TEST(OperatorsDiagnostics, TooManyWords) {
  EXPECT_EQ(problem_of_operator(R"("kind": "stream", "from": 0, "to": 3, "words": 0)"),
            "t.json: operators.a.words: the message length is 0; it must be in 1..1048576");
}

std::string compile_problem(const std::string& text, const Target& target) {
  try {
    compile(read_program_text(text, "t.json"), target);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(OperatorsDiagnostics, ScheduleTooLong) {
  Target target = test::default_target();
  target.max_length = 2;
  EXPECT_EQ(
      compile_problem(
          program_text("[4]", R"("a": {"kind": "circular_shift", "nodes": "all"})", "\"a\""),
          target),
      "t.json: program: the streams of phase 'a' do not fit in a schedule of up to 2 slots: a "
      "word of each takes 3 slots on node (1); use shorter ways, more phases or a longer "
      "schedule");
}
TEST(OperatorsDiagnostics, TwoRegionsShareANode) {
  EXPECT_EQ(
      compile_problem(
          program_text("[4]",
                       R"("a": {"kind": "shift", "nodes": [0, 1, 2]},
                          "b": {"kind": "shift", "nodes": [2, 3]})",
                       R"({"parallel": [{"sequential": ["a", "a"], "phases": "separate"},
                                        {"sequential": ["b", "b"], "phases": "separate"}]})"),
          test::default_target()),
      "t.json: program: members of the parallel group change phases for themselves, but both use "
      "node (2); only a member with one phase may share nodes with others");
}

TEST(OperatorsDiagnostics, GroupsOfNoKindOrOfTwo) {
  EXPECT_EQ(problem(program_text("[4]", kStream, "{}")),
            "t.json: program: a group has one of the keys sequential, parallel, loop and work, but "
            "this one has none");
  EXPECT_EQ(problem(program_text("[4]", kStream, R"({"sequential": ["s"], "parallel": ["s"]})")),
            "t.json: program: a group has one of the keys sequential, parallel, loop and work, but "
            "this one has sequential, parallel");
}
TEST(OperatorsDiagnostics, MisspeltGroup) {
  EXPECT_EQ(problem(program_text("[4]", kStream, R"({"sequental": ["s"]})")),
            "t.json: program: unknown key \"sequental\"; did you mean 'sequential'? allowed keys: "
            "sequential, parallel, loop, work, body, nodes, phases, length");
}
TEST(OperatorsDiagnostics, TextOfUsersIsOneShortLine) {
  EXPECT_EQ(problem(program_text("[4]", R"("a\nb": {"kind": "shift", "nodes": "all"})", R"("s")")),
            "t.json: operators.a?b: \"a?b\" cannot be the name of an operator; names are letters, "
            "digits and \"_\", not starting with a digit");
  const std::string longest =
      problem(program_text("[\"" + std::string(100000, '(') + "\"]", kStream, R"("s")"));
  EXPECT_LT(longest.size(), 300U);
  EXPECT_EQ(problem(R"({"schema": "tessera-numesh-program-1", "mesh": [4],
                        "arrays": {"": {"words": 1}}})"),
            "t.json: arrays.\"\": \"\" cannot be the name of an array; names are letters, digits "
            "and \"_\", not starting with a digit");
}
TEST(OperatorsDiagnostics, ParameterThatOnlyNodesHave) {
  EXPECT_EQ(problem(R"({"schema": "tessera-numesh-program-1", "params": {"N": "x"}})"),
            "t.json: params.N: in \"x\" at character 1: x has no value here; it has one in "
            "init of arrays, where every node has its own");
}

}  // namespace
}  // namespace tessera::operators
