package payload_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/payload"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func TestParse_EnforcesLimits(t *testing.T) {
	written, err := os.ReadFile("../../../../examples/messages/kelos-task-handoff.json")
	require.NoError(t, err)
	quoted := func(length int) string { return `"` + strings.Repeat("ä", length) + `"` }
	for name, c := range map[string]struct{ text, want, wrong string }{
		"as the proposal writes it":   {text: string(written), want: string(written)},
		"a version is assumed":        {text: `{"summary":"a"}`, want: `{"summary":"a","version":1}`},
		"a later version":             {text: `{"version":9,"summary":"a","new":{"x":[1.50]},"detail":null}`, want: `{"version":9,"summary":"a","new":{"x":[1.50]},"detail":null}`},
		"data of other kinds":         {text: `{"summary":"a","data":{"n":142,"o":{"a":"b"},"none":null}}`, want: `{"version":1,"summary":"a","data":{"n":"142","o":"{\"a\":\"b\"}"}}`},
		"the longest summary":         {text: `{"summary":` + quoted(4096) + `}`, want: `{"version":1,"summary":` + quoted(4096) + `}`},
		"a longer summary":            {text: `{"summary":` + quoted(4097) + `}`, wrong: "summary: 4097 characters, at most 4096 are allowed"},
		"the longest detail and data": {text: `{"summary":"a","detail":` + quoted(65000) + `,"data":{"name":` + quoted(532) + `}}`, want: `{"version":1,"summary":"a","detail":` + quoted(65000) + `,"data":{"name":` + quoted(532) + `}}`},
		"a longer one":                {text: `{"summary":"a","detail":` + quoted(65000) + `,"data":{"name":` + quoted(533) + `}}`, wrong: "detail and data together: 65537 characters, at most 65536"},
		"the longest texts escaped":   {text: `{"summary":"` + strings.Repeat(`\ud83c\udf89`, 4096) + `","detail":"` + strings.Repeat(`\ud83c\udf89`, 65536) + `"}`},
		"a larger object":             {text: `{"summary":"a","new":` + quoted(1<<20) + `}`, wrong: "the payload as JSON: 2097"},
		"nothing":                     {wrong: "not JSON"},
		"cut off":                     {text: `{"version":1,"summary":"a`, wrong: "not JSON"},
		"two":                         {text: `{"summary":"a"} {"summary":"b"}`, wrong: "there is more after it"},
		"a list":                      {text: `["summary"]`, wrong: "it is no JSON object"},
		"no UTF-8":                    {text: "{\"summary\":\"\xff\"}", wrong: "not UTF-8"},
		"no summary":                  {text: `{"version":1,"detail":"d"}`, wrong: "summary: is missing or no text"},
		"an empty summary":            {text: `{"summary":""}`, wrong: "summary: is missing or no text"},
		"another summary":             {text: `{"summary":["a"]}`, wrong: "summary: is missing or no text"},
		"no detail":                   {text: `{"summary":"a","detail":7}`, wrong: "detail: is no text"},
		"no data":                     {text: `{"summary":"a","data":["a"]}`, wrong: "data: is no object"},
		"version 0":                   {text: `{"summary":"a","version":0}`, wrong: "version: is no whole number from 1 on"},
		"version 1.0.0":               {text: `{"summary":"a","version":"1.0.0"}`, wrong: "version: is no whole number from 1 on"},
	} {
		t.Run(name, func(t *testing.T) {
			said, err := payload.Parse([]byte(" " + c.text + "\n"))
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			if c.want != "" {
				b, err := json.Marshal(said)
				require.NoError(t, err)
				require.JSONEq(t, c.want, string(b))
			}
		})
	}
}

// The schema is for programs that receive payloads.
func TestSchemaFile_HasLimits(t *testing.T) {
	text, err := os.ReadFile("../../../../examples/files/payload.schema.json")
	require.NoError(t, err)
	var schema struct {
		Properties map[string]struct {
			MaxLength int `json:"maxLength"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &schema))
	require.Equal(t, schemas.MaxSummary, schema.Properties["summary"].MaxLength)
	require.Equal(t, schemas.MaxDetail, schema.Properties["detail"].MaxLength)
}

func TestScan_TakesLastPayload(t *testing.T) {
	const begin, end = "---KELOS_HANDOFF_START---\n", "---KELOS_HANDOFF_END---\n"
	inside := `{"summary":"` + strings.TrimSpace(end) + `\n` + strings.TrimSpace(begin) + `"}`
	outputs := "---KELOS_OUTPUTS_START---\nbranch: fix/1\n\n  pr: https://x.test/1  \ndone\n---KELOS_OUTPUTS_END---\n"
	long := strings.Repeat("x", 3<<20)
	for name, c := range map[string]struct {
		log, want string
		pairs     int
		odd       string
	}{
		"no log":            {odd: "no handoff is in the log"},
		"one":               {log: "a\n" + begin + `{"summary":"a"}` + "\n" + end + "b", want: `{"summary":"a"}` + "\n", pairs: 1},
		"two":               {log: begin + "{1}\n" + end + "b\n" + begin + "{2}\n" + end, want: "{2}\n", pairs: 2, odd: "2 handoffs are in the log: the last one is taken"},
		"markers in JSON":   {log: begin + inside + "\n" + end, want: inside + "\n", pairs: 1},
		"on several lines":  {log: begin + "{\n \"a\":\r\n1}\n" + end, want: "{\n \"a\":\r\n1}\n", pairs: 1},
		"lines with times":  {log: "10:00 " + begin + "10:00 {1}\n10:01 " + end, want: "{1}\n", pairs: 1},
		"lines without end": {log: "50%\r99%" + begin + "{1}" + end, want: "{1}", pairs: 1},
		"CR LF":             {log: strings.ReplaceAll(begin+"{1}\n"+end, "\n", "\r\n"), want: "{1}\r\n", pairs: 1},
		"begun twice":       {log: begin + "{1}\n" + begin + "{2}\n" + end, want: "{2}\n", pairs: 1},
		"an end alone":      {log: end + "{1}\n" + end, odd: "no handoff is in the log"},
		"cut off":           {log: begin + "{1}\n" + end + begin + "{2", want: "{1}\n", pairs: 1, odd: "the log ends behind"},
		"empty":             {log: begin + end, want: "", pairs: 1},
		"long lines":        {log: long + "\n" + long + begin + begin + "{1}\n" + end + long, want: "{1}\n", pairs: 1},
		"too long":          {log: begin + long + "\n" + end, want: long[:1<<20+1], pairs: 1},
		"among outputs":     {log: outputs + begin + "{1}\n" + end, want: "{1}\n", pairs: 1},
		"before outputs":    {log: begin + "{1}\n" + end + strings.ReplaceAll(outputs, "fix/1", "old") + outputs, want: "{1}\n", pairs: 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.log), iotest.HalfReader(strings.NewReader(c.log))} {
				log, err := payload.Scan(r)
				require.NoError(t, err)
				require.Equal(t, c.want, string(log.Text))
				require.Equal(t, c.pairs, log.Pairs)
				require.Contains(t, log.Warning(), c.odd)
				require.Equal(t, c.odd == "", log.Warning() == "")
				if strings.Contains(name, "outputs") {
					require.Equal(t, []string{"branch: fix/1", "pr: https://x.test/1", "done"}, log.Outputs)
					require.Equal(t, map[string]any{"branch": "fix/1", "pr": "https://x.test/1"}, log.Results())
				}
			}
		})
	}
	_, err := payload.Scan(iotest.ErrReader(errors.New("gone")))
	require.ErrorContains(t, err, "gone")
}
