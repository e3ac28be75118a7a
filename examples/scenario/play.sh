#!/bin/sh
# A lead and a coder pass three pieces of work: a question, a killed server, an output with a schema, a returned result and
# its rework, and dependent work. The script counts the calls and the bytes of the answers that models read, and compares
# them with an earlier version (before.tsv). With -v it shows each call and answer.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
verbose=${1-}
. "$folder/../session.sh"

# say N TOOL ARGUMENTS calls a tool; hear N STEP reads the answer and counts it under the step. They are separate
# functions, because a call may wait for the other session.
say() {
  case $verbose in -v) printf '\n%s> %s %s\n' "$1" "$2" "$3" ;; esac
  send "$1" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$(printf %s "$3" | tr '\n' ' ')"'}}'
}
hear() {
  answer "$1" | LC_ALL=C awk -v step="$2" -v session="$1" -v verbose="$verbose" -v counted="$state/counted" '{
    read = $0
    if (!sub(/.*"structuredContent":/, "", read)) sub(/.*"text":/, "", read) # an error has only a text
    sub(/}*$/, "}", read)
    if (verbose == "-v") print session "< " read
    print step "\t" length(read) >> counted
    error = $0 ~ /"isError":true/
  } END { exit error }'
}
step() { now=$1; }
call() { say "$1" "$2" "$3" && hear "$1" "$now"; }
refused() { if call "$@"; then echo "this was to be refused: $*" >&2 && exit 1; fi; }

# crash N ends the server of a session as a power cut does. Its client opens a new one.
crash() {
  kill -KILL "$(cat "$state/pid$1")"
  case $1 in 1) exec 3>&- 4>&- ;; 2) exec 5>&- 6>&- ;; esac
  rm "$state/in$1" "$state/out$1"
}

HANDOFF_AGENT=lead open 1 lead one >/dev/null
HANDOFF_AGENT=coder open 2 coder two >/dev/null

step "meet"
call 1 list_agents '{}'
call 2 list_agents '{}'

step "ho_1: sent, done"
say 2 claim_handoff '{"wait_seconds": 5}'
call 1 send_handoff '{"to": "coder", "title": "Parse the log format", "task": "Write logfmt.Parse in internal/logfmt. It reads one line of the log and gives level, time and fields. Keep the API small: one function, one type.",
  "context": {"decisions": [{"decision": "No regular expressions", "rationale": "The old parser took 40 % of the time of a run"}, {"decision": "Errors name the column"}],
    "files": [{"path": "internal/logfmt/old.go", "lines": "1-120", "note": "what is replaced"}, {"path": "testdata/lines.txt", "note": "200 lines from production"}]},
  "expectations": {"success_criteria": ["All lines of testdata/lines.txt parse", "An error names the column", "Parse allocates at most twice a line", "go vet is clean", "The package has an example"],
    "constraints": ["Only the standard library"], "estimated_duration": "20 minutes"}}'
hear 2 "$now"
say 1 get_handoff '{"handoff_id": "ho_1", "view": "outcome", "wait_seconds": 5}'
call 2 update_handoff '{"handoff_id": "ho_1", "action": "progress", "percent": 60, "note": "Parse reads all lines of the file. The example is next."}'
call 2 list_handoffs '{"box": "claimed"}'
call 2 complete_handoff '{"handoff_id": "ho_1", "summary": "logfmt.Parse reads the format in one pass, with errors that name the column. The old parser is gone.",
  "results": {"branch": "logfmt", "commit": "4f2c1aa"},
  "deliverables": [{"type": "code", "description": "The parser", "files_created": ["internal/logfmt/parse.go", "internal/logfmt/parse_test.go"], "files_modified": ["cmd/run/main.go"]}],
  "verification": {"tests_passing": true, "tests_passed": 14, "criteria": [
    {"criterion": "1", "met": true, "evidence": "TestLines reads all 200 lines of testdata/lines.txt"},
    {"criterion": "2", "met": true, "evidence": "TestErrors checks the column of 9 bad lines"},
    {"criterion": "3", "met": true, "evidence": "BenchmarkParse: 2 allocs/op"},
    {"criterion": "4", "met": true, "evidence": "go vet ./internal/logfmt exits with 0"},
    {"criterion": "5", "met": true, "evidence": "ExampleParse in parse_test.go"}],
    "commands": [{"command": "go test ./internal/logfmt", "exit_code": 0, "output": "ok internal/logfmt 0.021s"}, {"command": "go vet ./internal/logfmt", "exit_code": 0}]}}'
