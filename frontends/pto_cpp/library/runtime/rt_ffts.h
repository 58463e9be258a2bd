// What launchers of kernels use of the vendor's runtime library.
#pragma once

#include "runtime/rt.h"
