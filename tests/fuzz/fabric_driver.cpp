// Runs inputs of the fabric's fuzz target without libFuzzer:
//
//   fabric_driver FILE...                    those in files, such as libFuzzer's crashes
//   fabric_driver --wavelets N [--seed S]    random ones, until N wavelets have been sent
//
// An input that fails is kept in fabric-crash-SEED-NUMBER. Exit code 1: an input failed, 2: usage.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fabric_input.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMaxBytes = 600;  // some hundred choices make the trees, the rest the traffic

tessera::fabric::fuzz::Outcome run(const Bytes& input) {
  try {
    return tessera::fabric::fuzz::run_fabric(input.data(), input.size());
  } catch (const std::exception& e) {  // a core found a rule broken
    return {0, e.what()};
  }
}

Bytes random_input(std::mt19937_64& random) {
  Bytes input(random() % kMaxBytes);
  for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
  return input;
}

int run_random(unsigned long long wavelets, unsigned long long seed) {
  std::mt19937_64 random(seed);
  unsigned long long sent = 0;
  unsigned long number = 0;
  for (; sent < wavelets; ++number) {
    const Bytes input = random_input(random);
    const tessera::fabric::fuzz::Outcome outcome = run(input);
    sent += outcome.wavelets;
    if (outcome.problem.empty()) continue;
    const std::string file = "fabric-crash-" + std::to_string(seed) + "-" + std::to_string(number);
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
    std::fprintf(stderr, "%s: %s\n", file.c_str(), outcome.problem.c_str());
    return 1;
  }
  std::printf("%llu wavelets in %lu fabrics\n", sent, number);
  return 0;
}

int run_file(const char* file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "%s: cannot be read\n", file);
    return 2;
  }
  const Bytes input{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const tessera::fabric::fuzz::Outcome outcome = run(input);
  std::printf("%s: %s\n", file, outcome.problem.empty() ? "ok" : outcome.problem.c_str());
  return outcome.problem.empty() ? 0 : 1;
}

int usage() {
  std::fprintf(stderr, "usage: fabric_driver FILE... | --wavelets N [--seed S]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return usage();
  if (std::strcmp(argv[1], "--wavelets") == 0) {
    const bool seeded = argc == 5 && std::strcmp(argv[3], "--seed") == 0;
    if (argc != 3 && !seeded) return usage();
    return run_random(std::strtoull(argv[2], nullptr, 10),
                      seeded ? std::strtoull(argv[4], nullptr, 10) : 1);
  }
  int worst = 0;
  for (int i = 1; i < argc; ++i) {
    const int code = run_file(argv[i]);
    if (code > worst) worst = code;
  }
  return worst;
}
