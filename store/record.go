package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"handoff/schemas"
)

// Record is the state of a handoff, and the only thing about it that changes. It has some hundred bytes, and more with
// many tags. Body, Result, Note, Ask, Checkpoint and Late are numbers of events: [View.RawContent] reads their content. A
// record is written by [Tx.Change] only. Its names in JSON are on disk and never change once released.
//
// The zero value of most fields means that there is none: no holder, no lease, no deadline. A field is left out of the
// JSON when it is zero, so a new field costs old records nothing and needs no upgrade. Fields that depend on each
// other, such as Holder, Lease and Token, are set together by package mailbox; this package stores what it is given and
// derives index rows and counters from it.
//
// Schema is the version of the messages with which the record was written, and at least that of this program after each
// change. Times are milliseconds. Sizes and numbers of rows are not limited here but by [schemas.Limits] above, which
// is why a record stays near 1 KB.
type Record struct {
	Schema   int              `json:"v"`
	ID       schemas.ID       `json:"id"`
	Workflow schemas.Workflow `json:"wf"`
	From     schemas.Agent    `json:"from"`
	Rule     string           `json:"rule,omitempty"` // of a file that sent it, as [schemas.SentBy] names it
	Step     bool             `json:"step,omitempty"` // it is a step of a workflow of a file; versions before do not say so
	To       schemas.Address  `json:"to"`
	Type     string           `json:"type,omitempty"`
	Title    string           `json:"title"`
	Tags     []string         `json:"tags,omitempty"`
	Priority schemas.Priority `json:"prio"`
	Status   schemas.Status   `json:"st"`
	Outcome  schemas.Outcome  `json:"out,omitempty"`

	// Box is the mailbox from which the handoff may be claimed: an agent, capability:x, role:y or human. Routing,
	// reservation and approval set this one field. It is empty while nobody may claim the handoff.
	Box schemas.Address `json:"box,omitempty"`

	// Wakes is the next time at which the clock changes the handoff: the end of a lease, of a reservation or of a
	// delay, the deadline, or at once for what it owes. Zero when time does nothing.
	Wakes Time `json:"wakes,omitempty"`

	Created     Time `json:"created"`
	NotBefore   Time `json:"nbf,omitempty"`
	Deadline    Time `json:"dl,omitempty"`
	Claimed     Time `json:"claimed,omitempty"` // first claim
	Touched     Time `json:"touched,omitempty"` // last call of the holder
	Lease       Time `json:"lease,omitempty"`   // end of the claim; zero: no lease runs
	Reserved    Time `json:"rsv,omitempty"`     // until then Box is one agent only
	UnclaimedAt Time `json:"unt,omitempty"`     // when NoTakers applies
	SilentAt    Time `json:"quiet,omitempty"`   // when the sender is told that the holder is silent; zero: it was told
	Ended       Time `json:"ended,omitempty"`
	Accepted    Time `json:"acc,omitempty"` // when the sender accepted the result
	Counted     bool `json:"cnt,omitempty"` // it counted as done once, whatever became of it since
	Dismissed   Time `json:"dis,omitempty"` // when somebody said of a bad end that nobody is to go on

	Parent    schemas.ID `json:"parent,omitempty"`
	Forwarded schemas.ID `json:"fwd,omitempty"` // the handoff that its completion sent on
	RetryOf   schemas.ID `json:"retry,omitempty"`
	Successor schemas.ID `json:"succ,omitempty"`   // the handoff that took its place
	Rollback  schemas.ID `json:"back,omitempty"`   // the handoff that sent it back, if one was made
	ReworkOf  schemas.ID `json:"rework,omitempty"` // the first handoff of the work that it does again
	Round     int        `json:"round,omitempty"`  // of that work: the first handoff was round 1 and has none
	Depth     int        `json:"depth"`
	MaxDepth  int        `json:"maxdepth,omitempty"`

	Holder      schemas.Agent `json:"holder,omitempty"` // who holds it, or held it last
	HolderID    string        `json:"hid,omitempty"`
	Conn        string        `json:"conn,omitempty"`
	Left        bool          `json:"left,omitempty"` // the connection is known to be gone
	Via         schemas.Via   `json:"via,omitempty"`
	Token       string        `json:"token,omitempty"`  // of the last claim
	Voided      []string      `json:"voided,omitempty"` // tokens of claims before the last, newest first
	Claims      int           `json:"claims,omitempty"` // number of claims so far: the fencing number
	Attempt     int           `json:"att,omitempty"`
	Uncharged   bool          `json:"free,omitempty"` // the next claim is no new attempt
	MaxAttempts int           `json:"maxatt"`
	Estimate    int           `json:"est,omitempty"` // estimated duration, minutes
	Percent     int           `json:"pct,omitempty"`

	NeedsApproval bool            `json:"appr,omitempty"`
	NoTakers      string          `json:"nt,omitempty"`       // what is to be done when nobody claims it; empty when that was done
	Permission    bool            `json:"perm,omitempty"`     // the open question asks for a permission
	After         []schemas.ID    `json:"after,omitempty"`    // what it waits for
	Freed         []schemas.ID    `json:"freed,omitempty"`    // what it waited for, and what came of that was good
	AfterAccepted []schemas.ID    `json:"afteracc,omitempty"` // those of both whose result has to be accepted
	Excluded      []schemas.Agent `json:"excl,omitempty"`
	Told          []schemas.Agent `json:"told,omitempty"` // who of the pool were told of it first, one after the other
	Asker         schemas.Agent   `json:"asker,omitempty"`
	OnFailure     schemas.Agent   `json:"onfail,omitempty"`
	Promises      bool            `json:"promises,omitempty"` // criteria or an output schema were declared
	Reviewer      string          `json:"rvr,omitempty"`      // who judges the result before it counts, as the sender said
	Review        schemas.ID      `json:"rv,omitempty"`       // the handoff that judges its result, the latest
	ReviewOf      schemas.ID      `json:"rvs,omitempty"`      // the handoff whose result it judges
	SentWith      string          `json:"with,omitempty"`     // name of the bearer token that it was sent with
	Base          string          `json:"base,omitempty"`     // commit with which checks compare, kept from an earlier claim

	Body        uint64   `json:"body"` // event whose content is the handoff as it was sent or last amended
	Result      uint64   `json:"result,omitempty"`
	Observation uint64   `json:"seen,omitempty"` // what was observed of the result after it
	Refused     uint64   `json:"refd,omitempty"` // why a completion was refused last, with the checks that failed
	Refusals    int      `json:"refs,omitempty"` // how many are kept
	Note        uint64   `json:"note,omitempty"`
	Ask         uint64   `json:"ask,omitempty"`
	Checkpoint  uint64   `json:"chk,omitempty"`
	Tree        uint64   `json:"tree,omitempty"` // claim whose content says in which working tree
	Late        []uint64 `json:"late,omitempty"`
	Event       uint64   `json:"ev"` // the last event of the handoff

	// Owes are consequences of the last change that were too much for one transaction. They are due at once, also when
	// the handoff has ended.
	Owes []Debt `json:"owes,omitempty"`

	OriginID     string `json:"origin,omitempty"`
	Imported     string `json:"imp,omitempty"`  // which handoff of another workspace it was: versions that added to a workspace wrote it
	Digest       string `json:"dig,omitempty"`  // of the content that was sent, to notice that it is sent again
	ResultDigest string `json:"rdig,omitempty"` // of the outcome, to answer a repeated completion as the first time
	LateDigest   string `json:"ldig,omitempty"` // of the last late result

	// unknown are fields that a later version of this program wrote. They are written back as they are.
	unknown map[string]json.RawMessage
}

