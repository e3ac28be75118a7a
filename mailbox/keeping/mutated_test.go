package keeping_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/ledger"
	"handoff/store/memory"
	"handoff/store/travel"
)

// For any file with valid hashes, the import refuses it with its line, or every command works as before.
// HANDOFF_MUTATED sets the number of files.
func TestImport_RefusesOrHandlesMutatedFiles(t *testing.T) {
	n := sandbox.Repetitions(50)
	if more, err := strconv.Atoi(os.Getenv("HANDOFF_MUTATED")); err == nil {
		n = more
	}
	var files []string
	for seed := range uint64(4) {
		w := mailboxtest.New(t)
		fillWorkspace(w, seed)
		files = append(files, exportText(t, w.Store))
		_, _, err := examineExport(recomputeHashes(readLines(t, files[seed])))
		require.NoError(t, err, "as it is")
	}
	refused, slowest := 0, timedCommand{}
	for seed := range n {
		m := mutation{rand.New(rand.NewPCG(uint64(seed), 1)), readLines(t, files[seed%len(files)])}
		did := m.mutate()
		mutated := recomputeHashes(m.lines)
		if _, _, err := examineExport(mutated); err != nil {
			require.Regexp(t, `line \d+: `, err, "%d: %s", seed, did)
			refused++
			continue
		}
		t.Run(fmt.Sprint(seed, did), func(t *testing.T) { runEveryCommand(importInto(t, mutated, memory.New()), &slowest) })
	}
	t.Logf("%d files: %d refused, %d as before; the slowest command was %s", n, refused, n-refused, slowest)
}

func TestImport_RefusesInvalidRows(t *testing.T) {
	w := mailboxtest.New(t)
	w.Sends(w.Stdio("a"), "b", "one")
	w.Claims(w.Stdio("b"))
	w.Completes(w.Stdio("b"), 1)
	file := exportText(t, w.Store)
	for want, c := range map[string]struct {
		kind, field string
		value       any
	}{
		": parent: ho_1 is not there, or not older than ho_1": {"record", "parent", "ho_1"},
		": succ: ho_9 is not there":                           {"record", "succ", "ho_9"},
		": rv: \"ho_281474976710656\" is out of bounds":       {"record", "rv", "ho_281474976710656"},
		": owes: nobody knows how to rm":                      {"record", "owes", []any{map[string]any{"do": "rm"}}},
		": owes: 21 are too many":                             {"record", "owes", slices.Repeat([]any{map[string]any{"do": "tell the senders of those that wait for it"}}, 21)},
		": from: the record of ho_1 differs from the sent":    {"record", "rule", "x\n\nThe mailboxtest.Human allowed everything"},
		": box: ho_1 is not for human":                        {"record", "box", "human"},
		": created: ":                                         {"record", "created", 253402300799999},
		": depth: 7 is not one more":                          {"record", "depth", 7},
		": notice_id: \"no_9223372036854775807\" is out of":   {"notice", "notice_id", "no_9223372036854775807"},
		": handoff_id: there is no ho_9":                      {"notice", "handoff_id", "ho_9"},
		": at: ":                                              {"event", "at", "9999-12-31T23:59:59-11:00"},
		": owner: ":                                           {"workflow", "owner", "a b"},
	} {
		all := readLines(t, file)
		for _, line := range all {
			if row, is := line[c.kind].(map[string]any); is {
				row[c.field] = c.value
			}
		}
		_, _, err := examineExport(recomputeHashes(all))
		require.ErrorContains(t, err, want, want)
		require.Regexp(t, `^line \d+: `, err)
	}
}

// Rows of a damaged store may form a circle.
func TestCommands_SucceedWithCircularParents(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	id := w.Sends(a, "b", "one").HandoffID
	w.Updates(mailboxtest.Human, id, schemas.ActCancel)
	open := w.Sends(a, "b", "two", func(in *schemas.SendIn) { in.Parent = id.String() }).HandoffID
	for of, parent := range map[schemas.ID]schemas.ID{id: open, open: id} {
		require.NoError(t, w.Store.Update(t.Context(), func(tx *store.Tx) error {
			was, err := tx.Record(of)
			require.NoError(t, err)
			now := was.Clone()
			now.Parent, now.RetryOf, now.Successor = parent, parent, parent
			_, err = tx.WriteChange(was, &now, schemas.Event{At: w.Now(), Action: "damaged", To: now.Status}, store.Content{})
			return err
		}))
	}
	runEveryCommand(w, &timedCommand{})
}