hear 1 "$now"

step "ho_2 and ho_3: sent"
call 1 send_handoff '{"to": "coder", "title": "Report of slow calls", "task": "Write the command report. It reads logs with logfmt.Parse and prints the ten slowest calls of each service, as a table and as JSON.",
  "summary": "The parser is done and reviewed. The report is what operations asked for after the outage of May: they want to see within a minute which service got slow, without a database.",
  "context": {"original_request": "Operations: give us a report of slow calls from the logs that we have", "completed_steps": ["Agreed on the columns with operations", "Replaced the parser"],
    "decisions": [{"decision": "One pass, with a heap of ten for each service", "rationale": "Logs of a day do not fit into memory"}, {"decision": "JSON has the same columns as the table", "rationale": "Operations feed it into their dashboard"}, {"decision": "Durations are printed in milliseconds"}],
    "files": [{"path": "cmd/run/main.go", "lines": "10-80", "note": "how commands are registered"}, {"path": "internal/logfmt/parse.go"}, {"path": "docs/columns.md", "note": "the columns as agreed"}],
    "known_issues": ["Services before 2.3 write the duration in seconds", "Lines of the gateway have no service field"], "test_command": "go test ./cmd/report ./internal/report"},
  "expectations": {"success_criteria": ["The table has the columns of docs/columns.md", "JSON and table agree, and a test compares them", "One gigabyte takes less than 20 s and 50 MB", "Durations in seconds are converted"], "strict": true,
    "constraints": ["Only the standard library", "No change of internal/logfmt"], "deliverables": [{"type": "code", "description": "The command", "files": ["cmd/report/main.go", "internal/report/*.go"]}],
    "output_schema": {"type": "object", "required": ["branch", "seconds", "megabytes"], "properties": {"branch": {"type": "string"}, "seconds": {"type": "number"}, "megabytes": {"type": "number"}}}}}'
call 1 send_handoff '{"to": "coder", "title": "Describe the report", "task": "Write docs/report.md for operations: how to run the report, what each column means, and how long it takes. Use the figures of the outcome of ho_2.",
  "expectations": {"success_criteria": ["Each column is described", "The figures are those of ho_2"]}, "options": {"after": ["ho_1", "ho_2"]}}'
call 1 list_handoffs '{"box": "sent"}'

step "ho_2: question, answer"
call 2 claim_handoff '{}'
call 2 update_handoff '{"handoff_id": "ho_2", "action": "ask", "questions": ["Lines of the gateway have no service: leave them out, or count them as gateway?", "Is a duration without a unit in seconds or in milliseconds?", "Should the table end with a sum?"]}'
say 2 get_handoff '{"handoff_id": "ho_2", "wait_seconds": 5}'
call 1 get_handoff '{"handoff_id": "ho_2", "view": "outcome", "wait_seconds": 5}'
call 1 update_handoff '{"handoff_id": "ho_2", "action": "answer", "note": "1. Count them as gateway. 2. In seconds: only versions before 2.3 leave the unit out. 3. No sum: the table goes into a chat, and each line has to stand for itself."}'
hear 2 "$now"

step "ho_1: returned"
call 1 update_handoff '{"handoff_id": "ho_1", "action": "return", "note": "Two things are missing.", "changes": {"expectations": {"success_criteria": ["Parse refuses a level that does not exist", "The example shows an error"]}}}'
call 1 list_handoffs '{"box": "sent"}'

step "ho_2: killed, taken up, done"
call 2 update_handoff '{"handoff_id": "ho_2", "action": "progress", "percent": 50, "note": "The heap and the table are done. JSON is next.", "changes": {"checkpoint": {"state": {"branch": "report", "done": "heap.go, table.go"}, "note": "table_test.go passes, json.go is empty"}}}'
crash 2
HANDOFF_AGENT=coder open 2 coder two >/dev/null
call 2 claim_handoff '{}'
say 1 get_handoff '{"handoff_id": "ho_2", "view": "outcome", "wait_seconds": 5}'
criteria='{"criterion": "1", "met": true, "evidence": "TestColumns compares the header with docs/columns.md"}, {"criterion": "2", "met": true, "evidence": "TestSame reads both and compares"}, {"criterion": "4", "met": true, "evidence": "TestOldServices"}'
output='"output": {"branch": "report", "seconds": 16.4, "megabytes": 31}'
refused 2 complete_handoff '{"handoff_id": "ho_2", "summary": "The report prints both forms.", '"$output"', "verification": {"criteria": ['"$criteria"', {"criterion": "3", "met": false, "evidence": "One gigabyte takes 31 s"}]}}'
criteria=$criteria', {"criterion": "3", "met": true, "evidence": "16.4 s and 31 MB for 1.0 GB, measured three times"}'
refused 2 complete_handoff '{"handoff_id": "ho_2", "summary": "The report prints both forms.", "verification": {"criteria": ['"$criteria"']}}'
call 2 complete_handoff '{"handoff_id": "ho_2", "summary": "The command report prints the ten slowest calls of each service as a table and as JSON, in one pass. Reading was made faster with a larger buffer.",
  "results": {"branch": "report", "commit": "9be0d41"}, '"$output"', "notes": ["The gateway is counted as a service"],
  "verification": {"tests_passing": true, "tests_passed": 22, "criteria": ['"$criteria"'], "commands": [{"command": "go test ./cmd/report ./internal/report", "exit_code": 0, "output": "ok cmd/report 0.3s\nok internal/report 1.1s"}]}}'