// Debt is one consequence that goes through many handoffs, and the last of them for which it was carried out. Do names
// the consequence; the rules above know which there are.
//
// [Tx.Change] writes it with the record that owes it, together with a Wakes that makes the handoff due at once. If the
// process dies, the next call of anybody finds it among those that are due and goes on after After. Whoever carries it
// out removes it by another change.
//
// Leave is the file whose rules it waits for, because no person allowed them: it is not due until then. Opened holds where
// it followed because the work counted as done only later.
type Debt struct {
	Do     string     `json:"do"`
	After  schemas.ID `json:"after,omitempty"`
	Leave  string     `json:"leave,omitempty"`
	Opened bool       `json:"opened,omitempty"`
}

// AwaitsLeave gives the file whose rules wait for a person's leave before the work goes on, "" for none.
func (r *Record) AwaitsLeave() string {
	for _, d := range r.Owes {
		if d.Leave != "" {
			return d.Leave
		}
	}
	return ""
}

// Estimated is how long the sender thinks that the work takes, zero where it did not say.
func (r *Record) Estimated() time.Duration { return time.Duration(r.Estimate) * time.Minute }

// Blocked reports whether a handoff waits for something other than an agent: an approval or other handoffs.
func (r *Record) Blocked() bool { return r.NeedsApproval || len(r.After) > 0 }

