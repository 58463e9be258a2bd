# SPDX-License-Identifier: Apache-2.0
"""Part of an independent implementation of a published interface (see the package `cerebras`)."""
