# SPDX-License-Identifier: Apache-2.0
"""Host interface of CSL programs, on the simulator Tessera.

An independent implementation of a published interface, in pure Python and NumPy. The module has this name
because host programs import it; docs/csl-host.md says what is supported.
"""
from tessera_csl.layout import (Color, CodeRegion, Edge, EdgeRouteInfo, PortHandle, Route, RoutingPosition, SdkLayout,
                                get_edge_routing)
from tessera_csl.platform import (FP16TYPE, SdkCompileArtifacts, SdkExecutionPlatform, SdkTarget, SimfabConfig, get_platform,
                                  get_simulator, get_system)
from tessera_csl.copies import MemcpyDataType, MemcpyOrder
from tessera_csl.runtime import SdkRuntime, Task

__all__ = ["Color", "CodeRegion", "Edge", "EdgeRouteInfo", "FP16TYPE", "MemcpyDataType", "MemcpyOrder", "PortHandle", "Route",
           "RoutingPosition", "SdkCompileArtifacts", "SdkExecutionPlatform", "SdkLayout", "SdkRuntime", "SdkTarget",
           "SimfabConfig", "Task", "get_edge_routing", "get_platform", "get_simulator", "get_system"]

# The members of all enumerations are names of the module too.
for _kind in (Edge, FP16TYPE, MemcpyDataType, MemcpyOrder, Route, SdkTarget):
    globals().update(_kind.__members__)
    __all__ += list(_kind.__members__)
