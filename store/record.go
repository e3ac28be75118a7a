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

// Record is the current state of a handoff. It has some hundred bytes. Body, Result, Note, Ask, Checkpoint and Late are
// numbers of events, and [View.RawContent] reads the content of these events. Only [Tx.WriteChange] writes a record.
// The names of its fields in JSON are on disk and never change.
//
// The zero value of most fields means that there is none: no holder, no lease, no deadline. A zero field is not in the
// JSON. So a new field needs no upgrade of old records. Package mailbox sets fields that depend on each other, such as
// Holder, Lease and Token, together.
//
// Schema is the version of the program that last wrote the record. Times are milliseconds. This package does not limit
// sizes: [schemas.Limits] does.
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
	Requires []string         `json:"req,omitempty"`  // skills of which a member of its pool needs one
	Role     string           `json:"role,omitempty"` // the role that the work needs, beside a recipient that is no role
	Priority schemas.Priority `json:"prio"`
	Status   schemas.Status   `json:"st"`
	Outcome  schemas.Outcome  `json:"out,omitempty"`

	// Box is the mailbox from which the handoff may be claimed: an agent, capability:x, role:y or human. It is empty
	// while no agent may claim the handoff.
	Box schemas.Address `json:"box,omitempty"`

	// Wakes is the next time at which the clock changes the handoff, for example the end of its lease, the end of a
	// delay, or its deadline. In a record with open consequences it is a time in the past, so that they continue at
	// once, or [PermissionWakeTime] if all of them need a person's permission. Zero means that time alone does not
	// change the handoff.
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
	Unread      string        `json:"unread,omitempty"` // request id of the wait that made the claim, until its holder makes a call
	Uncharged   bool          `json:"free,omitempty"`   // the next claim is no new attempt
	MaxAttempts int           `json:"maxatt"`
	Estimate    int           `json:"est,omitempty"` // estimated duration, minutes
	Percent     int           `json:"pct,omitempty"`

	NeedsApproval bool            `json:"appr,omitempty"`
	NoTakers      string          `json:"nt,omitempty"`       // action for an unclaimed handoff; empty once done
	NoTakersAfter int             `json:"nta,omitempty"`      // minutes without a claim before it, 0 for the default
	Permission    bool            `json:"perm,omitempty"`     // the open question asks for a permission
	After         []schemas.ID    `json:"after,omitempty"`    // open dependencies
	Freed         []schemas.ID    `json:"freed,omitempty"`    // dependencies that ended well
	AfterAccepted []schemas.ID    `json:"afteracc,omitempty"` // of both lists: result must be accepted
	Excluded      []schemas.Agent `json:"excl,omitempty"`
	Told          []schemas.Agent `json:"told,omitempty"` // pool members notified first, one after the other
	Asker         schemas.Agent   `json:"asker,omitempty"`
	OnFailure     schemas.Agent   `json:"onfail,omitempty"`
	Promises      bool            `json:"promises,omitempty"` // it has criteria or an output schema
	Products      []string        `json:"prods,omitempty"`    // types of its deliverables
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

	// Owes lists the consequences of the last change that did not fit into its transaction and are still open. They are
	// due at once, even if the handoff has ended.
	Owes []OpenConsequence `json:"owes,omitempty"`

	OriginID     string `json:"origin,omitempty"`
	Imported     string `json:"imp,omitempty"`  // the same, as imports of older versions wrote it
	Digest       string `json:"dig,omitempty"`  // of the sent content, to notice a repeated send
	ResultDigest string `json:"rdig,omitempty"` // of the outcome, to answer a repeated completion with the same result
	LateDigest   string `json:"ldig,omitempty"` // of the last late result

	// unknown holds fields that a later version of this program wrote. They are written back unchanged.
	unknown map[string]json.RawMessage
}

// OpenConsequence is a consequence for many handoffs that is not yet complete. Do names the consequence. After is the
// last handoff for which it was carried out. If the process dies, the next call finds this handoff among the due
// handoffs, and continues with the handoffs above After.
//
// Leave is the file whose rules need a person's permission first. Until then the consequence is not due. Opened is true
// if a later judgement of the result caused the consequence.
type OpenConsequence struct {
	Do     string     `json:"do"`
	After  schemas.ID `json:"after,omitempty"`
	Leave  string     `json:"leave,omitempty"`
	Opened bool       `json:"opened,omitempty"`
}

