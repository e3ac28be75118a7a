#!/bin/sh
# Three nodes, one PostgreSQL and one nginx on this machine, in a temporary directory. Two agents pass work on through
# different nodes. Meanwhile the script kills the node that owns their workspace. Then the cluster runs until Ctrl-C; with
# --demo it ends. The balancer listens at port 4260 of loopback and the nodes at the next three. PORT sets another first port.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
port=${PORT:-4260}
PATH=$PATH:/usr/sbin
for variable in $(env | sed -n 's/^\(HANDOFF_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
for postgres in /usr/lib/postgresql/*/bin; do :; done
[ -x "$postgres/postgres" ] && command -v nginx curl >/dev/null || { echo "this wants PostgreSQL, nginx and curl" >&2; exit 1; }

state=$(mktemp -d "${TMPDIR:-/tmp}/cluster.XXXXXX")
chmod 755 "$state" # PostgreSQL refuses to run as root, and then runs as its own user
trap leave EXIT
trap 'exit 1' HUP INT PIPE TERM
export XDG_STATE_HOME="$state/home" HANDOFF_STORE="postgres://handoff@/postgres?host=$state/db"

# leave ends all started processes, the database last.
leave() {
  trap '' HUP INT PIPE TERM
  for name in nginx node1 node2 node3 db; do
    [ -e "$state/$name.run" ] || continue
    kill -INT "$(cat "$state/$name.run")" 2>/dev/null || true # the script has killed one
    wait "$(cat "$state/$name.run")" || true
  done
  rm -rf "$state"
}

# start NAME COMMAND... runs a program in the background, in a session of its own: Ctrl-C does not end the database first.
start() {
  name=$1
  shift
  setsid "$@" >"$state/$name.log" 2>&1 &
  echo $! >"$state/$name.run"
}

# eventually COMMAND... waits until the command succeeds.
eventually() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || { echo "in vain: $*" >&2; tail "$state"/*.log >&2; exit 1; }
    sleep 0.1
  done
}

database() {
  mkdir "$state/db"
  as=
  if [ "$(id -u)" = 0 ]; then
    as="setpriv --reuid=postgres --regid=postgres --clear-groups"
    chown postgres: "$state/db"
  fi
  $as "$postgres/initdb" --auth=trust --username=handoff --locale=C --encoding=UTF8 -D "$state/db/data" >"$state/initdb.log"
  start db $as "$postgres/postgres" -D "$state/db/data" -k "$state/db" -h ""
  eventually "$postgres/pg_isready" -q -d "$HANDOFF_STORE"
}

# node N starts a node. The first node makes the tables.
node() {
  at=127.0.0.1:$((port + $1))
  start "node$1" handoff serve --http "$at" --store "$HANDOFF_STORE" --advertise "http://$at"
  eventually curl -fs "http://$at/readyz"
}

balancer() {
  sed "s/:426\([0-3]\)/:\1PORT/; s/0PORT/$port/; s/1PORT/$((port + 1))/; s/2PORT/$((port + 2))/; s/3PORT/$((port + 3))/" \
    "$here/nginx.conf" >"$state/nginx.conf"
  start nginx nginx -p "$state/" -c nginx.conf -e stderr -g "daemon off;"
  eventually curl -s "http://127.0.0.1:$port/"
}

# call PORT AGENT TOOL ARGUMENTS [FIELD...] has an agent call a tool over HTTP, and prints these fields of the result.
call() {
  echo "$2, through $(name_of "$1"): $3 $4" | sed 's/,"claim_token":"[^"]*"//'
  curl -sS --max-time 20 "http://127.0.0.1:$1/w/shop/mcp" -H "Handoff-Agent: $2" \
    -H "Content-Type: application/json" -H "Accept: application/json, text/event-stream" \
    -H "Mcp-Protocol-Version: 2026-07-28" -H "Mcp-Method: tools/call" -H "Mcp-Name: $3" \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$3"'","arguments":'"$4"',"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},
      "io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"}}}}' >"$state/answer"
  grep -q '"structuredContent"' "$state/answer" || { cat "$state/answer" >&2; exit 1; }
  shift 4
  for field; do
    printf '  %s: %s\n' "$field" "$(of_answer "$field")"
  done
}

name_of() { [ "$1" = "$port" ] && echo "the balancer" || echo "node $(($1 - port))"; }

of_answer() { sed 's/.*"structuredContent"://; s/.*"'"$1"'":"\([^"]*\)".*/\1/' "$state/answer"; }

# owner sets the number of the node that owns the workspace. It reads it from the row of the workspace.
owner() {
  at=$("$postgres/psql" "$HANDOFF_STORE" -Atc "select note::json #>> '{address,addr}' from handoff_workspace where name = 'shop'")
  at=${at%/node/shop}
  owner=$((${at##*:} - port))
  echo "node $owner owns the workspace shop"
}

database
node 1
node 2
node 3
balancer
echo "three nodes at ports $((port + 1)) to $((port + 3)), and the balancer before them at http://127.0.0.1:$port/w/NAME/mcp"

call $port planner send_handoff '{"to":"coder","title":"Write the store","task":"Keep what you are given","key":"store"}' handoff_id status
owner
other=$((port + owner % 3 + 1))
call $other coder claim_handoff '{}' handoff_id from
token=$(of_answer claim_token)

kill -KILL "$(cat "$state/node$owner.run")"
echo "node $owner is killed"
call $port coder complete_handoff '{"handoff_id":"ho_1","summary":"It keeps everything","claim_token":"'"$token"'"}' status
owner
call $other planner get_handoff '{"handoff_id":"ho_1"}' status
echo "a command, with HANDOFF_STORE:"
handoff history wf_1 --workspace shop | grep -v Duration
handoff audit verify --workspace shop | tail -1

[ "${1-}" != --demo ] || exit 0
echo
echo "The cluster goes on until Ctrl-C. More agents, in any workspace:"
echo "  claude mcp add --transport http handoff http://127.0.0.1:$port/w/shop/mcp"
echo "  HANDOFF_STORE='$HANDOFF_STORE' handoff list --workspace shop"
wait "$(cat "$state/db.run")"
