// What a scheduled mesh runs: a communication program, compiled for the machine of a config.
#pragma once

#include "frontends/operators/compiler.h"
#include "frontends/operators/memory.h"
#include "models/scheduled/program.h"
#include "platforms/data/host_array.h"
#include "platforms/numesh/numesh_config.h"
#include "platforms/numesh/options.h"
#include "platforms/numesh/technique_choice.h"

namespace tessera::numesh {

/// [nodes, words]: the shape of an array in files of the host.
data::Shape array_shape(const operators::Program& program, const operators::Array& array);

/// The program of the options, with the files of --input. Throws UserError, also for an --output that is
/// no array of the program.
operators::Program read_program(const Options& options);

struct CompiledProgram {
  /// Throws UserError for a program that cannot be compiled for this machine.
  CompiledProgram(operators::Program program, const NumeshConfig& config);
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;

  /// Prints what the compiler decided, for --print-program also the schedules, and writes the file of
  /// --schedules.
  void print(const Options& options) const;

  const operators::Program source;
  const TechniqueChoice choice;
  const operators::Compiled& compiled = choice.compiled;
  const operators::MemoryMap map;    ///< where the arrays are in the memory of a node
  const scheduled::Program lowered;  ///< what the nodes run
};

}  // namespace tessera::numesh
