"""Host programs of kernels in C++ (--host-program): several launches in one run, and what fails between them."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HOST = """#include <acl/acl.h>
#include <cstdio>
using namespace pto;
using Row = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<64, 64, 64, 64, 1>>;
__global__ AICORE void add(__gm__ float* x, __gm__ float* y, float value) {
  Tile<TileType::Vec, float, 1, 64> t;
  TASSIGN(t, 0);
  const int64_t at = 64 * get_block_idx();
  TLOAD(t, Row(x + at));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(t, t, value);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Row(y + at), t);
}
__global__ AICORE void cube(__gm__ float* x) {
#ifdef __DAV_CUBE__
  pipe_barrier(PIPE_M);
#endif
}
extern "C" int steps() {
  float *x = nullptr, *y = nullptr, *z = nullptr, host[128];
  aclrtMalloc((void**)&x, sizeof host, 0);
  aclrtMalloc((void**)&y, sizeof host, 0);
  for (int i = 0; i < 128; ++i) host[i] = i;
  aclrtMemcpy(x, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE);
  add<<<2, nullptr, nullptr>>>(x, y, 1.0f);
  aclrtMemcpy(host, sizeof host, y, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST);
  for (float& h : host) h *= 10;
  aclrtMalloc((void**)&z, sizeof host, 0);
  aclrtMemcpy(x, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE);
  for (int n = 0; n < 3; ++n) {
    add<<<1, nullptr, nullptr>>>(x, z, n + 0.5f);
    std::swap(x, z);
  }
  aclrtMemcpy(host, sizeof host, x, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST);
  std::printf("%g %g\\n", host[0], host[63]);
  // END
  return 0;
}
"""
END = 1 + HOST[:HOST.index("// END")].count("\n")


def check_launches(run, report_file):
    """Four launches of different blocks and arrays, one of which is allocated between them, and what the host does in between."""
    digests = []
    command = ["--function", "steps", "--host-program", "--preset", "a2a3", "--hazards", "error", "--report", report_file]
    for structure in ("dense", "modules"):
        done = run(HOST, *command, "--structure", structure)
        assert done.returncode == 0 and "14.5 644.5" in done.stdout, done.stdout + done.stderr
        report = json.loads(report_file.read_text())
        assert report["counters"]["launches"]["value"] == 4 and report["counters"]["tile_operations"]["value"] == 15, report["counters"]
        assert report["profile"]["launch_overhead_us"] == 40, report["profile"]
        digests.append(report["digest"])
    assert digests[0] == digests[1], digests
    for end, message in (("*(volatile int*)8 = 1;", f"host.cpp:{END - 2}: host program steps: it ended with a segmentation fault"),
                         ("cube<<<1, nullptr, nullptr>>>(x);", "for other kinds of core than the one before")):
        done = run(HOST.replace("// END", end), *command)
        assert done.returncode == 4 and message in done.stderr, done.stderr
        assert json.loads(report_file.read_text())["cycles"] > 1000, "the report has what came before"


def check_endless(run, folder, executable):
    """A host program that never ends: --stuck-after says where it is, and the first signal ends both processes."""
    command = ["--function", "steps", "--host-program", "--preset", "a2a3"]
    endless = HOST.replace("// END", "std::fflush(stdout); for (;;) pause();").replace("#include <cstdio>", "#include <cstdio>\n#include <unistd.h>")
    done = run(endless, *command, "--stuck-after", "1")
    assert done.returncode == 4 and f"host.cpp:{END + 1}: host program steps: it ended with no operation for too long" in done.stderr, done.stderr
    asked = subprocess.Popen([executable, folder / "host.cpp", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "14.5 644.5" in asked.stdout.readline()  # it has come to its loop
    asked.terminate()
    try:
        asked.communicate(timeout=30)
    finally:
        asked.kill()
    assert asked.returncode == -signal.SIGTERM, asked.returncode


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.environ.setdefault("TESSERA_CACHE", str(folder / "cache"))

        def run(text, *options):
            (folder / "host.cpp").write_text(text)
            command = [sys.argv[1], folder / "host.cpp", *options]
            return subprocess.run([str(word) for word in command], capture_output=True, text=True)

        check_launches(run, folder / "r.json")
        check_endless(run, folder, sys.argv[1])


if __name__ == "__main__":
    main()
