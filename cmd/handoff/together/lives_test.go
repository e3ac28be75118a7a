//go:build unix

package together_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// A kind is a client program, with what it tells about a session. In the texts $0 is the id of the session with which
// the program began, and $1 is the id of the session now.
type kind struct {
	name, mcp string
	hooks     bool
	server    string // variable of its servers
	shell     string // variable of its shells and hooks
	meta      string // of each call
}

var kinds = []kind{
	{"claude-code", "", true, "CLAUDE_CODE_SESSION_ID=$0", "CLAUDE_CODE_SESSION_ID=$1", `{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28", "io.modelcontextprotocol/clientCapabilities":{},
		"io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"1"}}`},
	{"codex", "codex-mcp-client", true, "A=", "CODEX_THREAD_ID=$1", `{"threadId":"$1","sessionId":"$1"}`},
	{"gemini-cli", "gemini-cli-mcp-client", true, "GEMINI_CLI=1", "GEMINI_CLI=1", "{}"},
	{"opencode", "opencode", false, "A=", "OPENCODE=1", "{}"},
}

// A session is a conversation of a model, and the server over which the model calls tools.
type session struct {
	*life
	kind
	*host
	first, id string // of the session: when its client began, and now
	agent     string // the name that a person gave it
	told      string // the name that its hooks and its shells told last
	cwd       string
	server    *process
	subagent  bool
}

// A host is a running client. It is a shell, which is the parent of the servers, hooks and shells of its sessions.
type host struct {
	cmd   *exec.Cmd
	in    io.Writer
	out   *bufio.Reader
	pipes []io.Closer // to its servers
}

// A life has some sessions in one repository, and a colleague that sends them work.
type life struct {
	*place
	rnd       *rand.Rand
	boxes     bool // there may be containers
	tree      string
	boss      *process
	sessions  []*session
	waiting   map[string][]string // titles of the work that nobody claimed yet, by name
	held      map[string][]string // ids of the work that is not completed yet, by name
	steps     []string
	sent, ids int
}

// TestLives_MailReachesSessionThatSpeaks compares what the hooks, shells and servers of random sessions say, and sends
// work to the names that they tell. HANDOFF_SEED is the seed of the first life.
func TestLives_MailReachesSessionThatSpeaks(t *testing.T) {
	t.Parallel()
	made.Program(t)
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("HANDOFF_SEED"), fmt.Sprint(rand.Uint32())), 10, 64)
	require.NoError(t, err, "HANDOFF_SEED")
	boxes := exec.CommandContext(t.Context(), "unshare", boxed("true")...).Run() == nil
	if !boxes {
		t.Log("this machine lets the test make no containers: the lives have none")
	}
	for n := range programtest.ProofSize(t, "HANDOFF_LIVES", 20, 5, strconv.Atoi) {
		t.Run(fmt.Sprint("seed ", seed+uint64(n)), func(t *testing.T) {
			t.Parallel()
			live(t, rand.New(rand.NewPCG(seed+uint64(n), 37)), boxes)
		})
	}
}

func live(t *testing.T, rnd *rand.Rand, boxes bool) {
	l := &life{place: newPlace(t), rnd: rnd, boxes: boxes, waiting: map[string][]string{}, held: map[string][]string{}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(strings.Join(l.steps, "\n"))
		}
	})
	ctx, end := context.WithTimeout(l.ctx, 2*time.Minute)
	defer end()
	l.ctx = ctx
	bin := t.TempDir()
	require.NoError(t, os.Symlink(l.program, filepath.Join(bin, "handoff")))
	l.env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")} // has settings of git
	l.does("git init -q repository && cd repository && git commit -q --allow-empty -m begin && git worktree add -q ../tree")
	l.cwd, l.tree = filepath.Join(l.cwd, "repository"), filepath.Join(l.cwd, "tree")
	l.meet()
	l.open()
	l.check()
	for range 3 + rnd.IntN(4) {
		l.happens(l.sessions[rnd.IntN(len(l.sessions))])
		l.check()
	}
	all, err := l.boss.everything(l.ctx)
	require.NoError(t, err)
	require.Len(t, all, l.sent)
	require.False(t, slices.ContainsFunc(all, func(i schemas.ListItem) bool { return i.Status == schemas.Pending }), "%v", all)
}