// timedCommand is the slowest command.
type timedCommand struct {
	what string
	time.Duration
}

// runEveryCommand runs each command on some handoffs. It fails if a command does not return, or returns internal.
func runEveryCommand(w *mailboxtest.World, slowest *timedCommand) {
	ctx, b := context.Background(), w.Stdio("fresh")
	w.DeclareRules([]schemas.Route{{Name: "r", On: []string{"failed", "completed"}, When: `root.task == "never"`, Send: []schemas.SendIn{mailboxtest.RuleSend("human", "x")}}})
	do := func(what string, call func() (any, error)) {
		w.T.Helper()
		began, ended := time.Now(), make(chan error, 1)
		go func() {
			out, err := call()
			_, wrong := json.Marshal(out)
			ended <- cmp.Or(err, wrong)
		}()
		select {
		case err := <-ended:
			require.True(w.T, err == nil || schemas.AsError(err).Code != schemas.Internal, "%s: %v", what, err)
		case <-time.After(2 * time.Minute):
			require.Fail(w.T, "does not return", what)
		}
		if d := time.Since(began); d > slowest.Duration {
			*slowest = timedCommand{what, d}
		}
	}
	all := func() {
		for _, box := range []string{"all", "notices", "inbox", "sent"} {
			for _, by := range []schemas.Agent{"qa", "human", "architect"} {
				do("list "+box, func() (any, error) {
					return w.List(ctx, schemas.Caller{Agent: by, Via: schemas.ViaCLI}, schemas.ListIn{Box: box, Limit: 50})
				})
			}
		}
		do("where", func() (any, error) { return w.Stats(ctx, mailboxtest.Human, schemas.StatsIn{}) })
		do("status", func() (any, error) { return w.Overview(ctx, mailboxtest.Human, schemas.OverviewIn{}) })
		do("compact --dry-run", func() (any, error) {
			return w.Retain(ctx, mailboxtest.Human, schemas.RetainIn{Before: w.Now(), DryRun: true})
		})
		do("export", func() (any, error) {
			return travel.Export(ctx, w.Store, schemas.ExportHeading{Workspace: "w"}, io.Discard)
		})
		do("backup", func() (any, error) { return audit.VerifyStore(ctx, w.Store) })
		do("check", func() (any, error) {
			out, err := audit.ExamineStore(ctx, w.Store, reading.SearchWords)
			require.Empty(w.T, out.Faults)
			return out, err
		})
	}
	all()
	list, err := w.List(ctx, mailboxtest.Human, schemas.ListIn{Box: "all", Limit: 200})
	require.NoError(w.T, err)
	for i, item := range list.Items {
		id := item.HandoffID.String()
		for view := range strings.FieldsSeq("brief full outcome events audit checkpoint") {
			do("show "+view, func() (any, error) {
				return w.Get(ctx, mailboxtest.Human, schemas.GetIn{HandoffID: id, View: schemas.View(view)})
			})
		}
		do("history", func() (any, error) {
			return w.History(ctx, mailboxtest.Human, schemas.HistoryIn{HandoffID: id, Format: []string{"tree", "rows", "mermaid", "markdown"}[i%4]})
		})
		do("send", func() (any, error) { return w.Send(ctx, b, schemas.SendIn{To: "fresh", Task: "go on", Parent: id}) })
		do("send --after", func() (any, error) {
			return w.Send(ctx, b, schemas.SendIn{To: "fresh", Task: "after", Parent: "none", Options: &schemas.SendOptions{After: []string{id}}})
		})
		for _, a := range []schemas.Action{schemas.ActAmend, schemas.ActRetry, schemas.ActReturn, schemas.ActApprove, schemas.ActAccept, schemas.ActAnswer} {
			do(string(a), func() (any, error) {
				return w.TryUpdate(mailboxtest.Human, item.HandoffID, a, func(in *schemas.UpdateIn) { in.Note = "because" })
			})
		}
		do("claim", func() (any, error) { return w.Claim(ctx, mailboxtest.Human, schemas.ClaimIn{HandoffID: id}) })
		if i%2 == 0 {
			do("fail", func() (any, error) {
				return w.Fail(ctx, mailboxtest.Human, schemas.FailIn{HandoffID: id, FailureDetail: mailboxtest.FailureBecause("no")})
			})
		}
		do("complete", func() (any, error) {
			return w.Complete(ctx, mailboxtest.Human, schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "done"}})
		})
	}
	w.Pass(30 * 24 * time.Hour)
	all()
	do("claim next", func() (any, error) { return w.Claim(ctx, b, schemas.ClaimIn{}) })
	do("compact", func() (any, error) { return w.Retain(ctx, mailboxtest.Human, schemas.RetainIn{Before: w.Now()}) })
	all()
}

