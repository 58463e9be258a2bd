# SPDX-License-Identifier: Apache-2.0
"""The logger of clients of a cluster (see the package `cerebras`). An independent implementation of a published interface."""
import logging

logger = logging.getLogger("cerebras.appliance")
