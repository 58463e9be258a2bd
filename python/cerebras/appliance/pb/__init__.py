"""Part of an independent implementation of a published interface (see the package `cerebras`)."""
