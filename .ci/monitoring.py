"""Runs a real Prometheus on a real Foveate with the rules, alerts and dashboard of config/: every file is
valid, every rule is evaluated, every query of the dashboard has a result, exemplars are kept, and no alert
fires.

usage: monitoring.py FOVEATE WORK
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard
from prometheus_client.openmetrics.parser import text_string_to_metric_families

foveate, work = sys.argv[1], Path(sys.argv[2]).resolve()
config = Path(__file__).resolve().parent.parent / "config"
PROMETHEUS, GRAFANA = config / "prometheus", config / "grafana"
TIMEOUT_S = 60
SHOP = {
    "shop/cart.py": "from shop.price import total_price\n\n\nclass Cart:\n    def checkout(self):\n"
    "        return total_price(self.items)\n",
    "shop/price.py": "def total_price(items):\n    return sum(item.price for item in items)\n",
}


def fail(text):
    sys.exit(f"monitoring: {text}")


def promtool(*arguments, text=None):
    done = subprocess.run(
        ["promtool", *arguments], input=text, capture_output=True, text=True, cwd=PROMETHEUS
    )
    if done.returncode != 0 or "lint" in done.stderr:
        fail(f"promtool {' '.join(arguments)}: {done.stdout}{done.stderr}")


def get(url, accept="*/*"):
    request = urllib.request.Request(url, headers={"accept": accept})
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.read().decode()


def post(url, body):
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def until(what, condition):
    started = time.monotonic()
    while time.monotonic() - started < TIMEOUT_S:
        try:
            if value := condition():
                return value
        except OSError:
            pass
        time.sleep(0.2)
    fail(f"waited {TIMEOUT_S} s in vain for {what}")


def free_address():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{listener.getsockname()[1]}"


def check_files():
    promtool("check", "config", "prometheus.yml")
    promtool("check", "rules", "--lint-fatal", "rules.yml", "alerts.yml")
    promtool("test", "rules", "rules_test.yml")
    print("files: the configuration, the rules and their tests are valid")


def check_dashboard(dashboard):
    """Checks that Grafana's own model of a dashboard reads it without losing a field."""
    plugins.register_default_plugins()
    read = json.loads(JSONEncoder().encode(Dashboard.from_json(dashboard)))

    def compare(written, read, place):
        if isinstance(written, dict):
            for key, value in written.items():
                if key not in read and value not in (None, [], {}, False, 0, ""):
                    fail(f"the dashboard has {place}.{key}, which Grafana does not know")
                if key in read:
                    compare(value, read[key], f"{place}.{key}")
        elif isinstance(written, list):
            for number, pair in enumerate(zip(written, read, strict=True)):
                compare(*pair, f"{place}[{number}]")
        elif written != read:
            fail(f"the dashboard's {place} is {written!r}, which Grafana reads as {read!r}")

    compare(dashboard, read, "dashboard")
    ids = [panel["id"] for panel in dashboard["panels"]]
    if len(ids) != len(set(ids)):
        fail("two panels of the dashboard have one id")
    provider = yaml.safe_load((GRAFANA / "provisioning/dashboards/foveate.yml").read_text())
    source = yaml.safe_load((GRAFANA / "provisioning/datasources/foveate.yml").read_text())
    if provider["providers"][0]["type"] != "file" or source["datasources"][0]["type"] != "prometheus":
        fail("the provisioning of Grafana is not of a file and a Prometheus")
    print(f"dashboard: {len(ids)} panels that Grafana's model knows")


def ask(base):
    for path, text in SHOP.items():
        file = work / "shop" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    post(f"{base}/repos", {"name": "shop", "source": {"path": str(work / "shop")}})
    until("the index", lambda: json.loads(get(f"{base}/repos/shop"))["state"] == "ready")
    for _ in range(3):
        if post(f"{base}/context", {"repo": "shop", "query": "`total_price` is wrong"}) != 200:
            fail("the question has no answer")
    post(f"{base}/context", {"repo": "none", "query": "x"})
    get(f"{base}/repos/shop/definitions?name=Cart")


def configure(address):
    """Copies the committed files, with this server's address and intervals of one second."""
    at = work / "prometheus"
    shutil.copytree(PROMETHEUS, at)
    text = (at / "prometheus.yml").read_text()
    changed = text.replace("foveate:7878", address).replace(": 15s", ": 1s").replace(": 5s", ": 1s")
    if address not in changed or changed.count(": 1s") != 3:
        fail("config/prometheus/prometheus.yml has not the address and times that this test replaces")
    (at / "prometheus.yml").write_text(changed)
    return at / "prometheus.yml"


