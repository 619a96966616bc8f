"""Measures the time from the start of the process to the first answer, with stored data.

    python3 benches/restart.py FOVEATE DATA_DIR REPO [RUNS]

FOVEATE is the program, DATA_DIR a data directory in which REPO is registered and was stored by an
earlier run. Prints for each run the wall time, the CPU time of the process so far, and how many blobs were
parsed and how many were read from disk.
"""

import http.client
import json
import re
import subprocess
import sys
import time
import urllib.request

QUERY = "TypeError when the cache is cleared while a connection is open"


def ask(host, repo):
    connection = http.client.HTTPConnection(host, timeout=60)
    body = json.dumps({"repo": repo, "query": QUERY})
    connection.request("POST", "/context", body, {"content-type": "application/json"})
    return connection.getresponse().status


def run(program, data, repo):
    start = time.monotonic()
    arguments = [program, "serve", "--listen", "127.0.0.1:0", "--data-dir", data]
    server = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        url = server.stdout.readline().split()[-1]
        while ask(url.removeprefix("http://"), repo) != 200:
            time.sleep(0.002)
        wall = (time.monotonic() - start) * 1000
        metrics = urllib.request.urlopen(url + "/metrics").read().decode()
        value = lambda name: float(re.search(rf"^{name} (\S+)", metrics, re.M)[1])
        print(
            f"{wall:6.0f} ms wall, {value('process_cpu_seconds_total') * 1000:6.0f} ms CPU, "
            f"{value('foveate_blobs_parsed_total'):.0f} parsed, "
            f"{value('foveate_blobs_restored_total'):.0f} from disk"
        )
    finally:
        server.terminate()
        server.wait()


for _ in range(int(sys.argv[4]) if len(sys.argv) > 4 else 5):
    run(*sys.argv[1:4])
