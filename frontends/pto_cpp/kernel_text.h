// The text of a kernel in C++, before it is compiled: the functions that it defines, and its launches.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/cluster/program/program.h"

namespace tessera::pto_cpp {

/// What marks of a kernel say of its launch.
struct LaunchMark {
  /// `__mix__(1, 2)`, or PTO_SYNCALL_MIX_AIC_KERNEL_META(kernel, 1, 2).
  std::optional<std::pair<unsigned, unsigned>> cores;  ///< AICs and AIVs of a cluster
  /// `__cube__`, `__vector__`, an attribute `aic` or `aiv`, or `__mix__` with one kind of core.
  std::optional<cluster::CoreKind> only;
  bool mixes =
      false;  ///< the scheduling module counts cross-core flags, whichever kinds of core take part
  bool syncs_all = false;  ///< the user's files call SYNCALL, with which this is so on A5
};

/// A function that a run can start, as the text declares it.
struct EntryText {
  std::string name;  ///< as --function gives it
  std::vector<std::string> parameters;
  unsigned line = 0;
  std::string file;  ///< where it is defined: the kernel's file, or one that it includes
  LaunchMark mark;
  /// The user's files ask for the number of an AIV in its block, and not for how many there are.
  bool asks_subblock = false;
};

/// What the text of a kernel says, before it is compiled.
struct KernelText {
  std::string file, text;  ///< the text after the rewrite of launches
  EntryText entry;
  /// A file that it includes has launches, so the rewrite must come after the preprocessor.
  bool includes_launches = false;
  /// The only kind of core that the kernel is for. It is for the vector cores if neither the file nor the user's files that it
  /// includes have products, tiles in L1 or L0, or parts for the cube core (`__DAV_CUBE__`); it is for the cube core if it has,
  /// and does not tell kinds apart. Nothing: both.
  std::optional<cluster::CoreKind> only;
  /// Only a file that it includes has something for the cube core, which may not concern it: where it does not compile for that
  /// kind, it is for the vector cores.
  bool may_lack_cube = false;
};

/// Where the types of the parameters begin in `run<1>(float*, int)`, which names an overload; npos: there are none.
std::size_t types_in(const std::string& function);

/// Reads a kernel, and finds the function `function`; "": the only one that a run could start. `folders`: where files that it
/// includes may lie, beside the folder of the file that includes them. Throws UserError.
KernelText read_kernel(const std::string& file, const std::string& function,
                       const std::vector<std::string>& folders = {});

/// `kernel<<<blocks, l2, stream>>>(arguments)` as g++ can parse it: `kernel->*tsr_launch(blocks, l2, stream)(arguments)`.
/// Casts to pointers into UB become tsr_ub_cast, for which a number is a byte of UB, and assembly of the device that reads a
/// register a call. Lines stay lines.
std::string with_launches(const std::string& text);
/// The text of the preprocessor without __ubuf__, which it has left in place for with_launches().
std::string without_places(std::string text);

}  // namespace tessera::pto_cpp
