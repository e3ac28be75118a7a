package project_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/project"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/tools"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// agent is an agent in a checkout, whose process adds the facts of the checkout.
type agent struct {
	testing.TB
	*project.Invoker
	name schemas.Agent
}

// newAgent begins work in a directory. It gives git a long time limit, for slow machines.
func newAgent(t testing.TB, w *mailboxtest.World, name schemas.Agent, dir string) agent {
	return agent{t, &project.Invoker{Invoker: tools.LocalInvoker{Mailbox: w.Service}, Dir: dir, Patience: time.Minute}, name}
}

// does calls a tool.
func does[Out any](a agent, in interface{ Tool() string }) (out Out) {
	a.Helper()
	args, err := json.Marshal(in)
	require.NoError(a, err)
	by := schemas.Caller{Agent: a.name, AgentID: string(a.name) + "-1", Via: schemas.ViaCLI}
	raw, err := a.Invoke(context.Background(), tools.Call{Caller: by, Tool: in.Tool(), Args: args})
	require.NoError(a, err)
	require.NoError(a, json.Unmarshal(raw, &out))
	return out
}

func (a agent) write(path, text string) {
	path = filepath.Join(a.Dir, path)
	require.NoError(a, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(a, os.WriteFile(path, []byte(text), 0o600))
}

// git runs the real one.
func (a agent) git(args ...string) {
	cmd := exec.CommandContext(a.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = a.Dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	require.NoError(a, err, "%v: %s", args, out)
}

// commit commits all there is.
func (a agent) commit() {
	a.git("add", "-A")
	a.git("commit", "-q", "--allow-empty", "-m", "more")
}

// begun returns an agent in a repository with one commit of these files.
func begun(t testing.TB, w *mailboxtest.World, name schemas.Agent, files ...string) agent {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to look at")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	a := newAgent(t, w, name, dir)
	a.git("init", "-q", "-b", "main")
	for _, file := range files {
		a.write(file, file)
	}
	a.commit()
	return a
}

// apart is another worktree of the repository, on a branch of its own.
func (a agent) apart(w *mailboxtest.World, name schemas.Agent) agent {
	dir := filepath.Join(a.TempDir(), string(name))
	a.git("worktree", "add", "-q", "-b", string(name), dir)
	return newAgent(a.TB, w, name, dir)
}

func TestInvoker_AddsWorkingTreeToCalls(t *testing.T) {
	w := mailboxtest.New(t)
	lead := begun(t, w, "lead", "a.go", "b.go", "c.go", "d.go", "e.md", "f.md")
	qa := lead.apart(w, "qa")
	lead.write("a.go", "changed")
	lead.write("new/x.go", "new")
	require.NoError(t, os.Remove(filepath.Join(lead.Dir, "c.go")))
	sent := does[schemas.SendOut](lead, schemas.SendIn{To: "qa", Task: "Do it", Context: &schemas.Context{
		Files:      []schemas.File{{Path: "a.go"}, {Path: "b.go"}, {Path: "c.go"}, {Path: "d.go"}},
		References: []schemas.Reference{{Path: "b.go"}, {Path: filepath.Join(lead.Dir, "e.md")}}, Artifacts: []schemas.Artifact{{Path: "f.md"}},
	}})
	for _, path := range []string{"b.go", "e.md", "f.md"} {
		qa.write(path, "changed")
	}
	require.NoError(t, os.Remove(filepath.Join(qa.Dir, "d.go")))
	claim := does[schemas.ClaimOut](qa, schemas.ClaimIn{})
	require.Contains(t, claim.Brief, "\n- Sent from a tree with uncommitted changes: a.go, c.go, new/x.go: you may not see them\n")
	for _, brief := range []string{claim.Brief, does[schemas.GetOut](qa, schemas.GetIn{HandoffID: "1"}).Brief} {
		require.Regexp(t, "\nIn this checkout: changed since it was sent: a.go, b.go, e.md, f.md; gone: d.go$", brief)
	}
	qa.commit()
	for _, take := range []interface{ Tool() string }{ // the holder goes on after an answer, and the changes before it count
		schemas.GetIn{HandoffID: sent.HandoffID.String(), WaitSeconds: 1}, schemas.ClaimIn{},
	} {
		does[schemas.UpdateOut](qa, schemas.UpdateIn{HandoffID: sent.HandoffID.String(), Action: schemas.ActAsk, Questions: []string{"Which?"}})
		does[schemas.UpdateOut](lead, schemas.UpdateIn{HandoffID: sent.HandoffID.String(), Action: schemas.ActAnswer, Note: "All"})
		require.Contains(t, does[schemas.GetOut](qa, take).Brief, "lead: All")
	}
	does[schemas.UpdateOut](qa, schemas.UpdateIn{HandoffID: sent.HandoffID.String(), Action: schemas.ActProgress, Note: "half"})
	does[schemas.CompleteOut](qa, schemas.CompleteIn{HandoffID: sent.HandoffID.String(), Result: schemas.Result{
		Summary: "done", Deliverables: []schemas.Delivered{{FilesModified: []string{"b.go", "c.go"}}},
	}})
	told := does[schemas.HistoryOut](lead, schemas.HistoryIn{Format: "rows"}).Items[0]
	require.Len(t, told.Trees, 3)
	require.Regexp(t, `^sent in main@\w{10}, dirty$`, told.Trees[0])
	require.Regexp(t, `^claimed in qa@\w{10}, dirty$`, told.Trees[1])
	require.Regexp(t, `^completed in qa@\w{10}$`, told.Trees[2])
	require.Equal(t, []string{"git sees no change since the claim in c.go"}, told.Unseen)
	got := does[schemas.GetOut](lead, schemas.GetIn{HandoffID: sent.HandoffID.String(), View: "full"})
	require.Equal(t, []string{"b.go", "d.go", "e.md", "f.md"}, got.Completion.Tree.Changed)
	require.Equal(t, got.Handoff.Tree.Commit, got.Completion.Tree.Base)
	require.Len(t, got.Handoff.Context.Files[0].Digest, 16)
}

func TestInvoker_LimitsTimeOfGit(t *testing.T) {
	w := mailboxtest.New(t)
	lead := begun(t, w, "lead", "a.go")
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nexec sleep 600\n"), 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	lead.Patience = 0
	sent := does[schemas.SendOut](lead, schemas.SendIn{To: "qa", Task: "Do it"})
	got := does[schemas.GetOut](lead, schemas.GetIn{HandoffID: sent.HandoffID.String(), View: "full"})
	require.Equal(t, "main", got.Handoff.Tree.Branch)
	require.Equal(t, "git took longer than 5s", got.Handoff.Tree.Unknown)
}

// announcer announces each call before it passes the call on.
type announcer struct {
	tools.Invoker
	called chan bool
}

func (a announcer) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	a.called <- true
	return a.Invoker.Invoke(ctx, c)
}

// A claim that waited records the tree of the moment in which it got the work.
func TestInvoker_WaitingClaimRecordsTreeOfItsEnd(t *testing.T) {
	w := mailboxtest.New(t)
	lead := begun(t, w, "lead", "a.go")
	qa := newAgent(t, w, "qa", lead.Dir)
	qa.Patience = 0
	begun := announcer{qa.Invoker.Invoker, make(chan bool, 9)}
	qa.Invoker.Invoker = begun
	claimed := make(chan schemas.ClaimOut)
	go func() { claimed <- does[schemas.ClaimOut](qa, schemas.ClaimIn{WaitSeconds: 50}) }() //nolint:testifylint // without a claim the test ends at its time limit
	<-begun.called
	lead.write("before.go", "1")
	lead.commit()
	sent := does[schemas.SendOut](lead, schemas.SendIn{To: "qa", Task: "Do it"}).HandoffID.String()
	require.Equal(t, sent, (<-claimed).HandoffID.String())
	qa.write("after.go", "1")
	qa.commit()
	does[schemas.CompleteOut](qa, schemas.CompleteIn{HandoffID: sent, Result: schemas.Result{Summary: "done"}})
	got := does[schemas.GetOut](lead, schemas.GetIn{HandoffID: sent, View: "full"})
	require.Equal(t, got.Handoff.Tree.Commit, got.Standing.ClaimedIn.Commit)
	require.Equal(t, []string{"after.go"}, got.Completion.Tree.Changed)
}

// A claim does not wait until git has looked at all files. The overlap that git finds then comes as a notice, and the
// record says what it saw.
func TestInvoker_AddsFilesToClaimLater(t *testing.T) {
	w := mailboxtest.New(t)
	lead := begun(t, w, "lead", "a.go")
	for i, name := range []schemas.Agent{"dev", "qa"} {
		a := lead.apart(w, name)
		a.Patience = 0
		a.write("a.go", string(name))
		sent := does[schemas.SendOut](lead, schemas.SendIn{To: string(name), Task: "Do it"}).HandoffID.String()
		require.Empty(t, does[schemas.ClaimOut](a, schemas.ClaimIn{}).Overlaps)
		claimed := func() schemas.Tree {
			return *does[schemas.GetOut](lead, schemas.GetIn{HandoffID: sent, View: "full"}).Standing.ClaimedIn
		}
		require.NotEmpty(t, claimed().Base)
		require.Eventually(t, func() bool { return claimed().SeenAt != nil }, time.Minute, time.Millisecond)
		require.Equal(t, []string{"a.go"}, claimed().Uncommitted)
		notices := does[schemas.ListOut](a, schemas.ListIn{Box: "notices"}).Items
		require.Len(t, notices, i)
		if i > 0 {
			require.Contains(t, notices[0].Text, "ho_1 (dev, branch dev) is changing a.go")
		}
	}
}

// A holder that claims again, for example to read its brief, keeps the commit from which its changes count.
func TestInvoker_RepeatedClaimKeepsCommit(t *testing.T) {
	w := mailboxtest.New(t)
	dev := begun(t, w, "dev", "a.go")
	dev.Patience = 0
	sent := does[schemas.SendOut](dev, schemas.SendIn{To: "dev", Task: "Do it"}).HandoffID.String()
	claimed := func() schemas.Tree {
		return *does[schemas.GetOut](dev, schemas.GetIn{HandoffID: sent, View: "full"}).Standing.ClaimedIn
	}
	does[schemas.ClaimOut](dev, schemas.ClaimIn{HandoffID: sent})
	first := claimed().Commit
	dev.write("b.go", "1")
	dev.commit()
	dev.write("c.go", "1")
	does[schemas.ClaimOut](dev, schemas.ClaimIn{HandoffID: sent})
	require.Eventually(t, func() bool { return slices.Equal([]string{"c.go"}, claimed().Uncommitted) }, time.Minute, time.Millisecond)
	require.Equal(t, first, claimed().Commit)
}

// However many calls there are, git looks at a tree once at a time, and is asked once about commits.
func TestInvoker_SharesLooksAndFacts(t *testing.T) {
	w := mailboxtest.New(t)
	lead := begun(t, w, "lead", "a.go")
	real, err := exec.LookPath("git")
	require.NoError(t, err)
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"begin $*\" >>%[2]s\n%[1]s \"$@\"; code=$?\necho \"end $*\" >>%[2]s\nexit $code\n", real, log)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700))
	lead.Patience = 0
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			to := fmt.Sprint("agent-", i)
			sent := does[schemas.SendOut](lead, schemas.SendIn{To: to, Task: "Do it", Parent: "none"}).HandoffID.String()
			a := agent{t, lead.Invoker, schemas.Agent(to)}
			does[schemas.ClaimOut](a, schemas.ClaimIn{HandoffID: sent})
			does[schemas.CompleteOut](a, schemas.CompleteIn{HandoffID: sent, Result: schemas.Result{Summary: "done"}})
		})
	}
	all.Wait()
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	asked, looks, running := map[string]int{}, 0, 0
	for line := range strings.Lines(string(text)) {
		how, question, _ := strings.Cut(line, " ")
		switch look := strings.Contains(question, " status "); {
		case !strings.Contains(question, lead.Dir): // an earlier test's
		case look && how == "begin":
			looks, running = looks+1, running+1
			require.Equal(t, 1, running, "two looks at a time")
		case look:
			running--
		case how == "begin":
			asked[question]++
		}
	}
	require.Positive(t, looks)
	for question, times := range asked {
		require.Equal(t, 1, times, question)
	}
}

