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

// Record is the state of a handoff, and its only part that changes. It has some hundred bytes, and more with many tags.
// Body, Result, Note, Ask, Checkpoint and Late are numbers of events: [View.RawContent] reads their content. Only
// [Tx.WriteChange] writes a record. Its names in JSON are on disk and never change once released.
//
// The zero value of most fields means that there is none: no holder, no lease, no deadline. A zero field is left out of
// the JSON, so a new field costs old records nothing and needs no upgrade. Package mailbox sets fields that depend on
// each other, such as Holder, Lease and Token, together; this package stores them and derives index rows and counters
// from them.
//
// Schema is the version of the messages with which the record was written. After each change it is at least the version
// of this program. Times are milliseconds. This package does not limit sizes and numbers of rows: [schemas.Limits]
// does, and keeps a record near 1 KB.
type Record struct {
	Schema   int              `json:"v"`
	ID       schemas.ID       `json:"id"`
	Workflow schemas.Workflow `json:"wf"`
	From     schemas.Agent    `json:"from"`
	Rule     string           `json:"rule,omitempty"` // the rule of a file that sent it, as [schemas.IndexBySender] names it
	Step     bool             `json:"step,omitempty"` // a step of a workflow of a file; older versions do not set it
	To       schemas.Address  `json:"to"`
	Type     string           `json:"type,omitempty"`
	Title    string           `json:"title"`
	Tags     []string         `json:"tags,omitempty"`
	Priority schemas.Priority `json:"prio"`
	Status   schemas.Status   `json:"st"`
	Outcome  schemas.Outcome  `json:"out,omitempty"`

	// Box is the mailbox from which the handoff may be claimed: an agent, capability:x, role:y or human. Routing,
	// reservation and approval set this one field. It is empty while no agent may claim the handoff.
	Box schemas.Address `json:"box,omitempty"`

	// Wakes is the next time at which the clock changes the handoff: the end of a lease, of a reservation or of a
	// delay, or the deadline. For open consequences it is a time that is already due. Zero means that no time rule
	// applies.
	Wakes Time `json:"wakes,omitempty"`

	Created     Time `json:"created"`
	NotBefore   Time `json:"nbf,omitempty"`
	Deadline    Time `json:"dl,omitempty"`
	Claimed     Time `json:"claimed,omitempty"` // time of the first claim
	Touched     Time `json:"touched,omitempty"` // time of the holder's last call
	Lease       Time `json:"lease,omitempty"`   // end of the claim; zero: no lease runs
	Reserved    Time `json:"rsv,omitempty"`     // until then Box is one agent only
	UnclaimedAt Time `json:"unt,omitempty"`     // when NoTakers applies
	SilentAt    Time `json:"quiet,omitempty"`   // time of the notice to the sender that the holder is silent; zero: sent
	Ended       Time `json:"ended,omitempty"`
	Accepted    Time `json:"acc,omitempty"` // when the sender accepted the result
	Counted     bool `json:"cnt,omitempty"` // it counted as done at least once
	Dismissed   Time `json:"dis,omitempty"` // when a caller said that a failed handoff needs no further work

	Parent    schemas.ID `json:"parent,omitempty"`
	Forwarded schemas.ID `json:"fwd,omitempty"` // the handoff that its completion created
	RetryOf   schemas.ID `json:"retry,omitempty"`
	Successor schemas.ID `json:"succ,omitempty"`   // the handoff that replaced it
	Rollback  schemas.ID `json:"back,omitempty"`   // the handoff that rolls it back, if there is one
	ReworkOf  schemas.ID `json:"rework,omitempty"` // the first handoff of the work that it does again
	Round     int        `json:"round,omitempty"`  // round of the rework; zero for the first handoff, which is round 1
	Depth     int        `json:"depth"`
	MaxDepth  int        `json:"maxdepth,omitempty"`

	Holder      schemas.Agent `json:"holder,omitempty"` // the holder, or the last holder
	HolderID    string        `json:"hid,omitempty"`
	Conn        string        `json:"conn,omitempty"`
	Left        bool          `json:"left,omitempty"` // the connection is known to be gone
	Via         schemas.Via   `json:"via,omitempty"`
	Token       string        `json:"token,omitempty"`  // of the last claim
	Voided      []string      `json:"voided,omitempty"` // tokens of earlier claims, newest first
	Claims      int           `json:"claims,omitempty"` // number of claims so far: the fencing number
	Attempt     int           `json:"att,omitempty"`
	Uncharged   bool          `json:"free,omitempty"` // the next claim is no new attempt
	MaxAttempts int           `json:"maxatt"`
	Estimate    int           `json:"est,omitempty"` // estimated duration, minutes
	Percent     int           `json:"pct,omitempty"`

	NeedsApproval bool            `json:"appr,omitempty"`
	NoTakers      string          `json:"nt,omitempty"`       // action for an unclaimed handoff; empty once done
	Permission    bool            `json:"perm,omitempty"`     // the open question asks for a permission
	After         []schemas.ID    `json:"after,omitempty"`    // open dependencies
	Freed         []schemas.ID    `json:"freed,omitempty"`    // dependencies that ended well
	AfterAccepted []schemas.ID    `json:"afteracc,omitempty"` // of both lists: result must be accepted
	Excluded      []schemas.Agent `json:"excl,omitempty"`
	Told          []schemas.Agent `json:"told,omitempty"` // pool members notified first, one after the other
	Asker         schemas.Agent   `json:"asker,omitempty"`
	OnFailure     schemas.Agent   `json:"onfail,omitempty"`
	Promises      bool            `json:"promises,omitempty"` // it has criteria or an output schema
	Reviewer      string          `json:"rvr,omitempty"`      // the reviewer of the result, as the sender named it
	Review        schemas.ID      `json:"rv,omitempty"`       // the latest handoff that reviews its result
	ReviewOf      schemas.ID      `json:"rvs,omitempty"`      // the handoff whose result it reviews
	SentWith      string          `json:"with,omitempty"`     // name of the bearer token that it was sent with
	Base          string          `json:"base,omitempty"`     // base commit of checks, kept from an earlier claim

	Body        uint64   `json:"body"` // event whose content is the handoff as it was sent or last amended
	Result      uint64   `json:"result,omitempty"`
	Observation uint64   `json:"seen,omitempty"` // event with observations of the result, after the result
	Refused     uint64   `json:"refd,omitempty"` // event of the last refused completion, with the failed checks
	Refusals    int      `json:"refs,omitempty"` // number of refusals that are kept
	Note        uint64   `json:"note,omitempty"`
	Ask         uint64   `json:"ask,omitempty"`
	Checkpoint  uint64   `json:"chk,omitempty"`
	Tree        uint64   `json:"tree,omitempty"` // claim event whose content names the working tree
	Late        []uint64 `json:"late,omitempty"`
	Event       uint64   `json:"ev"` // the last event of the handoff

	// Owes lists the consequences of the last change that are still to be carried out, because they did not fit into
	// its transaction. They are due at once, even if the handoff has ended.
	Owes []OpenConsequence `json:"owes,omitempty"`

	OriginID     string `json:"origin,omitempty"`
	Imported     string `json:"imp,omitempty"`  // the same, as imports of older versions wrote it
	Digest       string `json:"dig,omitempty"`  // of the sent content, to notice a repeated send
	ResultDigest string `json:"rdig,omitempty"` // of the outcome, to answer a repeated completion with the same result
	LateDigest   string `json:"ldig,omitempty"` // of the last late result

	// unknown holds fields that a later version of this program wrote. They are written back unchanged.
	unknown map[string]json.RawMessage
}

