package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools"
)

func TestRemove_TakesAwayOrIsRefused(t *testing.T) {
	o := newOffice(t)
	for field, value := range map[string]string{
		"to": `"dev"`, "task": `"Last"`, "title": `"Last"`, "type": `"code"`, "summary": `"known"`, "detail": `"part"`, "data": `{"a":"1"}`,
		"priority": `"high"`, "deadline": `"2h"`, "tags": `["x"]`, "after": `["FIRST"]`, "options.after": `"FIRST"`, "depends_on": `[]`,
		"no_takers": `"human"`, "needs_approval": `true`, "max_attempts": `2`, "not_before": `"1h"`, "reason": `"r"`, "limits": `{"rounds":2}`,
		"success_criteria": `["a b"]`, "criteria": `1`, "constraints": `["none"]`, "timeout": `"3h"`, "review": `"sender"`, "strict": `true`,
		"files": `[{"path":"a.go"}]`, "context.decisions": `"JWT"`, "state": `{"k":1}`, "test_command": `"go test"`, "data.summary": `true`, "nosuch": `1`,
	} {
		for _, remove := range []string{
			`{"remove":{NAME:VALUE}}`, `{"remove":[NAME]}`, `{"delete":NAME}`, `{"unset":{NAME:true}}`, `{"remove":{NAME:null}}`, `{NAME:null}`, `{NAME:""}`,
		} {
			first := o.callAs("boss", "send_handoff", `{"to":"dev","task":"First"}`)["handoff_id"].(string)
			id := o.callAs("boss", "send_handoff", fmt.Sprintf(`{"to":"dev","task":"Last","summary":"known","detail":"whole","data":{"a":"1","b":"2"},
				"priority":"high","deadline":"2h","tags":["x","y"],"options":{"after":[%q],"no_takers":"human","reason":"r","max_attempts":2},
				"expectations":{"success_criteria":["a b"],"constraints":["c"],"timeout":"3h","review":"sender","strict":true},"context":{"files":
				[{"path":"a.go"}],"decisions":[{"decision":"JWT"}],"state":{"k":1},"test_command":"go test"}}`, first))["handoff_id"]
			full := fmt.Sprintf(`{"handoff_id":%q,"view":"full"}`, id)
			before := o.callAs("boss", "get_handoff", full)["handoff"]
			changes := strings.NewReplacer("NAME", strconv.Quote(field), "VALUE", strings.ReplaceAll(value, "FIRST", first)).Replace(remove)
			_, err := o.Invoke(t.Context(), tools.Call{
				Caller: schemas.Caller{Agent: "boss", Via: schemas.ViaStdio, Conn: "of-boss"},
				Tool:   "update_handoff",
				Args:   json.RawMessage(fmt.Sprintf(`{"handoff_id":%q,"action":"amend","changes":%s}`, id, changes)),
			})
			was, err1 := json.Marshal(before)
			is, err2 := json.Marshal(o.callAs("boss", "get_handoff", full)["handoff"])
			require.NoError(t, errors.Join(err1, err2))
			require.Equal(t, err == nil, len(is) < len(was), "%s: %v\n%s\n%s", changes, err, was, is)
			require.Equal(t, err != nil, string(is) == string(was), changes)
		}
	}
}