// Eight agents at a time change files of their own or the same ones, in commits or in none, report or not, and complete
// one after the other. HANDOFF_OVERLAPS is how many sets of changes there are, of 5,000 files.
func TestInvoker_OverlapIsReportedBeforeSecondIsDone(t *testing.T) {
	sandbox.SkipUnlessProofs(t)
	sets, many := 32, 400
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_OVERLAPS")); err == nil {
		sets, many = n, 5000
	}
	var files []string
	for i := range many {
		files = append(files, fmt.Sprintf("module-%d/file-%d.go", i%50, i))
	}
	w := mailboxtest.New(t)
	lead := begun(t, w, "lead", files...)
	agents := make([]agent, 8)
	for i := range agents {
		agents[i] = lead.apart(w, schemas.Agent(fmt.Sprint("agent-", i)))
	}
	random := rand.New(rand.NewPCG(1, 2))
	var overlapping, disjoint int
	for range sets / len(agents) {
		changes, held := make([][]string, len(agents)), make([]schemas.ID, len(agents))
		told := map[[2]schemas.ID]int{} // number of files, by reader and subject
		hear := func(who schemas.ID, texts []string) {
			for _, text := range texts {
				about, rest, _ := strings.Cut(text, " ")
				if id, ok := schemas.ParseID(about); ok { // else it warns of something else
					told[[2]schemas.ID{who, id}] += strings.Count(rest, ".go")
				}
			}
		}
		for i, a := range agents {
			for range 1 + random.IntN(5) {
				changes[i] = append(changes[i], files[random.IntN(20)*many/20+random.IntN(2)*i])
			}
			slices.Sort(changes[i])
			changes[i] = slices.Compact(changes[i])
			held[i] = does[schemas.SendOut](lead, schemas.SendIn{To: string(a.name), Task: "Do it", Parent: "none"}).HandoffID
			hear(held[i], does[schemas.ClaimOut](a, schemas.ClaimIn{}).Overlaps)
		}
		done := map[int]bool{}
		for _, i := range random.Perm(len(agents)) {
			a := agents[i]
			for n, file := range changes[i] {
				if a.write(file, fmt.Sprint(held[i], n)); random.IntN(3) == 0 {
					a.commit()
				}
			}
			if random.IntN(2) == 0 {
				hear(held[i], does[schemas.UpdateOut](a, schemas.UpdateIn{HandoffID: held[i].String(), Action: schemas.ActProgress}).Warnings)
			}
			hear(held[i], does[schemas.CompleteOut](a, schemas.CompleteIn{HandoffID: held[i].String(), Result: schemas.Result{Summary: "done"}}).Warnings)
			done[i] = true
			for j := range agents {
				if i == j || !done[j] {
					continue
				}
				both := slices.DeleteFunc(slices.Clone(changes[i]), func(f string) bool { return !slices.Contains(changes[j], f) })
				pair := told[[2]schemas.ID{held[i], held[j]}] + told[[2]schemas.ID{held[j], held[i]}]
				require.Equal(t, len(both), pair, "%v and %v", changes[i], changes[j])
				if len(both) > 0 {
					overlapping++
				} else {
					disjoint++
				}
			}
		}
		for _, a := range agents {
			a.git("reset", "-q", "--hard", "main")
		}
	}
	t.Logf("%d sets of changes: %d pairs overlap and were told, %d are disjoint and were not", sets, overlapping, disjoint)
}