// Clone is a copy that can be changed without changing r.
//
// Callers change the copy and give both to [Tx.Change], which needs the record as it was to find the rows that go. The
// unknown fields are shared, because nobody changes them.
func (r *Record) Clone() Record {
	c := *r
	c.Tags = slices.Clone(r.Tags)
	c.Voided = slices.Clone(r.Voided)
	c.After = slices.Clone(r.After)
	c.Freed = slices.Clone(r.Freed)
	c.AfterAccepted = slices.Clone(r.AfterAccepted)
	c.Excluded, c.Told = slices.Clone(r.Excluded), slices.Clone(r.Told)
	c.Late = slices.Clone(r.Late)
	c.Owes = slices.Clone(r.Owes)
	return c
}

// Entry is one row of an index. A nil Value is an empty one.
//
// No value but that of by_sender holds anything: there it saves reading the record when a send is compared with earlier
// ones.
type Entry struct {
	Space      Space
	Key, Value []byte
}

// Same tells whether another entry has the same space and key, whatever its value.
func (e Entry) Same(other Entry) bool { return e.Space == other.Space && bytes.Equal(e.Key, other.Key) }

// Entries returns all index rows of a record, each once. It is a pure function of the record: [Tx.Change] writes the
// difference of two calls, and package audit compares one call with the rows that are there.
//
// The order of the result means nothing. A record with no holder, parent, foreign id, dependency or wake-up has no row
// in those spaces. Each key ends with the id of the handoff, so keys of different handoffs never meet, and LastNumber
// of any index key is the id. A change of a layout here is a change of the file: files that exist have rows of the old
// layout, which a check would then report.
func Entries(r *Record) []Entry {
	id := Number(r.ID)
	es := make([]Entry, 0, 10)
	add := func(i Index) { es = append(es, Entry{Space: i.space, Key: join(i.prefix, id)}) }

	add(AddressedTo(r.To))
	add(InWorkflow(r.Workflow))
	add(InState(r.Status))
	add(SentBy(r.From))
	es[len(es)-1].Value = join(Number(r.Created), []byte(r.Digest))
	if r.Parent != 0 {
		add(ChildrenOf(r.Parent))
	}
	if r.OriginID != "" {
		add(withOrigin(r.OriginID))
	}
	if r.Imported != "" {
		add(withOrigin(r.Imported))
	}
	switch {
	case r.Holder == "":
	case r.Status.Held():
		add(HeldBy(r.Holder))
	default:
		add(LastHeldBy(r.Holder))
	}
	each := func(index func(schemas.ID) Index, deps []schemas.ID) {
		for i, dep := range deps {
			if !slices.Contains(deps[:i], dep) {
				add(index(dep))
			}
		}
	}
	each(DependentsOf, r.After)
	each(FreedDependentsOf, r.Freed)
	if r.Claimable() {
		add(Index{Ready, join(terminated(r.Box), order(r.Created, r.Priority))})
	}
	if r.Wakes != 0 {
		add(Index{Wakes, Number(r.Wakes)})
	}
	return es
}

// origin is the key of an id in a foreign message, which may have any length and hold any character.
//
// Two ids would share a row only if their SHA-256 were the same.
func origin(foreign string) []byte {
	sum := sha256.Sum256([]byte(foreign))
	return sum[:]
}

// Claimable tells whether an agent may claim the handoff now: it is pending, in a mailbox, and waits for nothing. A handoff
// that waits for a time is in no mailbox; one that waits for approval or for others is in its mailbox and blocked. The
// rows of the space ready and the counters Pending and Urgent follow from it, so both change in the transaction that
// changes the answer.
func (r *Record) Claimable() bool {
	return r.Status == schemas.Pending && r.Box != "" && !r.Blocked()
}

// Hash is the SHA-256 of parts, in base64 without padding: 43 characters. Events name by it what was said, the record that
// they left, and the event before them.
//
// The parts are hashed one after another without a mark between them. A caller for whom the border matters also
// compares a length, as package audit does for salt and content.
func Hash(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