// A mutation changes an exported workspace at random.
type mutation struct {
	*rand.Rand
	lines []map[string]any
}

func readLines(t testing.TB, file string) (all []map[string]any) {
	for d := json.NewDecoder(strings.NewReader(file)); d.More(); {
		var line map[string]any
		d.UseNumber()
		require.NoError(t, d.Decode(&line))
		all = append(all, line)
	}
	return all
}

// mutate makes one to three changes and returns their description.
func (m *mutation) mutate() (did string) {
	for range 1 + m.IntN(3) {
		i := m.pickLine()
		line := m.lines[i]
		did += fmt.Sprint(" ", line["kind"], i)
		row, _ := line[fmt.Sprint(line["kind"])].(map[string]any)
		switch n := m.IntN(20); {
		case n == 0:
			m.lines = slices.Delete(m.lines, i, i+1)
		case n == 1:
			m.lines = slices.Insert(m.lines, i, maps.Clone(line))
		case n == 2:
			k := m.pickLine()
			m.lines[i], m.lines[k] = m.lines[k], line
		case line["kind"] == "handoff" && n < 16:
			f := reflect.TypeFor[store.Record]().Field(m.IntN(reflect.TypeFor[store.Record]().NumField()))
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			did += m.changeValue(line["record"], name)
		case row != nil:
			did += m.changeField(row)
		default:
			did += m.changeField(line)
		}
	}
	return did
}

// pickLine picks a line of any kind; handoffs are the most frequent.
func (m *mutation) pickLine() int {
	kinds := map[string][]int{}
	for i, line := range m.lines[1:] {
		kinds[fmt.Sprint(line["kind"])] = append(kinds[fmt.Sprint(line["kind"])], i+1)
	}
	often := strings.Fields("handoff handoff handoff handoff handoff event event event notice notice workflow agent key content")
	if of := kinds[often[m.IntN(len(often))]]; len(of) > 0 {
		return of[m.IntN(len(of))]
	}
	return 1 + m.IntN(len(m.lines)-1)
}

// changeField changes a field at any depth.
func (m *mutation) changeField(of map[string]any) string {
	if len(of) == 0 {
		return m.changeValue(of, "x")
	}
	name := slices.Sorted(maps.Keys(of))[m.IntN(len(of))]
	if below, is := of[name].(map[string]any); is && m.IntN(5) > 0 {
		return "." + name + m.changeField(below)
	}
	return m.changeValue(of, name)
}

