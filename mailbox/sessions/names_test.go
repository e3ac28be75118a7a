package sessions_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// naming plays a script about names of sessions. Each line is one of
//
//	open CONN SESSION NAME   a session opens a connection and is given a name; - is a session without an id
//	below PID CONN SESSION NAME   the same, and the process PID opens it
//	chosen CONN NAME         a connection opens under a name from the command line
//	acts CONN NAME           an agent claims over a connection under a name
//	writes NAME              a shell sends under a name
//	mail NAME                a handoff is sent to a name
//	register NAME
//	close CONN
//	unused CONN              a connection closes without a call
//	later DURATION
//	restart                  another process takes over the store
var naming = map[string]string{
	"servers of one process": `
		below 7 twin - claude-code
		below 7 c1 - claude-code
		below 8 c2 - claude-code-2
		below 8 c3 - claude-code-2
		close c1
		below 7 c4 - claude-code
		close twin
		close c4
		below 8 c5 - claude-code-2
		below 9 c6 - claude-code`,
	"threads of one process": `
		below 7 gen1 - claude-code
		below 7 gen1 t1 claude-code
		below 7 sub - claude-code
		below 7 sub t2 claude-code-2
		below 7 gen3 - claude-code
		below 7 gen3 t1 claude-code
		close gen1
		open c1 - claude-code-3
		restart
		below 7 sub t2 claude-code-2
		below 7 gen3 t1 claude-code
		close gen3
		below 8 resumed - claude-code
		below 8 resumed t2 claude-code-2`,
	"a server that was not called yields its name with its process": `
		below 7 gen1 - claude-code
		below 7 gen2 t1 claude-code
		below 7 gen1 t2 claude-code-2
		close gen2
		open c1 - claude-code`,
	"one after another": `
		open c1 s1 claude-code
		close c1
		open c2 s2 claude-code`,
	"at once": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		open c3 s3 claude-code-3`,
	"a session comes back to its number": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		close c1
		close c2
		later 167h
		open c3 s2 claude-code-2
		open c4 s1 claude-code`,
	"a number is kept for a week": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		close c2
		later 167h59m
		open c3 s3 claude-code-3
		later 1m
		open c4 s4 claude-code-2
		close c4
		open c5 s2 claude-code-4`,
	"the name of the client is kept for nobody": `
		open c1 s1 claude-code
		close c1
		open c2 s2 claude-code
		open c3 s1 claude-code-2`,
	"nothing is kept for a session without an id": `
		open c1 - claude-code
		open c2 - claude-code-2
		close c2
		open c3 - claude-code-2
		open c4 s1 claude-code-3`,
	"a session that is there twice has one name": `
		open c1 s1 claude-code
		open c2 s1 claude-code
		close c1
		open c3 s2 claude-code-2`,
	"an announcement that is repeated": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		open c1 s1 claude-code
		open c2 s2 claude-code-2`,
	"a session whose id is learned later": `
		open c1 - claude-code
		open c2 - claude-code-2
		open c2 s2 claude-code-2
		open c2 - claude-code-2
		close c2
		open c3 s3 claude-code-3
		open c4 s2 claude-code-2`,
	"a connection that was thought to be gone": `
		open c1 - claude-code
		open c2 - claude-code-2
		close c2
		open c2 - claude-code-2`,
	"after a clean end": `
		open c1 s1 claude-code
		close c1
		restart
		open c2 s2 claude-code`,
	"connections that are announced again at a takeover": `
		open c1 s1 claude-code
		open c2 - claude-code-2
		restart
		open c2 - claude-code-2
		open c3 s3 claude-code-3
		open c1 s1 claude-code`,
	"one that is announced again late": `
		open c1 - claude-code
		open c2 - claude-code-2
		restart
		later 1h
		open c3 s3 claude-code
		open c2 - claude-code-2`,
	"a session whose server was killed": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		restart
		open c3 s2 claude-code-2
		open c4 s1 claude-code`,
	"a session that was killed after a quiet week": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		later 200h
		restart
		open c3 s2 claude-code-2`,
	"one of two connections of a session closes before a takeover": `
		open c1 s1 claude-code
		open c2 s1 claude-code
		close c1
		restart
		open c3 s3 claude-code-2`,
	"one that closes right after a takeover buries nobody": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		restart
		open c2 s2 claude-code-2
		close c2
		open c3 s3 claude-code-3`,
	"one that works buries nobody who is there": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		later 1m
		acts c2 claude-code-2
		restart
		open c3 s3 claude-code-3`,
	"nobody closes after kill -9": `
		open c1 - claude-code
		open c2 s2 claude-code-2
		restart
		later 4999ms
		open c3 s3 claude-code-3
		later 1ms
		open c4 s4 claude-code
		open c5 s5 claude-code-4`,
	"a session that ends cleans up after those that were killed": `
		open c1 - claude-code
		restart
		open c2 - claude-code-2
		later 5s
		close c2
		restart
		open c3 - claude-code`,
	"a session that works cleans up after those that were killed": `
		open c1 - claude-code
		restart
		open c2 - claude-code-2
		later 1m
		acts c2 claude-code-2
		restart
		open c3 - claude-code`,
	"somebody else who works under its name buries one that was killed": `
		open c1 - claude-code
		restart
		later 1m
		acts c2 claude-code
		restart
		open c3 - claude-code`,
	"a name that somebody chose": `
		chosen c1 claude-code
		open c2 s2 claude-code-2
		close c1
		open c3 s3 claude-code`,
	"a name that somebody chose while its session was away": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		close c2
		chosen c3 claude-code-2
		open c4 s2 claude-code-3`,
	"a numbered name that somebody chose": `
		chosen c1 claude-code-2
		open c2 s2 claude-code
		open c3 s3 claude-code-3
		restart
		later 5s
		open c4 s3 claude-code-3`,
	"a name that a subagent uses": `
		open c1 s1 claude-code
		acts c1 claude-code-2
		open c2 s2 claude-code-3
		close c1
		open c3 s3 claude-code`,
	"a call without a connection takes no name": `
		acts - claude-code
		open c1 s1 claude-code`,
	"a session that did nothing": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		unused c2
		open c3 s3 claude-code-2
		open c4 s2 claude-code-3`,
	"one that did nothing under the name of the client": `
		open c1 s1 claude-code
		unused c1
		open c2 s2 claude-code
		open c3 s1 claude-code-2`,
	"one that did nothing, and a takeover": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		restart
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		unused c2
		open c3 s3 claude-code-2`,
	"one that only read": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		close c2
		open c3 s3 claude-code-3`,
	"one that wrote in its shell": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		writes claude-code-2
		unused c2
		open c3 s3 claude-code-3`,
	"one that wrote before a takeover": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		writes claude-code-2
		restart
		open c2 s2 claude-code-2
		unused c2
		open c3 s3 claude-code-3`,
	"one that did nothing and has mail": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		mail claude-code-2
		unused c2
		open c3 s3 claude-code-3
		open c4 s2 claude-code-2`,
	"one that did nothing under a name that holds something": `
		open c1 s1 claude-code
		chosen c2 claude-code-2
		acts c2 claude-code-2
		close c2
		open c3 s3 claude-code-2
		unused c3
		open c4 s4 claude-code-3`,
	"one that did nothing and is registered": `
		open c1 s1 claude-code
		register claude-code-2
		open c2 s2 claude-code-2
		unused c2
		open c3 s3 claude-code-3`,
	"one that did something in its last connection": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		close c2
		open c3 s2 claude-code-2
		unused c3
		open c4 s4 claude-code-3`,
	"one whose last connection was killed, nobody knows after what": `
		open c1 - claude-code
		open c2 s2 claude-code-2
		restart
		open c1 - claude-code
		later 5s
		close c1
		open c3 s2 claude-code-2
		unused c3
		open c4 s4 claude-code
		open c5 s5 claude-code-3`,
	"one of two connections of a session that did nothing": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		open c3 s2 claude-code-2
		unused c3
		close c2
		open c4 s4 claude-code-3`,
	"one that is given the name of one that did something": `
		open c1 s1 claude-code
		open c2 s2 claude-code-2
		close c2
		later 168h
		open c3 s3 claude-code-2
		unused c3
		open c4 s4 claude-code-2`,
}

func TestAttach_GivesNamesOfScript(t *testing.T) {
	for backend, open := range mailboxtest.Backends {
		for name, script := range naming {
			t.Run(backend+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := mailboxtest.New(t, mailboxtest.InBackend(open(t)))
				for line := range strings.Lines(strings.TrimSpace(script)) {
					playScript(w, strings.Fields(line))
				}
			})
		}
	}
}

func playScript(w *mailboxtest.World, words []string) {
	w.T.Helper()
	switch words[0] {
	case "open":
		require.Equal(w.T, words[3], string(w.OpensConnection(words[1], words[2]).Agent), words)
	case "below":
		parent, err := strconv.Atoi(words[1])
		require.NoError(w.T, err)
		require.Equal(w.T, words[4], string(w.OpensConnectionFrom(schemas.ConnIn{Parent: parent}, words[2], words[3]).Agent), words)
	case "chosen":
		mailboxtest.Must(w.T, w.Attach, schemas.Caller{Agent: schemas.Agent(words[2])}, schemas.ConnIn{Conn: words[1]})
	case "acts":
		by := schemas.Caller{Agent: schemas.Agent(words[2]), Conn: words[1]}
		w.Sends(mailboxtest.Human, words[2], "x")
		require.False(w.T, w.Claims(by).Empty)
	case "writes":
		w.Sends(schemas.Caller{Agent: schemas.Agent(words[1]), Via: schemas.ViaCLI}, "qa", "x")
	case "mail":
		w.Sends(mailboxtest.Human, words[1], "x")
	case "register":
		w.Accepts("review", schemas.Caller{Agent: schemas.Agent(words[1])})
	case "close":
		w.Leaves(schemas.Caller{Conn: words[1]})
	case "unused":
		mailboxtest.Must(w.T, w.Detach, schemas.Caller{Conn: words[1]}, schemas.ConnIn{Conn: words[1], Unused: true})
	case "later":
		d, err := time.ParseDuration(words[1])
		require.NoError(w.T, err)
		w.Pass(d)
	case "restart":
		w.Restart()
	}
}

func TestAttach_GivesConcurrentSessionsDifferentNames(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		w.Pass(mailboxtest.SettleTime)
		var wg sync.WaitGroup
		var mu sync.Mutex // guards names
		names := map[schemas.Agent]bool{}
		for i := range 20 {
			wg.Go(func() {
				a := w.OpensConnection("c"+string(rune('a'+i)), "-").Agent
				mu.Lock()
				defer mu.Unlock()
				names[a] = true
			})
		}
		wg.Wait()
		require.Len(t, names, 20)
		require.Contains(t, names, schemas.Agent("claude-code-20"))
	})
}

func TestAttach_ShortensNumberedNames(t *testing.T) {
	w := mailboxtest.New(t)
	long := schemas.Agent(strings.Repeat("x", 64))
	for i, want := range []schemas.Agent{long, long[:62] + "-2", long[:62] + "-3"} {
		in := schemas.ConnIn{Conn: string(rune('a' + i)), Client: long}
		for range 2 {
			out := mailboxtest.Must(t, w.Attach, schemas.Caller{Via: schemas.ViaStdio}, in)
			require.Equal(t, want, out.Agent)
		}
	}
}

func TestAttach_SkipsNamesOfOtherClients(t *testing.T) {
	w := mailboxtest.New(t)
	attach := func(conn string, client schemas.Agent) schemas.Agent {
		out := mailboxtest.Must(t, w.Attach, schemas.Caller{AgentID: conn}, schemas.ConnIn{Conn: conn, Client: client})
		return out.Agent
	}
	require.Equal(t, schemas.Agent("gpt-2"), attach("a", "gpt-2"))
	w.Leaves(schemas.Caller{Conn: "a"})
	require.Equal(t, schemas.Agent("gpt"), attach("b", "gpt"))
	require.Equal(t, schemas.Agent("gpt-3"), attach("c", "gpt"))
}

func TestAttach_RefusesReservedClientNames(t *testing.T) {
	w := mailboxtest.New(t)
	for _, client := range []schemas.Agent{"human", "system", "a b"} {
		mailboxtest.RequireRefusal(t, w.Attach, schemas.Caller{}, schemas.ConnIn{Conn: "c", Client: client}, schemas.Invalid, "")
	}
}

func TestListAgents_ListsConnectedAgentBeforeItsFirstCall(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	mailboxtest.Must(t, w.Register, a, schemas.RegisterIn{Name: "a"})
	w.Stdio("b")
	require.Empty(t, w.Sends(a, "b", "x").Warnings, "it is here")
	out := mailboxtest.Must(t, w.Agents, a, schemas.AgentsIn{})
	require.Len(t, out.Agents, 2)
	require.True(t, out.Agents[1].Live)
}

func TestListAgents_OmitsEndedNumberedSessionsWithoutMail(t *testing.T) {
	w := mailboxtest.New(t)
	for i := range 4 {
		w.OpensConnection("c"+string(rune('1'+i)), "-")
	}
	w.Leaves(schemas.Caller{Conn: "c1"})
	w.Leaves(schemas.Caller{Conn: "c2"})
	w.Leaves(schemas.Caller{Conn: "c3"})
	w.Sends(mailboxtest.Human, "claude-code-3", "x")
	out := mailboxtest.Must(t, w.Agents, mailboxtest.Human, schemas.AgentsIn{})
	var names []schemas.Agent
	for _, c := range out.Agents {
		names = append(names, c.Name)
	}
	require.ElementsMatch(t, []schemas.Agent{"claude-code", "claude-code-3", "claude-code-4"}, names)
}

func TestNews_FindsNameByProcess(t *testing.T) {
	w := mailboxtest.New(t)
	w.OpensConnectionFrom(schemas.ConnIn{Process: "100"}, "c1", "s1")
	w.OpensConnectionFrom(schemas.ConnIn{Process: "200"}, "c2", "s2")
	w.Sends(mailboxtest.Human, "claude-code-2", "Test it")
	ask := func(session, process string) (schemas.NewsOut, error) {
		return w.News(context.Background(), schemas.Caller{Via: schemas.ViaCLI}, schemas.NewsIn{
			On: schemas.OnMail, Client: "claude-code", Session: session, Process: process,
		})
	}
	out, err := ask("s1", "100")
	require.NoError(t, err)
	require.Equal(t, schemas.NewsOut{Agent: "claude-code"}, out)
	out, err = ask("after a clear", "200")
	require.NoError(t, err)
	require.Equal(t, schemas.ID(1), out.New[0].HandoffID)
	_, err = ask("unknown", "")
	mailboxtest.RequireError(t, err, schemas.Invalid, "nothing tells which session of claude-code this is")
}
