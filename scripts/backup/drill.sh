#!/bin/sh
# Tries backup and restore for real, on servers of its own: a dump and a base backup of a running service, a restore to
# a point in time and a restore of the dump, and what the hold does after each. Prints what it measured.
#
#   scripts/backup/drill.sh [MESSAGES]          (after npm run build; 500 messages unless told otherwise)
#
# Needs the programs of PostgreSQL (PG_BIN, default: where pg_ctl of Debian lies) and, as root, a user `postgres` to run
# the server. Everything is in a temporary folder, which stays for a look; all processes are its own and end with it.
set -eu

MESSAGES=${1:-500}
HERE=$(cd "$(dirname "$0")/../.." && pwd)
PG_BIN=${PG_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)}
DIR=$(mktemp -d)
PG_PORT=${DRILL_PG_PORT:-55439}
export PORT=${DRILL_PORT:-43900} SIMULATOR_PORT=${DRILL_SIMULATOR_PORT:-43975} OPERATOR_PORT=0 HOST=127.0.0.1
export DATA_DIR="$DIR/data-dir" RECEIPT_DEADLINE_SECONDS=3600
PIDS=

if [ "$(id -u)" = 0 ]; then
  as() { (cd "$DIR" && setpriv --reuid=postgres --regid=postgres --clear-groups "$@"); }
  chown postgres "$DIR"
else
  as() { (cd "$DIR" && "$@"); }
fi
pg() { program=$1; shift; as "$PG_BIN/$program" "$@"; }
client() { program=$1; shift; pg "$program" -h 127.0.0.1 -p "$PG_PORT" -U heliograph "$@"; }
sql() { client psql -d "$DATABASE" -qAtc "$1"; }
seconds() { date +%s.%N; }
took() { echo "$1 $2" | awk '{ printf "%.1f s", $2 - $1 }'; }
say() { echo "== $*"; }

start_process() { # name, file, arguments...
  name=$1; shift
  DATABASE_URL="postgres://heliograph@127.0.0.1:$PG_PORT/$DATABASE" node "$@" >>"$DIR/$name.log" 2>&1 &
  PIDS="$PIDS $!"
  eval "pid_$name=$!"
}
end_process() { eval "pid=\$pid_$1"; kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; }
smsctl() { DATABASE_URL="postgres://heliograph@127.0.0.1:$PG_PORT/$DATABASE" "$HERE/bin/smsctl" "$@"; }
start_service() {
  start_process gateway "$HERE/dist/apps/gateway/main.js"
  start_process worker "$HERE/dist/apps/worker/main.js"
  tries=0
  until curl -sf "http://127.0.0.1:$PORT/readyz" >/dev/null && [ "$(sql "select count(*) from process_heartbeat where role = 'worker' and seen_at > now() - interval '10 seconds'")" != 0 ]; do
    tries=$((tries + 1)); [ "$tries" -lt 300 ] || { echo "the service did not start: see $DIR" >&2; exit 1; }
    sleep 0.2
  done
}
stop_service() { end_process worker; end_process gateway; }
stop_all() {
  for pid in $PIDS; do kill "$pid" 2>/dev/null || true; done
  for data in "$DIR"/cluster "$DIR"/restored; do
    [ ! -f "$data/postmaster.pid" ] || pg pg_ctl -D "$data" -m immediate stop >/dev/null 2>&1 || true
  done
}
trap stop_all EXIT
trap 'exit 1' INT TERM

send() { # how many, first number
  i=0
  while [ "$i" -lt "$1" ]; do
    n=$(( $1 - i )); [ "$n" -le 500 ] || n=500
    awk -v n="$n" -v first="$(( $2 + i ))" 'BEGIN { printf "{\"messages\":["; for (k = 0; k < n; k++)
      printf "%s{\"recipient\":\"4670%07d\",\"message\":\"drill %d\"}", k ? "," : "", first + k, k; print "]}" }' |
      curl -sf -o /dev/null -H 'content-type: application/json' -H "x-authorization: $KEY" --data-binary @- \
        "http://127.0.0.1:$PORT/v1/message/send-batch"
    i=$((i + n))
  done
}
open_orders() { sql "select count(*) from message_order where state in ('queued', 'sending', 'sent')"; }
until_open() { # how many may be left
  tries=0
  until [ "$(open_orders)" -le "$1" ]; do
    tries=$((tries + 1)); [ "$tries" -lt 600 ] || { echo "messages do not end: see $DIR" >&2; exit 1; }
    sleep 0.5
  done
}
# How often the carrier took a message to a number of the drill, and to how many numbers.
taken() { grep -c '"kind":"submit"' "$DIR/carrier.jsonl" || true; }