// FileAwaitingPermission returns the file whose rules a person has to allow before the open consequences continue. It
// returns "" if there is none.
func (r *Record) FileAwaitingPermission() string {
	for _, d := range r.Owes {
		if d.Leave != "" {
			return d.Leave
		}
	}
	return ""
}

// AttemptNumber returns the number of the present attempt, or of the next attempt if the handoff is pending. It returns
// 0 for a pending handoff without earlier attempts.
func (r *Record) AttemptNumber() int {
	if r.Status == schemas.Pending && r.Attempt > 0 && !r.Uncharged {
		return r.Attempt + 1
	}
	return r.Attempt
}

// EstimatedDuration returns the sender's estimate of the duration, zero for none.
func (r *Record) EstimatedDuration() time.Duration { return time.Duration(r.Estimate) * time.Minute }

// UnusualPriority returns the priority of a handoff for a result. It returns "" for the normal priority, which results
// leave out.
func (r *Record) UnusualPriority() schemas.Priority {
	if r.Priority == schemas.Normal {
		return ""
	}
	return r.Priority
}

// IsBlocked reports whether a handoff waits for an approval or for its dependencies.
func (r *Record) IsBlocked() bool { return r.NeedsApproval || len(r.After) > 0 }

// Clone returns a copy. Callers change the copy and give the copy and the old record to [Tx.WriteChange]. The two
// records share only the unknown fields, which no code changes.
func (r *Record) Clone() Record {
	c := *r
	c.Tags, c.Requires = slices.Clone(r.Tags), slices.Clone(r.Requires)
	c.Voided = slices.Clone(r.Voided)
	c.After = slices.Clone(r.After)
	c.Freed = slices.Clone(r.Freed)
	c.AfterAccepted = slices.Clone(r.AfterAccepted)
	c.Excluded, c.Told, c.Products = slices.Clone(r.Excluded), slices.Clone(r.Told), slices.Clone(r.Products)
	c.Late = slices.Clone(r.Late)
	c.Owes = slices.Clone(r.Owes)
	return c
}

// IndexRow is one row of an index. A nil Value means an empty value. Only rows of the space by_sender have a value.
type IndexRow struct {
	Space      Space
	Key, Value []byte
}

// HasSameKey reports whether another row has the same space and key. It does not compare the values.
func (e IndexRow) HasSameKey(other IndexRow) bool {
	return e.Space == other.Space && bytes.Equal(e.Key, other.Key)
}

// IndexRowsOf returns all index rows of a record, each once, in no particular order. The result depends only on the
// record. [Tx.WriteChange] writes the difference of two results, and package audit compares the result with the stored
// rows.
//
// Each key ends with the id of the handoff, so keys of different handoffs never collide. A record without a holder,
// parent, foreign id, dependency or Wakes has no row in that space. A change of the layout needs a new file format,
// because existing files have the old rows.
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
		es = append(es, IndexRow{Space: Ready, Key: joinBytes(zeroTerminated(r.Box), QueuePosition(r))})
	}
	if r.Wakes != 0 {
		add(HandoffIndex{Wakes, EncodeNumber(r.Wakes)})
	}
	return es
}

// originKey returns the SHA-256 of a foreign id, because a foreign id may have any length and any characters.
func originKey(foreign string) []byte {
	sum := sha256.Sum256([]byte(foreign))
	return sum[:]
}

// IsClaimable reports whether an agent may claim the handoff now: it is pending, in a mailbox, and not blocked. A
// handoff that waits for a time is in no mailbox. A handoff that waits for approval or for dependencies is blocked.
func (r *Record) IsClaimable() bool {
	return r.Status == schemas.Pending && r.Box != "" && !r.IsBlocked()
}

// HashOf returns the SHA-256 of the parts, one after another, in base64 without padding: 43 characters. Events contain
// the hashes of their content, of the record and of the previous event. There is no separator between the parts, so
// package audit also compares the size of the content.
func HashOf(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
