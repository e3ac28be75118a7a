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

// maxReferences is the maximum number of references of one handoff.
const maxReferences = 32

// hasContent reports whether a reference has content for the store, or a path to it. It returns false for a reference
// with only a url.
func hasContent(ref schemas.Reference) bool { return ref.Content != "" || ref.Path != "" }

// SeparateContent moves the content out of the references of a context. It returns a changed copy of the context, in
// which digests replace the content, and the contents. The caller stores the contents. Content without a name is named
// text-1, text-2 and so on.
//
// The error is invalid for a reference with a path, for a reference that does not have exactly one of content and url,
// and for two references with the same name. The error is limit for more than 32 references and for content that is too
// long.
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

// checkReference checks one reference. before has the earlier references of the list, for the check of names. A name
// must not equal the name of a field of a handoff, because a context:// address uses both in the same way.
//
// A path is refused. The caller's process must read the file inside its project and send the content, because the
// server reads no files for a caller. The field of the error is relative to the reference.
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
	if err := schemas.CheckBytes("content", len(ref.Content), most); err != nil {
		return schemas.AsError(err).WithHint("Send the part that matters, or name the file among those of its context. Nothing was sent.")
	}
	return nil
}