say "a server with WAL archiving, and the service on it ($("$PG_BIN/postgres" --version))"
DATABASE=heliograph
as mkdir "$DIR/wal" "$DIR/socket"
pg initdb -D "$DIR/cluster" -U heliograph --auth=trust -E UTF8 >/dev/null
as tee -a "$DIR/cluster/postgresql.conf" >/dev/null <<CONF
port = $PG_PORT
listen_addresses = '127.0.0.1'
unix_socket_directories = '$DIR/socket'
archive_mode = on
archive_command = 'test ! -f $DIR/wal/%f && cp %p $DIR/wal/%f'
archive_timeout = 60s
CONF
pg pg_ctl -D "$DIR/cluster" -l "$DIR/server.log" -w start >/dev/null
client createdb heliograph
smsctl secrets key --out "$DIR/secrets-key" >/dev/null
export SECRETS_KEY_FILE="$DIR/secrets-key"
KEY=$(DATABASE_URL="postgres://heliograph@127.0.0.1:$PG_PORT/heliograph" node "$HERE/dist/scripts/migrate.js" --demo | sed -n 's/.*API key //p')
smsctl deposit 1001 1000000 EUR >/dev/null
start_process simulator "$HERE/dist/apps/carrier-simulator/main.js" --log "$DIR/carrier.jsonl" --receipt-delay-ms 200
start_service
send "$MESSAGES" 1000000
until_open 0
say "$MESSAGES messages delivered; $(taken) submits at the carrier"

send "$MESSAGES" 2000000 &
t0=$(seconds); client pg_basebackup -D "$DIR/base" --checkpoint=fast --wal-method=stream; t1=$(seconds)
say "base backup while messages flow: $(took "$t0" "$t1"), $(du -sm "$DIR/base" | cut -f1) MB"
wait $!
until_open 0

say "the moment that is restored: $MESSAGES messages are open"
smsctl carrier pause simulator >/dev/null
send "$MESSAGES" 3000000
t0=$(seconds); client pg_dump -Fc -f "$DIR/service.dump" heliograph; t1=$(seconds)
say "dump: $(took "$t0" "$t1"), $(du -k "$DIR/service.dump" | cut -f1) kB"
POINT=$(sql 'select clock_timestamp()')
sleep 1
smsctl carrier resume simulator >/dev/null
until_open 0
send 20 4000000
until_open 0
BEFORE=$(taken)
say "after it: they were delivered, and 20 more; $BEFORE submits at the carrier"

say "disaster: the server dies, the newest WAL is archived by hand"
stop_service
sql 'select pg_switch_wal()' >/dev/null
tries=0
while [ "$(ls "$DIR/cluster/pg_wal/archive_status" | grep -c '\.ready$')" != 0 ] && [ "$tries" -lt 50 ]; do tries=$((tries + 1)); sleep 0.2; done
pg pg_ctl -D "$DIR/cluster" -m immediate stop >/dev/null

t0=$(seconds)
as cp -a "$DIR/base" "$DIR/restored"
as tee -a "$DIR/restored/postgresql.auto.conf" >/dev/null <<CONF
restore_command = 'cp $DIR/wal/%f %p'
recovery_target_time = '$POINT'
recovery_target_action = 'promote'
CONF
as touch "$DIR/restored/recovery.signal"
pg pg_ctl -D "$DIR/restored" -l "$DIR/restored.log" -w -t 300 start >/dev/null
until [ "$(sql 'select pg_is_in_recovery()')" = f ]; do sleep 0.1; done
t1=$(seconds)
say "restored to $POINT in $(took "$t0" "$t1")"

check_hold() {
  start_service
  # It was paused at the restored moment. From here on only the hold keeps the open messages back.
  smsctl carrier resume simulator >/dev/null
  smsctl hold show
  send 10 "$1"
  delivered="select count(*) from message_order where destination like '4670${1%000000}%' and state = 'delivered'"
  tries=0
  until [ "$(sql "$delivered")" = 10 ]; do
    tries=$((tries + 1)); [ "$tries" -lt 600 ] || { echo "FAILED: new messages wait: see $DIR" >&2; exit 1; }
    sleep 0.5
  done
  # Longer than every wait after which a worker sends something that it finds open.
  sleep 35
  [ "$(taken)" = $(( BEFORE + 10 )) ] || { echo "FAILED: $(taken) submits, not $(( BEFORE + 10 ))" >&2; exit 1; }
  BEFORE=$(taken)
  say "10 new messages delivered; of the held ones none was sent again"
  smsctl hold resolve --as unknown
  smsctl hold release
  # Not into a pipe: the shell would take the exit code of its last command.
  smsctl ledger verify >"$DIR/ledger.txt" || { echo "FAILED: see $DIR/ledger.txt" >&2; exit 1; }
  tail -1 "$DIR/ledger.txt"
  stop_service
}
check_hold 5000000
grep -h "new timeline" "$DIR"/worker.log "$DIR"/gateway.log | sed -n 's/.*"msg":"\(.*\)".*/log: \1/p'

say "the dump in another database"
client createdb heliograph_restored
t0=$(seconds); client pg_restore -d heliograph_restored "$DIR/service.dump"; t1=$(seconds)
say "pg_restore: $(took "$t0" "$t1")"
DATABASE=heliograph_restored
check_hold 6000000
grep -h "not the one" "$DIR"/worker.log "$DIR"/gateway.log | sed -n 's/.*"msg":"\(.*\)".*/log: \1/p'
say "done; logs and files are in $DIR"
