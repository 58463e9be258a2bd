# SPDX-License-Identifier: Apache-2.0
"""The version of the SDK whose interface this is. An independent implementation of a published interface."""
__version__ = "2.10.0"
