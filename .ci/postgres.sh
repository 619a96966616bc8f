#!/usr/bin/env bash
# Runs a command with its own PostgreSQL server, whose URL is in FOVEATE_TEST_POSTGRES_URL:
#
#   .ci/postgres.sh cargo test --test it postgres::
#
# The server's directory is in TMPDIR, because the path of a socket must be short and the server's user may not be able
# to read the checkout.
set -euo pipefail

programs() {
  local found
  found=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
  if [[ -n $found ]]; then
    echo "$found"
  elif command -v initdb >/dev/null; then
    dirname "$(command -v initdb)"
  fi
}

BIN=$(programs)
if [[ -z $BIN ]]; then
  echo "PostgreSQL and openssl are needed: install the packages postgresql and openssl" >&2
  exit 1
fi

AT=$(mktemp -d -t foveate-postgres.XXXXXX)
PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
PASSWORD=p4ssw0rd-of-the-tests
# The server refuses to run as root.
as_user=()
if ((EUID == 0)); then
  user=postgres
  id "$user" >/dev/null 2>&1 || user=nobody
  chown "$user" "$AT"
  as_user=(setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups)
fi
server() { (cd "$AT" && "${as_user[@]}" "$BIN/$1" "${@:2}"); }
stop() {
  server pg_ctl --pgdata "$AT/data" --mode immediate --silent stop || true
  rm -rf "$AT"
}
trap stop EXIT

key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
{
  cd "$AT"
  openssl req -x509 "${key[@]}" -keyout ca.key -out ca.pem -days 2 -subj "/CN=authority of the tests"
  openssl req "${key[@]}" -keyout server.key -out server.csr -subj /CN=localhost
  printf 'subjectAltName=IP:127.0.0.1\n' >names
  openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names \
    -out server.pem
  cd "$OLDPWD"
} 2>/dev/null
echo "$PASSWORD" >"$AT/password"
((EUID != 0)) || chown -R "$user" "$AT"
chmod 755 "$AT"
chmod 600 "$AT/server.key"
server initdb --pgdata "$AT/data" --username foveate --auth scram-sha-256 --pwfile "$AT/password" \
  --encoding UTF8 --locale C --no-sync >"$AT/initdb.log"
options="-p $PORT -k $AT -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=300"
options+=" -c ssl=on -c ssl_cert_file=$AT/server.pem -c ssl_key_file=$AT/server.key"
server pg_ctl --pgdata "$AT/data" --wait --silent --log "$AT/log" --options "$options" start || {
  cat "$AT/log" >&2
  exit 1
}
export FOVEATE_TEST_POSTGRES_URL="postgres://foveate:$PASSWORD@127.0.0.1:$PORT/postgres"
export FOVEATE_TEST_POSTGRES_CA=$AT/ca.pem
"$@"
