# SPDX-License-Identifier: Apache-2.0
"""The cost-model exchange of PTOAS, version 2 (docs/ptoas-costmodel.md)."""
