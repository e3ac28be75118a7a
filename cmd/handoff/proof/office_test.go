// Package proof_test tests the promises that are hardest to keep. A wrong call is refused and changes nothing. Lists are
// complete while other processes write. No result and no line of the protocol exceeds its limit. An error about a fault
// of disk or network names the remedy.
package proof_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/tools"
	"handoff/tools/toolstest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }

// An office is a workspace in a file, and its tools in this process.
type office struct {
	testing.TB
	*mailboxtest.World
	file store.Backend
	conn string // over which its agents call
}

func newOffice(t testing.TB) *office {
	t.Helper()
	file := mailboxtest.NewFileBackend(t)
	o := &office{TB: t, World: mailboxtest.New(t, mailboxtest.InBackend(file)), file: file, conn: "conn_1"}
	o.must("dev", "connection_open", `{"conn": "conn_1"}`)
	return o
}

// call calls a tool as a client does.
func (o *office) call(agent, tool, args string) (commandtest.Record, *schemas.Error) {
	o.Helper()
	raw, err := toolstest.AdviceChecker{Invoker: tools.LocalInvoker{Mailbox: o.Service}, TB: o}.Invoke(o.Context(), tools.Call{
		Caller: schemas.Caller{Agent: schemas.Agent(agent), Via: schemas.ViaStdio, Conn: o.conn}, Tool: tool, Args: json.RawMessage(args),
	})
	if err != nil {
		return nil, schemas.AsError(err)
	}
	return commandtest.ParseRecord(o, raw), nil
}

// must makes a call that has to succeed.
func (o *office) must(agent, tool, args string) commandtest.Record {
	o.Helper()
	out, err := o.call(agent, tool, args)
	require.Nil(o, err, "%s %s", tool, args)
	return out
}

// rows are all that the file holds, in order.
func (o *office) rows() []byte { return rowsOf(o, o.file) }

func rowsOf(t testing.TB, file store.Backend) []byte {
	t.Helper()
	var all bytes.Buffer
	require.NoError(t, file.View(context.Background(), func(r store.Reader) error {
		all.Reset()
		for space := range store.Spaces {
			for row, err := range r.Scan(store.Range{Space: space}) {
				if err != nil {
					return err
				}
				fmt.Fprintf(&all, "%s %q = %q\n", space, row.Key, row.Value)
			}
		}
		return nil
	}))
	return all.Bytes()
}

// rowsIn returns the rows of a file that no process has open.
func rowsIn(t testing.TB, path string) []byte {
	t.Helper()
	file, err := bolt.Open(context.Background(), bolt.Config{Path: path})
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	return rowsOf(t, file)
}
