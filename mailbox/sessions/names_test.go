package sessions_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// namingScripts returns the scripts of testdata/naming.txt by their names. The file says what a line of a script means.
func namingScripts(t *testing.T) map[string]string {
	text, err := os.ReadFile(filepath.Join("testdata", "naming.txt"))
	require.NoError(t, err)
	scripts := map[string]string{}
	for _, part := range strings.Split(string(text), "\n== ")[1:] {
		name, script, _ := strings.Cut(part, "\n")
		scripts[name] = strings.TrimSpace(script)
	}
	return scripts
}

func TestAttach_GivesNamesOfScript(t *testing.T) {
	scripts := namingScripts(t)
	for backend, open := range mailboxtest.Backends {
		for name, script := range scripts {
			t.Run(backend+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := mailboxtest.New(t, mailboxtest.InBackend(open(t)))
				for line := range strings.Lines(script) {
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
	case "shell":
		requireNameInShell(w, schemas.Agent(words[2]), strings.Trim(words[1], "-"), "")
	case "unsure":
		requireRefusalInShell(w, words[2:], strings.Trim(words[1], "-"), "")
	case "later":
		d, err := time.ParseDuration(words[1])
		require.NoError(w.T, err)
		w.Pass(d)
	case "restart":
		w.Restart()
	default:
		require.Fail(w.T, "no such line", words)
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