// meet starts the colleague, or kills it and starts another.
func (l *life) meet() {
	if l.boss != nil {
		l.boss.kill()
		<-l.boss.ended
	}
	l.boss = l.start("--agent", "boss")
	_, err := l.boss.everything(l.ctx)
	require.NoError(l.t, err)
}

func (l *life) says(format string, args ...any) {
	l.steps = append(l.steps, fmt.Sprintf(format, args...))
}

func (l *life) newID() string {
	l.ids++
	return fmt.Sprint("id-", l.ids)
}

func (l *life) onceIn(n int) bool { return l.rnd.IntN(n) == 0 }

// happens lets something happen to a session, or to all.
func (l *life) happens(s *session) {
	gone := func(o *session) bool { return o == s }
	switch what := l.rnd.IntN(11); {
	case what < 2 && len(l.sessions) < 4:
		l.open()
	case what == 2:
		l.says("%v has another server, which is never called", s)
		s.serve()
	case what == 3:
		l.says("%v goes on over another server", s)
		s.server = s.serve()
	case what == 4 && s.name == "codex" && !s.subagent:
		sub := *s
		sub.id, sub.told, sub.subagent = l.newID(), "", true
		l.says("%v has the subagent %v", s, &sub)
		sub.goOn()
		l.sessions = append(l.sessions, &sub)
	case s.subagent:
		l.says("%v ends, and its server stays", s)
		l.sessions = slices.DeleteFunc(l.sessions, gone)
	case what == 5:
		l.leave(s)
		l.sessions = slices.DeleteFunc(l.sessions, gone)
		l.open()
	case what == 6:
		l.leave(s)
		s.begin()
	case what == 7 && s.name == "codex":
		s.id, s.told = l.newID(), ""
		l.says("%v is a new thread", s)
		s.goOn()
	case what == 7:
		s.id = l.newID()
		l.says("%v was cleared", s)
		s.hook("session-start", "clear")
	case what == 8:
		l.says("%v goes into the worktree", s)
		s.cwd = l.tree
	case what == 9:
		l.says("the colleague is killed and comes back")
		l.meet()
	default:
		l.move()
	}
}

// move moves the repository while sessions are open, and does then what the program says.
func (l *life) move() {
	old, there := l.cwd, l.cwd+"2"
	if l.onceIn(2) {
		there = filepath.Join(filepath.Dir(old), l.newID(), filepath.Base(old))
	}
	l.does("mkdir -p %s && mv %s %s && git -C %[3]s worktree repair %s", filepath.Dir(there), old, there, l.tree)
	l.cwd = there
	var where struct{ Beside []struct{ Join string } }
	require.NoError(l.t, json.Unmarshal([]byte(l.must("where", "--json").out), &where))
	require.Len(l.t, where.Beside, 1, "it recognises the repository")
	for _, s := range slices.Clone(l.sessions) {
		if !s.subagent {
			l.leave(s)
		}
	}
	l.boss.kill()
	<-l.boss.ended
	l.does("%s", where.Beside[0].Join)
	l.meet()
	for _, s := range l.sessions {
		if s.cwd == old {
			s.cwd = there
		}
		if slices.ContainsFunc(l.sessions, func(o *session) bool { return o != s && o.name == s.name }) && s.agent == "" {
			s.told = "" // the other may take the name first
		}
		s.begin()
	}
}

