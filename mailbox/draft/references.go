package draft

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"handoff/mailbox/content"
	"handoff/schemas"
	"handoff/store"
)

// maxReferences is the maximum number of references of one handoff. A send with more references is refused, with the
// error limit.
const maxReferences = 32

// hasContent reports whether a reference has content that the server has to store, and not only an address.
// [refuseWorkFields] refuses these references in a message, because content is stored with a handoff's record, and a
// message has no record.
func hasContent(ref schemas.Reference) bool { return ref.Content != "" || ref.Path != "" }

// SeparateContent moves the content out of the references of a context. It returns the context to store, with digests,
// and the contents. It does not change c. The error is invalid for a reference that has not exactly one of content, url
// and path; for two references with the same name; and for a path, because the process that runs where the files are
// should have replaced the path by the file's text. The error is limit for more than 32 references and for content that
// is too long.
//
// SeparateContent neither reads nor writes the store. A send calls it before its transaction, and the transaction
// writes the contents. SeparateContent ignores the digest, bytes and tokens that a caller gives for a reference: it
// computes them, or sets them to zero for a reference without content. Content without a name gets the name text-1,
// text-2 and so on, by its place in the list.
func (m Maker) SeparateContent(c *schemas.Context) (_ *schemas.Context, contents [][]byte, err error) {
	if c == nil || len(c.References) == 0 {
		return c, nil, nil
	}
	if n := len(c.References); n > maxReferences {
		return nil, nil, schemas.Errorf(schemas.Limit, "%d references, at most %d are allowed", n, maxReferences).
			WithField("context.references").WithHint("Put related content into one. Nothing was sent.")
	}
	kept := *c
	kept.References = slices.Clone(c.References)
	for i := range kept.References {
		ref := &kept.References[i]
		if err := checkReference(*ref, kept.References[:i], m.Limits.Content); err != nil {
			return nil, nil, schemas.PrefixField(fmt.Sprintf("context.references[%d]", i), err)
		}
		ref.Digest, ref.Bytes, ref.Tokens = "", 0, 0
		if ref.Content == "" {
			continue
		}
		ref.Name = cmp.Or(ref.Name, fmt.Sprintf("text-%d", i+1))
		contents = append(contents, []byte(ref.Content))
		ref.Digest, ref.Bytes, ref.Tokens = store.ReferenceDigest([]byte(ref.Content)), len(ref.Content), content.CountTokens(ref.Content)
		ref.Content = ""
	}
	return &kept, contents, nil
}

// checkReference checks one reference; before has the references that precede it in the list, for the check of names.
// The field in its error is relative to the reference.
//
// checkReference refuses every path. The owner of the store does not read files for a caller: the caller's own process
// reads the file before, inside its project, and sends the text as content. The name of a reference must not be the
// name of a field of a handoff, because context:// addresses name both in the same way.
func checkReference(ref schemas.Reference, before []schemas.Reference, most int) error {
	switch {
	case ref.Path != "":
		return schemas.Invalidf("path", "no process that can read the file %q saw this call", schemas.EscapeHidden(path.Base(ref.Path))).
			WithHint("Files are read by handoff mcp and by the command line, inside their project. Send the text as content, " +
				"or name the file among those of the context. Nothing was sent.")
	case (ref.Content == "") == (ref.URL == ""):
		return schemas.Invalidf("", "must say one of content, url and path").WithHint("Nothing was sent.")
	case ref.Content == "" || ref.Name == "":
		return nil
	}
	if _, err := schemas.ParseAgent("name", ref.Name); err != nil { // the same characters are allowed
		return schemas.Invalidf("name", "%q is no name for content", schemas.EscapeHidden(schemas.Clip(ref.Name, 80))).
			WithHint("Take 1 to 64 letters, digits, dots, dashes and underscores. Nothing was sent.")
	}
	same := func(other schemas.Reference) bool { return other.Name == ref.Name }
	if content.IsHandoffField(ref.Name) || slices.ContainsFunc(before, same) {
		return schemas.Invalidf("name", "%q is the name of something else in this handoff", ref.Name).
			WithHint("Take another one, as %s.txt. Nothing was sent.", ref.Name)
	}
	if err := schemas.TooBig("content", len(ref.Content), most); err != nil {
		return schemas.AsError(err).WithHint("Send the part that matters, or name the file among those of its context. Nothing was sent.")
	}
	return nil
}
