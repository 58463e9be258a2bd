// PTO in C++ for the simulator: the header that kernels include. Written for Tessera; the names, orders of arguments
// and checks are those of the public library (docs/pto-cpp.md).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cstdlib>
#include <cstring>

// So that code of the standard library calls what native.h has in their place.
#define __builtin_memcpy ::memcpy
#define __builtin_memmove ::memmove
#define __builtin_memset ::memset

#include "pto/intrinsics.h"
#include "pto/native.h"
#include "pto/types.h"
#include "pto/parts.h"
#include "pto/mx.h"
#include "pto/copies.h"
#include "pto/events.h"
#include "pto/specialties.h"
#include "pto/pipes.h"
#include "pto/a5_operations.h"
#include "pto/tables.h"
#include "pto/convolution.h"
#include "pto/conv_transpose.h"
#include "pto/fixed_pipes.h"
#include "pto/fix_push.h"
#include "pto/comm.h"
#include "pto/sync_all.h"
#include "pto/print.h"
#include "pto/launch.h"
#include "pto/simt.h"
#include "pto/registers.h"
#include "pto/names.h"