def expressions(dashboard):
    """Yields title and query of every panel, as Grafana would send them."""
    queries = [
        (panel["title"], target["expr"])
        for panel in dashboard["panels"]
        for target in panel.get("targets", [])
    ]
    for title, query in queries:
        query = query.replace("$__rate_interval", "30s")
        yield title, re.sub(r"\$(job|instance|repo)\b", ".*", query)


def check_queries(api, dashboard):
    def result(query):
        reply = json.loads(get(f"{api}/query?" + urllib.parse.urlencode({"query": query})))
        return reply["data"]["result"]

    asked = list(expressions(dashboard))
    for title, query in asked:
        until(f"a result of the panel {title!r}: {query}", lambda: result(query))
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            selector, label = re.fullmatch(
                r"label_values\((.*), (\w+)\)", variable["query"]["query"]
            ).groups()
            match = urllib.parse.urlencode({"match[]": re.sub(r"\$\w+", ".*", selector)})
            if not json.loads(get(f"{api}/label/{label}/values?{match}"))["data"]:
                fail(f"the dashboard's variable {variable['name']} has no value")
    print(f"queries: each of {len(asked)} of the dashboard has a result")


def check_rules(api):
    groups = json.loads(get(f"{api}/rules"))["data"]["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    for rule in rules:
        if rule["health"] != "ok":
            fail(f"the rule {rule['name']} is {rule['health']}: {rule.get('lastError')}")
        if rule.get("state") == "firing":
            fail(f"{rule['name']} alerts, and nothing is wrong: {rule['alerts']}")
    print(f"rules: {len(rules)} are evaluated, none alerts")


def check_open_metrics(base):
    """Checks the metrics with the parser of Prometheus's own Python client, which is strict."""
    accept = "application/openmetrics-text; version=1.0.0"
    families = list(text_string_to_metric_families(get(f"{base}/metrics", accept)))
    samples = [sample for family in families for sample in family.samples]
    traces = {
        sample.exemplar.labels["trace_id"]
        for sample in samples
        if sample.exemplar and sample.labels.get("route") == "/context"
    }
    if not traces:
        fail("no bucket of /context has an exemplar")
    print(f"OpenMetrics: {len(families)} families, {len(samples)} samples, exemplars")
    return traces


def check_exemplars(api, traces):
    query = {"query": "foveate_http_request_seconds_bucket", "start": 0, "end": time.time() + 60}

    def kept():
        series = json.loads(get(f"{api}/query_exemplars?" + urllib.parse.urlencode(query)))["data"]
        kept = {exemplar["labels"]["trace_id"] for one in series for exemplar in one["exemplars"]}
        return traces <= kept

    until("the exemplars in Prometheus", kept)
    print(f"exemplars: Prometheus keeps {len(traces)}")


class Collector(BaseHTTPRequestHandler):
    """Accepts everything, so that there are traces."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def watch(base, dashboard):
    promtool("check", "metrics", text=get(f"{base}/metrics"))
    ask(base)
    promtool("check", "metrics", text=get(f"{base}/metrics"))
    print("metrics: a scrape is what Prometheus recommends")
    traces = check_open_metrics(base)
    address = free_address()
    command = ["prometheus", f"--config.file={configure(base.removeprefix('http://'))}"]
    command += [f"--storage.tsdb.path={work / 'tsdb'}", f"--web.listen-address={address}"]
    command += ["--enable-feature=exemplar-storage"]
    with (work / "prometheus.log").open("w") as log:
        prometheus = subprocess.Popen(command, stdout=log, stderr=log)
    api = f"http://{address}/api/v1"
    try:
        until("Prometheus", lambda: "Ready" in get(f"http://{address}/-/ready"))
        check_queries(api, dashboard)
        check_exemplars(api, traces)
        check_rules(api)
    finally:
        prometheus.send_signal(signal.SIGTERM)
        prometheus.wait(timeout=30)


def main():
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    check_files()
    dashboard = json.loads((GRAFANA / "dashboards/foveate.json").read_text())
    check_dashboard(dashboard)
    collector = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    sent = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}"}
    address = free_address()
    command = [foveate, "serve", "--listen", address, "--data-dir", str(work / "data")]
    with (work / "foveate.log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **sent})
    try:
        base = f"http://{address}"
        until("the server", lambda: "ok" in get(f"{base}/healthz"))
        watch(base, dashboard)
    finally:
        server.kill()
        server.wait()


main()
