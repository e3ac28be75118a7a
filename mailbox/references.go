package mailbox

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"handoff/mailbox/content"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// mostReferences is how many references one handoff has. A send with more is refused whole, with limit.
const mostReferences = 32

// sendsAlong tells whether a reference comes with its content. A message may have no such reference, see [onlyWork]:
// content is kept for a handoff, and a message has no record.
func sendsAlong(ref schemas.Reference) bool { return ref.Content != "" || ref.Path != "" }

// separate takes the content out of the references of a context, and gives the context as it is kept, with digests, and
// the contents. It changes no list of c. The error is invalid for a reference that says not exactly one of content, url
// and path; for a name that others have; and for a path, which the process beside the files should have read. The error
// is limit for more than [mostReferences] and for content above the limit of the service.
//
// It reads and writes nothing, so a send calls it before its transaction and [op.keep] writes the contents in it.
// Digest, bytes and tokens that a caller says are not believed: they are computed here, or set to zero where nothing is
// kept. Content without a name is called text-1, text-2 and so on, by its place in the list.
func (s *Service) separate(c *schemas.Context) (_ *schemas.Context, contents [][]byte, err error) {
	if c == nil || len(c.References) == 0 {
		return c, nil, nil
	}
	if n := len(c.References); n > mostReferences {
		return nil, nil, schemas.Errorf(schemas.Limit, "%d references, at most %d are allowed", n, mostReferences).
			WithField("context.references").WithHint("Put what belongs together into one. Nothing was sent.")
	}
	kept := *c
	kept.References = slices.Clone(c.References)
	for i := range kept.References {
		ref := &kept.References[i]
		if err := checkReference(*ref, kept.References[:i], s.Limits.Content); err != nil {
			e := schemas.AsError(err)
			return nil, nil, e.WithField(strings.TrimSuffix(fmt.Sprintf("context.references[%d].%s", i, e.Field), "."))
		}
		ref.Digest, ref.Bytes, ref.Tokens = "", 0, 0
		if ref.Content == "" {
			continue
		}
		if ref.Name == "" {
			ref.Name = fmt.Sprintf("text-%d", i+1)
		}
		contents = append(contents, []byte(ref.Content))
		ref.Digest, ref.Bytes, ref.Tokens = store.DigestOf([]byte(ref.Content)), len(ref.Content), content.Tokens(ref.Content)
		ref.Content = ""
	}
	return &kept, contents, nil
}

// checkReference checks a reference against those before it. The field of its error is below the reference.
//
// A path is always refused here. The owner of the store does not read files in the name of a caller: the process beside
// the files does that before, inside its project, and sends the text as content. A name may be that of no field of a
// handoff, since both are found by the same kind of address.
func checkReference(ref schemas.Reference, before []schemas.Reference, most int) error {
	switch {
	case ref.Path != "":
		return schemas.Invalidf("path", "nobody who can read the file %q saw this call", schemas.Visible(path.Base(ref.Path))).
			WithHint("Files are read by handoff mcp and by the command line, inside their project. Send the text as content, " +
				"or name the file among those of the context. Nothing was sent.")
	case (ref.Content == "") == (ref.URL == ""):
		return schemas.Invalidf("", "must say one of content, url and path").WithHint("Nothing was sent.")
	case ref.Content == "" || ref.Name == "":
		return nil
	}
	if _, err := schemas.ParseAgent("name", ref.Name); err != nil { // the same characters
		return schemas.Invalidf("name", "%q is no name for content", schemas.Visible(schemas.Clip(ref.Name, 80))).
			WithHint("Take 1 to 64 letters, digits, dots, dashes and underscores. Nothing was sent.")
	}
	same := func(other schemas.Reference) bool { return other.Name == ref.Name }
	if content.IsField(ref.Name) || slices.ContainsFunc(before, same) {
		return schemas.Invalidf("name", "%q is the name of something else in this handoff", ref.Name).
			WithHint("Take another one, as %s.txt. Nothing was sent.", ref.Name)
	}
	if err := schemas.TooBig("content", len(ref.Content), most); err != nil {
		return schemas.AsError(err).WithHint("Send the part that matters, or name the file among those of its context. Nothing was sent.")
	}
	return nil
}

