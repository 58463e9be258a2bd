# SPDX-License-Identifier: Apache-2.0
"""Host interface of CSL programs, on the simulator Tessera.

An independent implementation of a published interface, in pure Python and NumPy. The module has this name
because host programs import it; docs/csl-host.md says what is supported.
"""
from tessera_csl.layout import (Color, CodeRegion, Edge, Route, RoutingPosition, SdkLayout,
                                get_edge_routing)
from tessera_csl.platform import (FP16TYPE, SdkCompileArtifacts, SdkTarget, SimfabConfig, get_platform,
                                  get_simulator, get_system)
from tessera_csl.copies import MemcpyDataType, MemcpyOrder
from tessera_csl.runtime import SdkRuntime, Task

__all__ = ["Color", "CodeRegion", "Edge", "FP16TYPE", "MemcpyDataType", "MemcpyOrder", "Route", "RoutingPosition",
           "SdkCompileArtifacts", "SdkLayout", "SdkRuntime", "SdkTarget", "SimfabConfig", "Task",
           "get_edge_routing", "get_platform", "get_simulator", "get_system"]