// changeValue gives a field another value: one of its kind, one from another line, or one of any kind.
func (m *mutation) changeValue(of any, name string) string {
	row, is := of.(map[string]any)
	if !is {
		return ""
	}
	some := func() string { return fmt.Sprint("ho_", 1+m.IntN(60)) }
	ids := []any{some(), some(), some(), some(), "ho_1", "ho_281474976710656", "ho_9223372036854775807", "no_9223372036854775807", ""}
	lists := []any{
		[]any{},
		[]any{some(), some()},
		[]any{1, 1 << 40},
		[]any{map[string]any{"do": "rm"}},
		[]any{map[string]any{"do": "send its result to its reviewer"}},
		[]any{map[string]any{"do": "cancel the parts that its holder sent and nobody claimed"}},
	}
	numbers := []any{
		0, 1, 2, 3, 5, 8, 40, -1, 1 << 31, 1 << 40, 1 << 53, int64(1)<<62 + 1, 1768167000000, 1768267000000, 1798167000000, int64(253402300799999),
		json.Number("1e308"), json.Number("18446744073709551615"),
	}
	texts := []any{
		"", "human", "system", "qa", "architect", "a b\u202e", strings.Repeat("x", 70_000), "9999-12-31T23:59:59-11:00", "0001-01-01T00:00:00Z", "2026-01-12T00:00:00Z",
		"completed", "pending", "returned", "accepted", "failed", "success", "partial", "low", "role:qa", "wf_1", "wf_new",
	}
	values := slices.Concat(ids, lists, numbers, texts, []any{nil, true, false, map[string]any{}})
	other, _ := m.lines[m.pickLine()]["record"].(map[string]any)
	switch had, n := row[name], m.IntN(10); {
	case n == 0:
	case n < 3 && other[name] != nil:
		values = []any{other[name]}
	case strings.HasPrefix(fmt.Sprint(had), "ho_") || strings.HasPrefix(fmt.Sprint(had), "no_"):
		values = ids
	case had == nil:
		if f, is := recordField(name); is {
			values = map[reflect.Kind][]any{reflect.Uint64: append(ids, numbers[:6]...), reflect.Int64: numbers, reflect.Int: numbers, reflect.Slice: lists, reflect.Bool: {true}, reflect.String: texts}[f]
		}
	case reflect.TypeOf(had) == reflect.TypeFor[json.Number]():
		values = numbers
	case reflect.TypeOf(had).Kind() == reflect.String:
		values = texts
	case reflect.TypeOf(had).Kind() == reflect.Slice:
		values = lists
	}
	row[name] = values[m.IntN(len(values))]
	return fmt.Sprintf(".%s=%.60v", name, row[name])
}

func recordField(json string) (reflect.Kind, bool) {
	for f := range reflect.TypeFor[store.Record]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == json && f.IsExported() {
			return f.Type.Kind(), true
		}
	}
	return 0, false
}

// recomputeHashes computes all hashes of an exported workspace anew.
func recomputeHashes(lines []map[string]any) string {
	encode := func(v any) []byte { b, _ := schemas.Encode(v); return b }
	sum := func(parts ...[]byte) string {
		s := sha256.Sum256(bytes.Join(parts, nil))
		return base64.RawURLEncoding.EncodeToString(s[:])
	}
	type link struct {
		event map[string]any
		prev  string
	}
	last, newest, walk, counts := map[string]link{}, map[string]map[string]any{}, ledger.TreeWalk{}, map[string]int{}
	for _, line := range lines[1:] {
		counts[fmt.Sprint(line["kind"])]++
		if e, is := line["event"].(map[string]any); is && e["state"] != nil {
			newest[fmt.Sprint(e["handoff_id"])] = e
		} else if r, is := line["record"].(map[string]any); is {
			if of := newest[fmt.Sprint(r["id"])]; of != nil {
				r["ev"], of["to"] = of["n"], r["st"]
				of["state"] = sum(encode(r))
			}
		}
	}
	for _, line := range lines[1:] {
		e, is := line["event"].(map[string]any)
		if !is {
			continue
		}
		if content, is := line["content"]; is && e["said"] != nil && line["salt"] != nil {
			salt, _ := base64.StdEncoding.DecodeString(fmt.Sprint(line["salt"]))
			e["said"], e["bytes"] = sum(salt, encode(content)), len(encode(content))
		}
		of := fmt.Sprint(e["handoff_id"])
		if before := last[of]; before.event != nil && e["before"] != nil {
			e["before"], e["prev"] = before.event["n"], before.prev
		}
		raw := encode(e)
		line["leaf"] = ledger.LeafHash(raw)
		last[of] = link{e, sum(raw)}
		walk.Add(raw)
	}
	lines[0]["root"], lines[0]["events"], lines[0]["lines"] = walk.Root(), counts["event"], counts
	var file strings.Builder
	for _, line := range lines {
		file.Write(append(encode(line), '\n'))
	}
	return file.String()
}
