# SPDX-License-Identifier: Apache-2.0
"""The client of a cluster of machines, on the simulator Tessera (docs/csl-host.md, "Appliance mode").

An independent implementation of a published interface.
"""
from cerebras.sdk import sdk_utils
from tessera_csl.client import SdkCompiler, SdkLauncher, SdkRuntime

__all__ = ["SdkCompiler", "SdkLauncher", "SdkRuntime", "sdk_utils"]
