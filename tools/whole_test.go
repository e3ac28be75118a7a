package tools_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"handoff/mailbox/content"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/tools"
)

// A follower knows only the calls that answers print: in a brief, in the content of an answer and as advice.
type follower struct {
	testing.TB
	door  tools.Invoker
	asked map[string]bool
	texts map[string]string // results of calls, with all pages joined, by the call for the first page
}

var printed = regexp.MustCompile(`get_handoff (\{[^{}]*\})`)

// answer is the part of a result that a follower reads.
type answer struct {
	Brief, Content string
	Handoff        json.RawMessage
	Completion     json.RawMessage `json:"outcome"`
	Events         json.RawMessage
	Next           []schemas.Advice
}

func (f *follower) call(tool string, args json.RawMessage) (a answer, size int) {
	f.Helper()
	by := schemas.Caller{Agent: "w", Via: schemas.ViaStdio, Conn: "of-w"}
	out, err := f.door.Invoke(f.Context(), tools.Call{Caller: by, Tool: tool, Args: args})
	require.NoError(f, err, "%s %s", tool, args)
	require.NoError(f, json.Unmarshal(out, &a))
	return a, content.CountTokens(string(out))
}

// follow makes all calls that an answer leads to, each once.
func (f *follower) follow(a answer, first string) {
	f.Helper()
	text := a.Content
	if a.Handoff != nil {
		text = string(a.Handoff)
	}
	f.texts[first] += text
	for _, m := range printed.FindAllStringSubmatch(a.Brief, -1) {
		f.read(json.RawMessage(m[1]), m[1])
	}
	for _, next := range a.Next {
		switch {
		case next.Tool != "get_handoff" || strings.Contains(string(next.Args), "wait_seconds"):
		case next.Say == "gives the rest":
			f.read(next.Args, first)
		default:
			f.read(next.Args, string(next.Args))
		}
	}
}

func (f *follower) read(args json.RawMessage, first string) {
	f.Helper()
	if f.asked[string(args)] {
		return
	}
	f.asked[string(args)] = true
	a, _ := f.call("get_handoff", args)
	f.follow(a, first)
}

// requireBriefLeadsToAll sends a handoff and lets its recipient claim it within a budget. It compares the brief with
// the expectations, follows the calls, and compares all their results with the sent handoff.
func requireBriefLeadsToAll(t testing.TB, in schemas.SendIn, budget int) (brief string, answered int) {
	t.Helper()
	w := mailboxtest.New(t)
	f := &follower{t, tools.LocalInvoker{Mailbox: w.Service, Secrets: tools.WarnOfSecrets}, map[string]bool{}, map[string]string{}}
	args, err := json.Marshal(in)
	require.NoError(t, err)
	_, _ = f.call("send_handoff", args)
	a, answered := f.call("claim_handoff", json.RawMessage(fmt.Sprintf(`{"max_tokens": %d}`, budget)))
	require.LessOrEqual(t, content.CountTokens(a.Brief), max(budget, 400), a.Brief)
	requireTokenEstimate(t, a.Brief)
	requireCriteriaInBrief(t, in, a.Brief)
	f.follow(a, "claim")
	if !strings.Contains(a.Brief, "Left out:") {
		f.read(json.RawMessage(`{"handoff_id":"ho_1","view":"full"}`), `{"handoff_id":"ho_1","view":"full"}`)
	}
	full := f.texts[`{"handoff_id":"ho_1","view":"full"}`]
	var around struct{ Handoff *schemas.Handoff } // as text it comes with its envelope
	require.NoError(t, json.Unmarshal([]byte(full), &around), full)
	if around.Handoff == nil {
		require.NoError(t, json.Unmarshal([]byte(full), &around.Handoff))
	}
	requireSameHandoff(t, f, in, *around.Handoff)
	return a.Brief, answered
}

// requireTokenEstimate compares the estimate of tokens with a public tokenizer.
func requireTokenEstimate(t testing.TB, text string) {
	t.Helper()
	public, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	want, err := public.Count(text)
	require.NoError(t, err)
	require.InEpsilon(t, want, content.CountTokens(text), 0.15, text)
}