// OpenConsequence is one consequence that concerns many handoffs, and its progress: After is the last handoff for which it was
// carried out. Do names the consequence; package mailbox knows the names.
//
// [Tx.WriteChange] writes it with the record, together with a Wakes that makes the handoff due at once. If the process dies,
// the next call finds the handoff among the due ones and continues behind After. Package mailbox removes the Debt by
// another change when the consequence is complete.
//
// Leave is the file whose rules need a person's permission: the Debt is not due until then. Opened is true if the work
// counted as done only after a later judgement of its result, and that judgement caused the consequence.
type OpenConsequence struct {
	Do     string     `json:"do"`
	After  schemas.ID `json:"after,omitempty"`
	Leave  string     `json:"leave,omitempty"`
	Opened bool       `json:"opened,omitempty"`
}

// FileAwaitingLeave returns the file whose rules need a person's permission before the work goes on, "" for none.
func (r *Record) FileAwaitingLeave() string {
	for _, d := range r.Owes {
		if d.Leave != "" {
			return d.Leave
		}
	}
	return ""
}

// EstimatedDuration returns the sender's estimate of the duration, zero for none.
func (r *Record) EstimatedDuration() time.Duration { return time.Duration(r.Estimate) * time.Minute }

// IsBlocked reports whether a handoff waits for an approval or for its dependencies.
func (r *Record) IsBlocked() bool { return r.NeedsApproval || len(r.After) > 0 }