// does runs a line as a person would.
func (l *life) does(format string, args ...any) {
	cmd := l.command("-c", fmt.Sprintf(format, args...))
	cmd.Path = "/bin/sh"
	out, err := cmd.CombinedOutput()
	l.says("$ %s\n%s", cmd.Args[2], out)
	require.NoError(l.t, err, "%s", out)
}

// open begins a new session of a new client.
func (l *life) open() {
	s := &session{life: l, kind: kinds[l.rnd.IntN(len(kinds))], id: l.newID(), cwd: l.cwd}
	if l.onceIn(6) {
		s.agent = "rex"
	}
	l.sessions = append(l.sessions, s)
	s.begin()
}

// begin starts a client with a session, or continues the session. Its hook may run before or after it starts a server,
// and it may start two. If a thread of Codex continues, or a person chose the name, the session has its name again.
func (s *session) begin() {
	box, early, twin := s.boxes && s.onceIn(3), s.onceIn(2), s.onceIn(4)
	if s.agent == "" && s.name != "codex" {
		s.told = ""
	}
	if s.first = s.id; s.host != nil {
		s.first = s.newID() // the variables of a client that continues a session have another id
	}
	if s.told != "" && s.onceIn(2) {
		s.send(s.told) // before it has the name again
	}
	s.says("%v begins as %q: container %v, hook before the server %v, two servers %v", s, s.agent, box, early, twin)
	s.host = s.newHost(box)
	if early {
		name := youAre.FindStringSubmatch(s.hook("session-start", "startup"))
		if s.name == "claude-code" { // its hook reserves the name for the server
			s.told = name[1]
		}
	}
	if s.server = s.serve(); twin {
		if other := s.serve(); s.onceIn(2) {
			s.server = other
		}
	}
}

// boxed is a container: mounts and processes of its own.
func boxed(script string, args ...string) []string {
	return append([]string{"--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", script + "; :", "sh"}, args...)
}

func (s *session) newHost(box bool) *host {
	h := &host{cmd: exec.CommandContext(s.ctx, "sh")}
	if box {
		h.cmd = exec.CommandContext(s.ctx, "unshare", boxed(`mount --bind "$1" "$1" && mount --bind "$2" "$2" && sh`, s.place.cwd, s.state)...)
	}
	h.cmd.Env, h.cmd.Stderr = s.command().Env, &bytes.Buffer{} // so Wait waits for its servers, too
	if s.agent != "" {
		h.cmd.Env = append(h.cmd.Env, "HANDOFF_AGENT="+s.agent)
	}
	out, err := h.cmd.StdoutPipe()
	require.NoError(s.t, err)
	h.out = bufio.NewReader(out)
	h.in, err = h.cmd.StdinPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, h.cmd.Start())
	s.t.Cleanup(func() { h.end("kill -9 $$") })
	return h
}

// end ends the client, and waits for all that it started.
func (h *host) end(how string) {
	_, _ = fmt.Fprintln(h.in, how) // the client may have ended
	for _, p := range h.pipes {
		_ = p.Close()
	}
	_ = h.cmd.Wait()
}

// leave ends the client of a session, and its subagents.
func (l *life) leave(s *session) {
	how := []string{"wait; exit", "kill -9 $$"}[l.rnd.IntN(2)]
	l.says("the client of %v ends: %s", s, how)
	s.end(how)
	l.sessions = slices.DeleteFunc(l.sessions, func(o *session) bool { return o.subagent && o.host == s.host })
}

func (s *session) String() string { return fmt.Sprintf("%s %s (%s)", s.name, s.id, s.told) }

func (s *session) fill(text string) string {
	return strings.NewReplacer("$0", s.first, "$1", s.id).Replace(text)
}

// types gives a command to the shell that is the client.
func (s *session) types(variable, command, after string) {
	s.t.Helper()
	if s.name == "claude-code" {
		variable += " CLAUDECODE=1"
	}
	_, err := fmt.Fprintf(s.in, "(cd %s && exec env %s handoff %s) %s\n", shell.Quote(s.cwd), s.fill(variable), command, after)
	require.NoError(s.t, err)
}

