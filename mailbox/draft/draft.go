// Package draft checks and encodes the message of a sender. [Maker.Make] makes a [Draft]: it checks the fields, parses
// the times, moves the content of references out of the message, and encodes the message. [Maker.CheckChanges],
// [CheckWholeHandoff] and [CheckPayload] apply the same limits to later changes and to results.
//
// Package mailbox makes the draft before the transaction, because only one transaction can write at a time. Inside the
// transaction it gives the handoff an id.
//
// This package reads no store, no clock and no file. It checks only the form of a field, and package mailbox checks
// whether a named recipient or parent exists. Each error is a *[schemas.Error] with the path of the field: invalid for
// a faulty field, limit for a field that is too long.
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

// Draft is a checked and encoded handoff that has no id yet. A transaction must not change a draft that was made before
// it began, because the transaction may run again. It must change a copy instead.
type Draft struct {
	Handoff   schemas.Handoff
	To        schemas.Address
	Content   store.Content
	Tokens    int      // of Content
	Kept      [][]byte // separated content of its references
	Words     store.WordList
	Digest    string
	Deadline  time.Time // the requested deadline or the end of the timeout, whichever is earlier
	NotBefore time.Time
	Estimate  time.Duration

	Parent   string             // as requested: an id, "none", or "" for the default
	Workflow schemas.Workflow   // as requested; "" for the parent's or a new one
	Limits   map[string]float64 // the caller's limits for the workflow
	Key      string
	Token    string // a token that is charged for it while it is pending, "" for none
	Force    bool
	Warnings []string
	Attempt  int // number of earlier attempts, by the handoffs that this one repeats
	Excluded []schemas.Agent
	Base     string // base commit of continued work, see [reading.BaseCommit]

	Parts []*Draft // drafts of a send to several; this one is a copy of the first, with the digest of all
	Join  *Draft   // waits for all parts, nil for none

	statedDeadline time.Time        // the requested deadline
	addedProject   bool             // the server added the found project to the context
	sentContext    *schemas.Context // the sender's context without the found project
}

// Maker makes drafts. Both fields are required.
type Maker struct {
	Limits schemas.Limits
	NewID  func(prefix string) string // returns an unguessable id, for salts
}

// Make returns the draft of a send. If the send has several parts, the result is the draft of the first part, and its
// Parts has the drafts of all parts.
func (m Maker) Make(by schemas.Caller, in schemas.SendIn, now time.Time) (Draft, error) {
	if o := schemas.ValueOrZero(in.Options); o.Each != nil || o.Join != nil {
		return m.makeParts(by, in, now)
	}
	return m.MakeOne(by, in, now)
}

// MakeOne returns the draft of a send of one handoff. Durations count from now. The error is invalid for a faulty
// field, such as an option for several parts. The error is limit for a field that is too long.
func (m Maker) MakeOne(by schemas.Caller, in schemas.SendIn, now time.Time) (d Draft, err error) {
	if err := cmp.Or(refuseMultiPartOptions(in.Options), m.checkSizes(in)); err != nil {
		return d, err
	}
	in.Options = cmp.Or(in.Options, &schemas.SendOptions{})
	var malformed error
	d.To, err = schemas.ParseAddress("to", in.To)
	in.Expectations, in.Rollback, malformed = ParseAddresses(in.Expectations, in.Rollback, schemas.ParseAddress)
	if err = cmp.Or(err, malformed, d.parseTimes(in, now), d.checkNames(in), refuseWorkFields(in)); err != nil {
		return d, err
	}
	d.Key, d.Force, d.Attempt = cmp.Or(in.Key, keyOfForeignMessage(in.Origin)), in.Options.Force, in.Options.Attempt
	d.Warnings = slices.Concat(d.Warnings, compose.WarnOfReinterpretedFields(in), compose.WarnOfUnusedFields(in.Tool(), in.Origin))
	d.Token = by.Token
	if in.Context != nil && len(in.Context.References) > 0 {
		if in.Context, d.Kept, err = m.SeparateContent(in.Context); err != nil {
			return d, err
		}
	}
	d.Handoff = compose.Handoff(by, in, d.To)
	d.addWorkingTree(by.Tree)
	d.Handoff.Metadata.Deadline, d.Handoff.Metadata.NotBefore = schemas.TimeOrNil(d.statedDeadline), schemas.TimeOrNil(d.NotBefore)
	if err := m.Encode(&d); err != nil {
		return d, err
	}
	if err := schemas.CheckBytes("handoff", len(d.Content.Bytes), m.Limits.Handoff); err != nil {
		return d, schemas.AsError(err).WithHint("Send long texts as the content of references in the context. Nothing was sent.")
	}
	return d, nil
}

// addWorkingTree adds the state of the sender's working tree to the handoff. If the sender described no project, it
// also adds the project of the working tree. The digest omits both, because they may differ between a send and its
// repeat.
func (d *Draft) addWorkingTree(in *schemas.Tree) {
	h := &d.Handoff
	if in == nil || h.Type == schemas.TypeMessage {
		return
	}
	h.Tree = in.Summary()
	if schemas.ValueOrZero(h.Context).Project != nil {
		return
	}
	d.addedProject, d.sentContext = true, h.Context
	c := schemas.ValueOrZero(h.Context)
	c.Project = &schemas.Project{Name: path.Base(filepath.ToSlash(in.Path)), Path: in.Path, Branch: in.Branch, Commit: in.Commit}
	h.Context = &c
}

// Encode computes the content, tokens, search words and digest of a draft from its handoff. It must be called again
// after each change of the handoff. Two sends with equal digests are a send and its repeat, so the digest omits times,
// sessions and the state of files.
func (m Maker) Encode(d *Draft) error {
	said, err := store.EncodeContent(d.Handoff, m.NewID)
	if err != nil {
		return err
	}
	h := d.Handoff
	d.Content, d.Words, d.Tokens = said, reading.MessageSearchWords(&h), content.CountTokens(string(said.Bytes))
	h.Metadata.Deadline, h.Metadata.NotBefore = nil, nil // relative times differ between repeats
	h.Source.AgentID, h.Tree = "", nil
	if d.addedProject {
		h.Context = d.sentContext
	}
	if h.Context != nil {
		c := *h.Context
		c.Files = schemas.Map(c.Files, func(f schemas.File) schemas.File { f.Digest = ""; return f })
		c.Artifacts = schemas.Map(c.Artifacts, func(a schemas.Artifact) schemas.Artifact { a.Digest = ""; return a })
		h.Context = &c
	}
	d.Digest = Fingerprint(h)
	return nil
}

// Fingerprint returns a digest by which equal messages are recognised: the first 12 bytes of a SHA-256, in base64.
// Equal maps give equal digests. The digest is too short to protect against forged messages.
func Fingerprint(v any) string {
	b, _ := json.Marshal(v) // a value that cannot be encoded is refused where its content is encoded
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
