# SPDX-License-Identifier: Apache-2.0
"""The host side of compiled CSL programs: what the published module names of the package `cerebras` stand for.

Every runtime owns a process `tessera_csl_server` that simulates the machine. The two exchange frames over pipes:
docs/csl-host.md, section Protocol.
"""