// run runs a hook or a command below the client.
func (s *session) run(command, input string) (out string) {
	s.t.Helper()
	s.types(s.shell+" CLAUDE_PID=$$", command, "2>&1 <<'END'\n"+input+"\nEND\necho //$?")
	for {
		line, err := s.out.ReadString('\n')
		require.NoError(s.t, err)
		if status, ok := strings.CutPrefix(line, "//"); ok {
			require.Equal(s.t, "0\n", status, "%v: %s: %s", s, command, out)
			return out
		}
		out += line
	}
}

// serve starts a server, which is not called.
func (s *session) serve() *process {
	s.t.Helper()
	var ends [2]*os.File
	for i := range ends {
		path := filepath.Join(s.home, s.newID())
		require.NoError(s.t, syscall.Mkfifo(path, 0o600))
		var err error
		ends[i], err = os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(s.t, err)
		s.pipes = append(s.pipes, ends[i])
	}
	s.types(s.kind.server, "mcp", fmt.Sprintf("<%s >%s &", ends[0].Name(), ends[1].Name()))
	p := &process{in: ends[0], waiting: map[int]chan<- answer{}, meta: json.RawMessage(s.fill(s.meta))}
	go p.listen(ends[1])
	if s.mcp != "" {
		require.NoError(s.t, p.greet(s.ctx, s.mcp))
		return p
	}
	_, err := p.ask(s.ctx, "server/discover", map[string]any{"_meta": p.meta})
	require.NoError(s.t, err)
	return p
}

// goOn gives a new thread of Codex a server. Its first call tells the server which thread it is.
func (s *session) goOn() {
	s.server = s.serve()
	s.call("list_handoffs", "{}")
}

var (
	youAre  = regexp.MustCompile(`You are ([^ ;]+)[ ;]`)
	advised = regexp.MustCompile(`(?:Go on: |Finish each. )([a-z_]+) (\{.*?\})`)
)

// hook runs a hook, and returns what it tells the model.
func (s *session) hook(event, source string) string {
	s.t.Helper()
	if !s.hooks || s.subagent {
		return ""
	}
	out := s.run("hook "+event+" --client "+s.name, fmt.Sprintf(`{"session_id":%q,"cwd":%q,"source":%q}`, s.id, s.cwd, source))
	var said struct {
		Reason string
		Adds   struct{ AdditionalContext string } `json:"hookSpecificOutput"`
	}
	require.True(s.t, out == "" || json.Unmarshal([]byte(out), &said) == nil, out)
	return said.Reason + said.Adds.AdditionalContext
}

// call calls a tool as the model does, and returns the advice in the answer.
func (s *session) call(tool, args string) (out schemas.ClaimOut, next []schemas.Advice) {
	s.t.Helper()
	var answer struct {
		schemas.ClaimOut
		Next []schemas.Advice
	}
	in := json.RawMessage(strings.ReplaceAll(args, schemas.Blank, "done"))
	err := s.server.call(s.ctx, tool, in, &answer)
	if refused, ok := errors.AsType[*schemas.Error](err); ok && strings.Contains(refused.Hint, "again in") {
		return schemas.ClaimOut{Empty: true}, nil // the owner ended with the client, and the new one waits for connections
	}
	require.NoError(s.t, err, "%v: %s %s", s, tool, args)
	if name := youAre.FindStringSubmatch(schemas.RenderAdvice(answer.Next)); name != nil && s.told != "" {
		require.Equal(s.t, s.told, name[1], "%v: shell and server", s)
	}
	return answer.ClaimOut, answer.Next
}

func (l *life) send(name string) {
	l.sent++
	title := fmt.Sprint("work ", l.sent)
	_, err := l.boss.send(l.ctx, schemas.SendIn{To: name, Title: title, Task: title, Options: &schemas.SendOptions{Force: true}})
	require.NoError(l.t, err)
	l.waiting[name] = append(l.waiting[name], title)
}