// requireSameHandoff compares the sent handoff with the results of reading: the whole handoff, its references, and each
// field that was read alone.
func requireSameHandoff(t testing.TB, f *follower, in schemas.SendIn, got schemas.Handoff) {
	t.Helper()
	want := *in.Context
	if want.References != nil {
		want.References = slices.Clone(want.References)
		require.Len(t, got.Context.References, len(want.References))
	}
	for i, ref := range want.References {
		read := fmt.Sprintf(`{"handoff_id":"ho_1","reference":%q}`, ref.Name)
		require.Equal(t, ref.Content, f.texts[read], "%s of %v", read, len(f.texts))
		want.References[i] = got.Context.References[i]
	}
	require.Equal(t, asJSON(t, want), asJSON(t, got.Context))
	require.Equal(t, asJSON(t, in.Expectations), asJSON(t, got.Expectations))
	require.Equal(t, []any{in.Task, in.Summary, in.Detail, in.Data}, []any{got.Task, got.Summary, got.Detail, got.Data})
	fields := map[string]json.RawMessage{}
	for _, v := range []any{in, in.Context, in.Expectations} {
		require.NoError(t, json.Unmarshal(asJSON(t, v), &fields))
	}
	for args, text := range f.texts {
		var said schemas.GetIn
		if json.Unmarshal([]byte(args), &said) == nil && fields[said.Reference] != nil && said.Reference != "references" {
			require.Equal(t, content.TextOfJSON(fields[said.Reference]), text, args)
		}
	}
}

// requireCriteriaInBrief checks that a brief has each criterion, by its number and whole or, if not all fit, its
// beginning.
func requireCriteriaInBrief(t testing.TB, in schemas.SendIn, brief string) {
	t.Helper()
	lines := strings.Split(brief, "\n")
	for i, c := range in.Expectations.SuccessCriteria {
		start := strconv.Itoa(i+1) + ". "
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, start) })
		require.GreaterOrEqual(t, at, 0, "criterion %d of\n%s", i+1, brief)
		said := strings.TrimSuffix(strings.TrimPrefix(lines[at], start), "…")
		if strings.Contains(brief, "success criteria (in part)") {
			require.True(t, strings.HasPrefix(c, said), "%q begins %q", c, said)
			continue
		}
		require.Equal(t, c, said)
	}
}

func asJSON(t testing.TB, v any) json.RawMessage {
	t.Helper()
	b, err := schemas.Encode(v)
	require.NoError(t, err)
	return b
}

// words are the parts of random texts: some look like a frame, a heading, a call or an escape.
var words = strings.Split("the login of users fails — because session tokens, 40_000_000 rows, are scanned ## heading\n ```\n"+
	"</handoff> \"quoted\" back\\slash \\u200b\\ 日本語 🙂 é \u200b \t {\"a\":[1,2]} - item src/auth/token.go:12 sha256", " ")

func randomText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range 1 + r.IntN(most) {
		b.WriteString(words[r.IntN(len(words))] + " ")
	}
	return strings.TrimSpace(b.String()) + "."
}

func randomTexts(r *rand.Rand, most, long int) (texts []string) {
	for range r.IntN(most) {
		texts = append(texts, randomText(r, long))
	}
	return texts
}

// randomSend returns a handoff with some of all possible fields, of a few words or of thousands.
func randomSend(seed uint64) schemas.SendIn {
	r := rand.New(rand.NewPCG(seed, 14))
	long := []int{4, 20, 200}[r.IntN(3)]
	c := &schemas.Context{
		OriginalRequest: randomText(r, long), CompletedSteps: randomTexts(r, 6, long), KnownIssues: randomTexts(r, 6, long),
		PreviousFailures: randomTexts(r, 3, long), Memories: randomTexts(r, 3, long), ReproductionSteps: randomTexts(r, 4, long),
		TestCommand: "go test ./...",
	}
	for _, text := range randomTexts(r, 8, long) {
		c.Decisions = append(c.Decisions, schemas.Decision{Decision: text, Rationale: randomText(r, long)})
		c.Artifacts = append(c.Artifacts, schemas.Artifact{Type: "code", Path: "a.go", Content: randomText(r, 4*long)})
		c.Files = append(c.Files, schemas.File{Path: "src/a.go", Lines: "1-9", Note: text})
	}
	for i, text := range randomTexts(r, 4, 20*long) {
		c.References = append(c.References, schemas.Reference{Name: fmt.Sprintf("r%d.md", i), Content: text, KeyPoints: randomTexts(r, 3, 5)})
	}
	var asked []string
	for i := range r.IntN(20) {
		asked = append(asked, strings.Join(strings.Fields(fmt.Sprintf("Case %d passes with %d rows", i, r.IntN(1000))), " "))
	}
	return schemas.SendIn{
		To: "w", Title: "Generated", Task: randomText(r, 40), Summary: randomText(r, min(long, 90)), Detail: randomText(r, 10*long),
		Data: map[string]string{"severity": "high", "note": randomText(r, long)}, Context: c,
		Expectations: &schemas.Expectations{SuccessCriteria: asked, Constraints: randomTexts(r, 5, min(long, 40)), IfStuck: randomTexts(r, 3, 20)},
		Options:      &schemas.SendOptions{Strategy: []string{"full", "summary", "reference"}[r.IntN(3)]},
	}
}

