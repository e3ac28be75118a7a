# Plays clients for the examples that source it: it starts "handoff mcp" as clients do, makes the calls of their models,
# and runs their hooks. It plays in a workspace of its own and ignores HANDOFF_ variables. It needs sh, sed, awk and mkfifo.
state=$(mktemp -d)
trap leave EXIT
trap 'exit 1' HUP INT PIPE TERM
for variable in $(env | sed -n 's/^\(HANDOFF_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
export XDG_STATE_HOME="$state" HANDOFF_WORKSPACE=example

# leave ends the sessions as clients do: it closes the input of their servers.
leave() {
  trap '' HUP INT PIPE TERM
  exec 3>&- 4>&- 5>&- 6>&-
  wait
  rm -rf "$state"
}

# project FILE makes a project with this agents.yaml, and goes there.
project() {
  export XDG_CONFIG_HOME="$state"
  mkdir -p "$state/project/.handoff"
  cp "$1" "$state/project/.handoff/agents.yaml"
  cd "$state/project"
  git init -q -b main
}

# open N CLIENT ID opens session N, 1 or 2, of a client with this name, and prints the text that the session gets.
open() {
  mkfifo "$state/in$1" "$state/out$1"
  (
    exec 3>&- 4>&- 5>&- 6>&- # pipes of the other session
    cd "$state"              # outside of any project, so that the output does not depend on the directory
    case $2 in claude-code) export CLAUDECODE=1 CLAUDE_CODE_SESSION_ID="$3" ;; esac
    exec handoff mcp <"$state/in$1" >"$state/out$1"
  ) &
  echo $! >"$state/pid$1"
  case $1 in
  1) exec 3>"$state/in1" 4<"$state/out1" ;;
  2) exec 5>"$state/in2" 6<"$state/out2" ;;
  esac
  send "$1" '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"'"$2"'","version":"1"}}}'
  answer "$1" | plain | sed -n 's/ ([^)]*) in / in /; s/^You are /* &/p'
  send "$1" '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}

# call N TOOL ARGUMENTS [FIELD...] calls a tool in session N and prints these fields of its result, or the error.
call() {
  send "$1" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"'}}'
  echo "> $2 $3"
  answer "$1" >"$state/result"
  if grep '"isError":true' "$state/result"; then return 1; fi
  shift 3
  for field; do
    sed 's/.*"structuredContent"://' "$state/result" | awk -v name="\"$field\":" '
      i = index($0, name) {
        value = substr($0, i + length(name))
        if (sub(/^"/, "", value)) sub(/".*/, "", value)
        else sub(/[,}].*/, "", value)
        print name " " value
      }' | sed 's/"//g; s/^/  /'
  done
}

# hook CLIENT ID EVENT [SUBAGENT] runs a hook as the client of this session does, and prints the text for its model.
hook() {
  echo "\$ handoff hook $3 --client $1"
  echo '{"session_id": "'"$2"'", "cwd": "'"$PWD"'", "agent_type": "'"${4-}"'"}' | handoff hook "$3" --client "$1" | plain |
    sed 's/^{"hookSpecificOutput":.*"additionalContext":"//; s/^{"decision":"block","reason":"//; s/until [0-9:]* UTC/until …/; s/^/  | /'
}

# plain undoes the escapes of JSON for line ends and quotes, up to the end of the object.
plain() { sed 's/\(\\n\)*"}*$//' | awk '{ gsub(/\\n/, "\n"); gsub(/\\"/, "\""); print }'; }

send() { case $1 in 1) printf '%s\n' "$2" >&3 ;; 2) printf '%s\n' "$2" >&5 ;; esac; }

# answer prints the next answer of session N, and skips notifications of its server.
answer() {
  while case $1 in 1) IFS= read -r line <&4 ;; 2) IFS= read -r line <&6 ;; esac; do
    case $line in *'"id":1'[,}]*) printf '%s\n' "$line"; return ;; esac
  done
  return 1
}
