// Scalar instructions that need no more than registers, the flag and pages of memory that were written, each made for its
// operation and the kinds of its operands: what ScalarUnit::execute() works out anew each time is known when a program is
// decoded.
#pragma once

#include "models/pe/decoded_image.h"

namespace tessera::pe {

/// What executes `in` as ScalarUnit::execute() does, if there is such a thing and the instruction leaves the task as it is. It
/// cannot fail. The instruction has been counted by MainThread::issue().
QuickScalar quick_scalar_of(const DecodedInstruction& in);

}  // namespace tessera::pe