// separated keeps the content that changes send along, and leaves the references to it in them.
//
// Unlike a send it writes within the check, because an amendment or a retry is checked inside its transaction. Where a
// later check refuses the changes, the content is undone with the rest. The field of an error is that of the context;
// the caller puts it below changes.
func (o *op) separated(c *schemas.Changes) error {
	context, contents, err := o.separate(c.Context)
	if err != nil {
		return err
	}
	c.Context = context
	return cmp.Or(o.checkReferences(context), o.keep(contents))
}

// keep writes content that handoffs refer to. It is in the transaction of the handoff, so both are there or neither.
// Content is found by its digest, so the same text is written once, whatever handoffs refer to it.
func (o *op) keep(contents [][]byte) error {
	for _, b := range contents {
		if err := o.tx.Keep(b); err != nil {
			return err
		}
	}
	return nil
}

// checkReferences refuses a context that refers to what is not there: the receiver could not fetch it.
//
// Only places in this mailbox are looked up, as context://ho_12/detail. A foreign URL is not fetched: [op.warnOfNames]
// warns of it. The error is that of [reading.Lookup], with the index of the reference in its field. What is there now
// may be redacted later; then the receiver finds it gone.
func (o *op) checkReferences(c *schemas.Context) error {
	for i, ref := range schemas.OrZero(c).References {
		place, here := content.PlaceOf(ref.URL, 0)
		if ref.Kept() || !here {
			continue
		}
		if _, err := reading.Lookup(o.View, place.Handoff, ref.URL); err != nil {
			e := schemas.AsError(err)
			hint := strings.TrimSpace(e.Hint + " Name what an existing handoff carries, as context://ho_12/detail. Nothing was sent.")
			return e.WithField(fmt.Sprintf("context.references[%d].url", i)).WithHint("%s", hint)
		}
	}
	return nil
}

// warnOfNames warns of what a handoff names that the mailbox does not know: content that is kept elsewhere, files
// that are not there, and whoever takes the work back. None is a reason to refuse it.
//
// It runs at a send, after the handoff was created, in the same transaction. Texts of the caller are cut to 120 bytes
// and made visible, since the warning goes into the context of a model.
func (o *op) warnOfNames(h *schemas.Handoff) (warnings []string, err error) {
	for _, ref := range schemas.OrZero(h.Context).References {
		if _, here := content.PlaceOf(ref.URL, 0); !ref.Kept() && !here {
			warnings = append(warnings, fmt.Sprintf("context.references: handoff cannot fetch %s, so its receiver has to; "+
				"a file of the project goes along as path, a part of another handoff as context://ho_12/detail",
				schemas.Visible(schemas.Clip(ref.URL, 120))))
		}
	}
	for _, f := range schemas.OrZero(h.Context).Files {
		if f.Missing {
			warnings = append(warnings, fmt.Sprintf("context.files: %s is not there", schemas.Visible(schemas.Clip(f.Path, 120))))
		}
	}
	unknown, err := o.unknownAgent(schemas.OrZero(h.Rollback).OnFailure)
	if unknown != "" {
		warnings = append(warnings, "rollback.on_failure: "+unknown)
	}
	return warnings, err
}

// unknownAgent says that nobody has a name, "" for one that somebody has. The text is that of MisconfiguredError in the
// kernl handoffs design.
//
// Somebody has a name who acts over an open connection, who has a row, or whose mailbox holds something. It is a
// warning and no error: an agent may come under this name before anything goes back to it.
func (o *op) unknownAgent(name schemas.Agent) (string, error) {
	if name == "" || name == schemas.Human || name == schemas.System || name == o.by.Agent || o.here.Acting(name) {
		return "", nil
	}
	a, err := o.Agent(name)
	if a != nil || err != nil {
		return "", err
	}
	m, err := o.Mailbox(schemas.Address(name))
	if m != (store.Mailbox{}) || err != nil {
		return "", err
	}
	return fmt.Sprintf("Agent not found: %s", name), nil
}
