// Package draft checks and encodes what a sender wrote. [Maker.One] and [Maker.Several] make a [Draft] of a message:
// they check it, read its times, take out the content that is kept apart, and encode the rest. [Maker.CheckChanges] and
// [CheckWhole] hold an amendment, a return and a retry to the same limits, and [CheckPayload] a completion.
//
// Package mailbox makes the draft of a caller before the transaction, because there is one writer. Inside it finds the
// place of the handoff and makes a record of the draft.
//
// Nothing here reads the store, a clock or a file, so a field is judged by its form and length alone. Whether a
// recipient or a parent exists, package mailbox checks. What is refused is a *[schemas.Error] with the path of the
// field: invalid for one that makes no sense, limit for one that is too long.
package draft

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/content"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Draft is a handoff that was checked and encoded, before a transaction finds its place and makes a record of it. A
// draft of a caller is made before its transaction and is not changed in it, since the transaction may run again with
// the same draft: who has to change one takes a copy. Those that the rules make, as after a failure, are made inside,
// anew in each run, and encoded by [Maker.Encode].
type Draft struct {
	Handoff   schemas.Handoff
	To        schemas.Address
	Content   store.Content
	Tokens    int      // of that
	Kept      [][]byte // content that it refers to
	Words     store.WordList
	Digest    string
	Deadline  time.Time // the one that was asked for, or the end of the timeout: the earlier
	NotBefore time.Time
	Estimate  time.Duration

	Parent   string             // as asked: an id, "none", or "" for the default
	Workflow schemas.Workflow   // as asked, "" for the parent's or a new one
	Limits   map[string]float64 // that the caller sets for the workflow, among others
	Key      string
	Token    string // charged with it while it is pending, "" for none
	Force    bool
	Warnings []string
	Attempt  int // how many were made before, by the handoffs that this one does again
	Excluded []schemas.Agent
	Base     string // of the work that goes on, see [reading.Base]

	Parts []*Draft // of a send to several; this one is a copy of the first, with the digest of all
	Join  *Draft   // waits for all parts, nil for none

	stated  time.Time        // the deadline that was asked for
	located bool             // the context has the project that was found
	said    *schemas.Context // the context without that
}

// Maker makes drafts. Both fields are required.
type Maker struct {
	Limits schemas.Limits
	NewID  func(prefix string) string // makes an id that nobody can guess, for salts
}

// Of is the draft of a send. Of one that has several parts it is that of the first, and has them all.
func (m Maker) Of(by schemas.Caller, in schemas.SendIn, now time.Time) (Draft, error) {
	if o := schemas.OrZero(in.Options); o.Each != nil || o.Join != nil {
		return m.several(by, in, now)
	}
	return m.One(by, in, now)
}

// One checks what a sender said of one handoff and makes a draft of it. Durations count from now. The error is invalid
// for a field that makes no sense, as for options of a send to several; limit for one that is too long.
func (m Maker) One(by schemas.Caller, in schemas.SendIn, now time.Time) (d Draft, err error) {
	if err := cmp.Or(oneHandoff(in.Options), m.sizes(in)); err != nil {
		return d, err
	}
	in.Options = cmp.Or(in.Options, &schemas.SendOptions{})
	if d.To, err = schemas.ParseAddress("to", in.To); err != nil {
		return d, err
	}
	if in.Expectations, in.Rollback, err = Named(in.Expectations, in.Rollback, schemas.ParseAddress); err != nil {
		return d, err
	}
	if err := cmp.Or(d.times(in, now), d.names(in), onlyWork(in)); err != nil {
		return d, err
	}
	d.Key, d.Force, d.Attempt = cmp.Or(in.Key, foreignKey(in.Origin)), in.Options.Force, in.Options.Attempt
	d.Warnings = slices.Concat(compose.Read(in), compose.Aside(in.Origin))
	d.Token = by.Token
	if in.Context != nil && len(in.Context.References) > 0 {
		if in.Context, d.Kept, err = m.Separate(in.Context); err != nil {
			return d, err
		}
	}
	d.Handoff = compose.Handoff(by, in, d.To)
	d.locate(by.Tree)
	d.Handoff.Metadata.Deadline, d.Handoff.Metadata.NotBefore = schemas.TimeOrNil(d.stated), schemas.TimeOrNil(d.NotBefore)
	if err := m.Encode(&d); err != nil {
		return d, err
	}
	if err := schemas.TooBig("handoff", len(d.Content.Bytes), m.Limits.Handoff); err != nil {
		return d, schemas.AsError(err).WithHint("Send what is long along as the content of references in the context. Nothing was sent.")
	}
	return d, nil
}

// locate says in which working tree the work was sent, unless the sender told of its project. It is no part of what
// makes a send the same as another, since a tree goes on.
func (d *Draft) locate(in *schemas.Tree) {
	h := &d.Handoff
	if in == nil || h.Type == schemas.TypeMessage {
		return
	}
	h.Tree = in.Summary()
	if schemas.OrZero(h.Context).Project != nil {
		return
	}
	d.located, d.said = true, h.Context
	c := schemas.OrZero(h.Context)
	c.Project = &schemas.Project{Name: path.Base(filepath.ToSlash(in.Path)), Path: in.Path, Branch: in.Branch, Commit: in.Commit}
	h.Context = &c
}

// Encode makes what is kept of a draft: its content, the words by which it is found, and the digest by which the same
// content is known again. The digest leaves out times, which differ between repeats where the sender gave a duration,
// the session of the sender, and what git and the files were. Content, Tokens, Words and Digest are set; whoever changes
// the handoff of a draft afterwards calls it again. It runs before the transaction where that is possible, because there
// is one writer.
func (m Maker) Encode(d *Draft) error {
	said, err := store.ContentOf(d.Handoff, m.NewID)
	if err != nil {
		return err
	}
	h := d.Handoff
	d.Content, d.Words, d.Tokens = said, reading.SentWords(&h), content.Tokens(string(said.Bytes))
	h.Metadata.Deadline, h.Metadata.NotBefore = nil, nil // relative times differ between repeats
	h.Source.AgentID, h.Tree = "", nil
	if d.located {
		h.Context = d.said
	}
	if h.Context != nil {
		c := *h.Context
		c.Files = schemas.Map(c.Files, func(f schemas.File) schemas.File { f.Digest = ""; return f })
		h.Context = &c
	}
	d.Digest, err = Fingerprint(h)
	return err
}

// Fingerprint tells equal messages from different ones; it proves nothing. It is the first 12 bytes of a SHA-256 in
// base64, which is short enough for each record. Maps are encoded by key, so their order does not matter.
func Fingerprint(v any) (string, error) {
	b, err := json.Marshal(v)
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:12]), err
}
