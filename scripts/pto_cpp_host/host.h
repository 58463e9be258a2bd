// The device as a host program of kernels sees it: its launches run ascend_platform (pto_cpp_corpus.py makes a function of
// each launcher that the program declares).
#pragma once

#include <cstdint>
#include <vector>

#include "acl/acl.h"

namespace tessera_host {

struct Parameter {
  const char* name;   // its name in the text of the launcher
  const char* dtype;  // element type of its .npy file; "": a number
};
struct Launcher {
  const char *file, *function;  // a file of PTO text (.pto) has its parameters named as the text does
  std::vector<Parameter> parameters;
  int blocks = 1;  // of PTO text; a launcher in C++ says it itself
};
struct Value {
  const void* pointer;
  std::int64_t whole;
  double real;
  bool is_real;
};

inline Value value(const void* p) { return {p, 0, 0, false}; }
inline Value value(std::int64_t n) { return {nullptr, n, 0, false}; }
inline Value value(aclFloat16 x) { return {nullptr, 0, static_cast<float>(x), true}; }
inline Value value(double x) { return {nullptr, 0, x, true}; }

/// Runs it with the contents of the device's memory; throws std::runtime_error with the message of the simulator.
void launch(const Launcher& launcher, const std::vector<Value>& values);
/// The same; a launch that fails is a line of the error output, `TESSERA launch FUNCTION: why`, and the program goes on.
void try_launch(const Launcher& launcher, const std::vector<Value>& values);

}  // namespace tessera_host