// Clone returns a copy that can be changed without changing r.
//
// Callers change the copy and give both to [Tx.WriteChange], which needs the old record to find the index rows to delete.
// The copies share the unknown fields, because no code changes them.
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

// IndexRow is one row of an index. A nil Value is an empty one.
//
// Only the values of by_sender hold data: they save reading the record when a send is compared with earlier ones.
type IndexRow struct {
	Space      Space
	Key, Value []byte
}

// Same reports whether another entry has the same space and key. It does not compare the values.
func (e IndexRow) HasSameKey(other IndexRow) bool {
	return e.Space == other.Space && bytes.Equal(e.Key, other.Key)
}

// IndexRowsOf returns all index rows of a record, each once. It is a pure function of the record: [Tx.WriteChange] writes the
// difference of two calls, and package audit compares one call with the rows that are there.
//
// The order of the result means nothing. A record with no holder, parent, foreign id, dependency or wake-up has no row
// in those spaces. Each key ends with the id of the handoff, so keys of different handoffs never collide, and
// DecodeLastNumber of an index key is the id. Changing a layout here changes the file format: existing files have rows of the
// old layout, and a check would report them.
func IndexRowsOf(r *Record) []IndexRow {
	id := EncodeNumber(r.ID)
	es := make([]IndexRow, 0, 10)
	add := func(i HandoffIndex) { es = append(es, IndexRow{Space: i.space, Key: joinBytes(i.prefix, id)}) }

	add(IndexByRecipient(r.To))
	add(IndexByWorkflow(r.Workflow))
	add(IndexByState(r.Status))
	add(IndexBySender(r.From))
	es[len(es)-1].Value = joinBytes(EncodeNumber(r.Created), []byte(r.Digest))
	if r.Parent != 0 {
		add(IndexByParent(r.Parent))
	}
	if r.OriginID != "" {
		add(indexByOrigin(r.OriginID))
	}
	if r.Imported != "" {
		add(indexByOrigin(r.Imported))
	}
	switch {
	case r.Holder == "":
	case r.Status.IsHeld():
		add(IndexByHolder(r.Holder))
	default:
		add(IndexByLastHolder(r.Holder))
	}
	each := func(index func(schemas.ID) HandoffIndex, deps []schemas.ID) {
		for i, dep := range deps {
			if !slices.Contains(deps[:i], dep) {
				add(index(dep))
			}
		}
	}
	each(IndexByDependency, r.After)
	each(IndexByFreedDependency, r.Freed)
	if r.IsClaimable() {
		add(HandoffIndex{Ready, joinBytes(zeroTerminated(r.Box), queuePosition(r.Created, r.Priority))})
	}
	if r.Wakes != 0 {
		add(HandoffIndex{Wakes, EncodeNumber(r.Wakes)})
	}
	return es
}

// originKey returns the key of a foreign id, which may have any length and any characters.
//
// Two ids would share a row only if their SHA-256 were the same.
func originKey(foreign string) []byte {
	sum := sha256.Sum256([]byte(foreign))
	return sum[:]
}

// IsClaimable reports whether an agent may claim the handoff now: it is pending, in a mailbox, and not blocked. A handoff
// that waits for a time is in no mailbox; one that waits for approval or for dependencies is in its mailbox and
// blocked. The rows of the space ready and the counters Pending and Urgent follow from it, so they change in the same
// transaction as the result.
func (r *Record) IsClaimable() bool {
	return r.Status == schemas.Pending && r.Box != "" && !r.IsBlocked()
}

// HashOf returns the SHA-256 of parts, in base64 without padding: 43 characters. Events name by it their content, the
// record after them, and the event before them.
//
// The parts are hashed one after another without a separator. A caller for whom the border matters also compares a
// length, as package audit does for salt and content.
func HashOf(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
