# SPDX-License-Identifier: Apache-2.0
# Boost 1.81 or newer with JSON, Program_options and Context: targets Boost::json, Boost::program_options, Boost::context.
find_package(Boost 1.81 QUIET CONFIG COMPONENTS json program_options context)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TesseraBoost
  REQUIRED_VARS Boost_DIR Boost_FOUND
  VERSION_VAR Boost_VERSION
  REASON_FAILURE_MESSAGE "
  Tessera needs Boost 1.81 or newer with JSON, Program_options and Context (the default Boost of Debian 12, 1.74, has no JSON).
  Debian 12: apt-get install libboost1.81-dev libboost-json1.81-dev libboost-program-options1.81-dev libboost-context1.81-dev
  or run scripts/setup.sh. For a Boost elsewhere, configure with -DCMAKE_PREFIX_PATH=/where/boost/is.")
