// Arrays of unknown length for a kernel that has no host program: a window of addresses each, whose chunks get values when the kernel first
// touches them. What was touched is the length of the array, so both sides of a comparison see the same one.
#pragma once

#include <cstddef>

namespace tessera_arrays {

/// An array of elements of a type: f (float), h (f16), b (bf16), or i / u with the bytes of an integer.
void* add(const char* name, char kind, std::size_t bytes);
/// The calling process ends with exit code 3 if the arrays come to more than this.
void limit(std::size_t bytes);
/// Writes NAME.in and NAME.out of each array that the kernel touched, and one line each: name, bytes.
void write();

}  // namespace tessera_arrays