// check compares the names of all sessions, sends work to each name, and lets each session take its work.
func (l *life) check() {
	l.t.Helper()
	l.rnd.Shuffle(len(l.sessions), func(i, j int) { l.sessions[i], l.sessions[j] = l.sessions[j], l.sessions[i] })
	for i, s := range l.sessions {
		s.askName()
		for _, o := range l.sessions[:i] {
			require.True(l.t, s.told != o.told || s.agent == o.agent && s.agent != "", "%v and %v have one name", s, o)
		}
		l.send(s.told)
	}
	for _, s := range l.sessions {
		s.claim()
	}
	var agents schemas.AgentsOut
	require.NoError(l.t, l.boss.call(l.ctx, "list_agents", map[string]any{"limit": 100}, &agents))
	for _, s := range l.sessions {
		require.True(l.t, slices.ContainsFunc(agents.Agents, func(c schemas.Card) bool { return c.Live && string(c.Name) == s.told }), "%v is live", s)
		if l.onceIn(2) && !slices.ContainsFunc(l.sessions, func(o *session) bool { return o != s && o.told == s.told }) {
			s.finish()
		}
	}
}

// askName asks shell and hook for the name of the session.
func (s *session) askName() {
	s.t.Helper()
	var shell struct{ Agent string }
	require.NoError(s.t, json.Unmarshal([]byte(s.run("prime --json", "")), &shell))
	require.True(s.t, s.told == "" || s.told == shell.Agent, "%v is now %s", s, shell.Agent)
	s.told = shell.Agent
	if text := s.hook("session-start", "compact"); text != "" {
		require.Equal(s.t, s.told, youAre.FindStringSubmatch(text)[1], "%v: shell and hook", s)
	}
}

// claim takes all work of the session. Work that is held under its name may come again.
func (s *session) claim() {
	s.t.Helper()
	for got, _ := s.call("claim_handoff", "{}"); !got.Empty; got, _ = s.call("claim_handoff", "{}") {
		i, id := slices.IndexFunc(s.waiting[s.told], func(title string) bool { return strings.Contains(got.Brief, ": "+title+"\n") }), got.HandoffID.String()
		require.True(s.t, i >= 0 || slices.Contains(s.held[s.told], id), "%v got what is not its own: %s", s, got.Brief)
		if i >= 0 {
			s.waiting[s.told], s.held[s.told] = slices.Delete(s.waiting[s.told], i, i+1), append(s.held[s.told], id)
		}
	}
	require.Empty(s.t, s.waiting[s.told], "%v did not get it", s)
}

// finish completes the work of the session, by the calls that a hook or the answer to an empty claim advises.
func (s *session) finish() {
	s.t.Helper()
	for range len(s.held[s.told]) {
		var tool, args string
		if m := advised.FindStringSubmatch(s.hook([]string{"session-start", "stop"}[s.rnd.IntN(2)], "compact")); m != nil {
			tool, args = m[1], m[2]
		} else {
			_, next := s.call("claim_handoff", "{}")
			require.NotEmpty(s.t, next, "%v is told what it holds", s)
			tool, args = next[0].Tool, string(next[0].Args)
		}
		s.says("%v: %s %s", s, tool, args)
		got, _ := s.call(tool, args)
		if got.Empty {
			return
		}
		var of schemas.CompleteIn
		require.NoError(s.t, json.Unmarshal([]byte(args), &of))
		if tool != "complete_handoff" {
			s.call("complete_handoff", fmt.Sprintf(`{"handoff_id":%q,"claim_token":%q,"summary":"done"}`, of.HandoffID, got.Token))
		}
		s.held[s.told] = slices.DeleteFunc(s.held[s.told], func(id string) bool { return id == of.HandoffID })
	}
	require.Empty(s.t, s.held[s.told])
}
