# SPDX-License-Identifier: Apache-2.0
"""Names under which host programs of CSL import their runtime.

This is an independent implementation of a published interface. It controls the simulator Tessera and
contains nothing of the vendor's software.
"""