hear 1 "$now"

step "ho_4: the rework of ho_1"
say 1 get_handoff '{"handoff_id": "ho_4", "view": "outcome", "wait_seconds": 5}'
call 2 claim_handoff '{"handoff_id": "ho_4"}'
call 2 complete_handoff '{"handoff_id": "ho_4", "summary": "Parse refuses unknown levels, and the example shows an error with its column.", "results": {"branch": "logfmt", "commit": "77aa01c"},
  "verification": {"tests_passing": true, "tests_passed": 16, "criteria": [
    {"criterion": "All lines of testdata/lines.txt parse", "met": true, "evidence": "TestLines, run again"},
    {"criterion": "An error names the column", "met": true, "evidence": "TestErrors has two more lines: unknown levels"},
    {"criterion": "Parse allocates at most twice a line", "met": true, "evidence": "BenchmarkParse: 2 allocs/op"},
    {"criterion": "go vet is clean", "met": true, "evidence": "go vet exits with 0"},
    {"criterion": "The package has an example", "met": true, "evidence": "ExampleParse_error"},
    {"criterion": "6", "met": true, "evidence": "TestErrors, the last two lines"},
    {"criterion": "7", "met": true, "evidence": "ExampleParse_error prints it"}]}}'
hear 1 "$now"

step "ho_3: what waited for both"
call 2 claim_handoff '{"wait_seconds": 5}'
call 2 complete_handoff '{"handoff_id": "ho_3", "summary": "docs/report.md tells how to run the report, describes its seven columns and gives the time and memory that were measured.",
  "verification": {"criteria": [{"criterion": "1", "met": true, "evidence": "Seven columns, seven paragraphs"}, {"criterion": "2", "met": true, "evidence": "16.4 s and 31 MB, as in the outcome"}]}}'
call 1 get_handoff '{"handoff_id": "ho_3", "view": "outcome", "wait_seconds": 5}'

step "looking back"
call 1 handoff_history '{"handoff_id": "ho_1"}'
call 1 handoff_history '{"handoff_id": "ho_2"}'
call 1 get_handoff '{"handoff_id": "ho_2", "view": "events"}'
call 1 list_handoffs '{"box": "sent"}'
call 1 send_handoff '{"to": "coder", "type": "message", "task": "Thank you. All three are merged, you may stop."}'
call 2 claim_handoff '{"wait_seconds": 5}'

case $verbose in --figures) # figures of this version, in the form of before.tsv
  awk -F '\t' '{ calls[$1]++; bytes[$1] += $2; if (calls[$1] == 1) order[++n] = $1 }
    END { for (i = 1; i <= n; i++) print order[i] "\t" calls[order[i]] "\t" bytes[order[i]] }' "$state/counted"
  exit ;;
esac
awk -F '\t' '
  function row(what, then, calls, before, after) {
    printf "%-28s %5d %5d %8d %8d %5.0f %%\n", what, then, calls, before, after, 100 * after / before
  }
  FNR == NR { were[$1] = $2; before[$1] = $3; next }
  { if (!calls[$1]++) order[++n] = $1; after[$1] += $2 }
  END {
    printf "%-28s %11s %17s\n%-28s %5s %5s %8s %8s\n", "", "calls", "bytes", "", "before", "now", "before", "now"
    for (i = 1; i <= n; i++) {
      s = order[i]; row(s, were[s], calls[s], before[s], after[s])
      all += calls[s]; w += were[s]; b += before[s]; a += after[s]
    }
    row("all", w, all, b, a)
  }' "$folder/before.tsv" "$state/counted"