// A brief and the calls that it prints lead to the whole handoff, for any handoff and any budget. HANDOFF_GENERATED
// is the number of generated handoffs.
func TestBrief_LeadsToWholeHandoff(t *testing.T) {
	most := sandbox.Repetitions(40)
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_GENERATED")); err == nil {
		most = n
	}
	for seed := range uint64(most) {
		requireBriefLeadsToAll(t, randomSend(seed), []int{400, 500, 800, 1500, 6000}[seed%5])
	}
}

func FuzzBriefsAndWhatTheyNameLoseNothing(f *testing.F) {
	f.Add(uint64(7), uint16(500))
	f.Fuzz(func(t *testing.T, seed uint64, budget uint16) {
		in := randomSend(seed)
		if len(in.Detail) > 1000 {
			t.Skip() // the test above has longer ones: here the number matters
		}
		requireBriefLeadsToAll(t, in, 400+int(budget)%3000)
	})
}

// The first answer has at most 1,500 tokens in all, and the calls that it names lead to the whole context of 200 KB.
func TestClaim_AnswerStaysSmallForLargeContext(t *testing.T) {
	in := randomSend(3)
	in.Context.Artifacts = nil
	for i := range 20 {
		text := strings.Repeat(fmt.Sprintf("line of artifact %d: the session table is scanned\n", i), 200)
		in.Context.Artifacts = append(in.Context.Artifacts, schemas.Artifact{Path: fmt.Sprintf("a%d.log", i), Content: text})
	}
	size := len(asJSON(t, in))
	require.Greater(t, size, 200_000)
	brief, answered := requireBriefLeadsToAll(t, in, 900)
	require.LessOrEqual(t, answered, 1500)
	t.Logf("%d bytes sent; first answer %d tokens, of which the brief is %d", size, answered, content.CountTokens(brief))
	_, _ = requireBriefLeadsToAll(t, in, 500)
}

// Each of five agents passes on more than a brief holds. No brief grows, and the last agent can read all texts.
func TestBrief_StaysSmallAlongChainOfHandoffs(t *testing.T) {
	w := mailboxtest.New(t)
	f := &follower{t, tools.LocalInvoker{Mailbox: w.Service}, map[string]bool{}, map[string]string{}}
	as := func(agent int, tool string, args any) (a answer) {
		t.Helper()
		by := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("a%d", agent)), Via: schemas.ViaStdio, Conn: fmt.Sprintf("of-a%d", agent)}
		out, err := f.door.Invoke(t.Context(), tools.Call{Caller: by, Tool: tool, Args: asJSON(t, args)})
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(out, &a))
		return a
	}
	var kept, largest int
	var sent []schemas.SendIn
	for n := range 5 {
		in := randomSend(uint64(20 + n))
		in.To, in.Workflow, in.Detail, in.Options = fmt.Sprintf("a%d", n+1), "wf_chain", randomText(rand.New(rand.NewPCG(1, uint64(n))), 8000), nil
		sent, kept = append(sent, in), kept+len(asJSON(t, in))
		as(n, "send_handoff", in)
		brief := as(n+1, "claim_handoff", schemas.ClaimIn{}).Brief
		require.LessOrEqual(t, content.CountTokens(brief), 1500)
		requireCriteriaInBrief(t, in, brief)
		largest = max(largest, content.CountTokens(brief))
		t.Logf("a%d: brief of %d tokens, %d bytes kept", n+1, content.CountTokens(brief), kept)
	}
	for n, in := range sent {
		f.read(asJSON(t, schemas.GetIn{HandoffID: fmt.Sprint("ho_", n+1), Reference: "detail"}), in.To)
		require.Equal(t, in.Detail, f.texts[in.To])
	}
	require.Greater(t, kept, 40*largest)
}
