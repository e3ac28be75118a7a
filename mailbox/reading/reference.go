package reading

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/content"
	"handoff/schemas"
	"handoff/store"
)

// showReference shows one page of the text that a reference names. A reference names content that was sent under a
// name, a field of the message, a field of the outcome (with the prefix outcome/), the content of an event (events/5),
// or the whole message as JSON. All pages together are the stored text, byte for byte.
func (Reader) showReference(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	text, err := LookupReference(v, r.ID, in.Reference)
	if err != nil {
		return err
	}
	if in.Reference == "references" {
		h, err := ReadHandoff(v, r)
		if err != nil {
			return err
		}
		out.Readable = storedReferenceNames(h.Context)
	}
	out.Content, out.NextOffset, err = content.CutPage(text, in.Offset, in.MaxTokens)
	return err
}

// storedReferenceNames returns the names of the references in a context whose content is in the store.
func storedReferenceNames(c *schemas.Context) (names []string) {
	for _, ref := range schemas.ValueOrZero(c).References {
		if ref.IsKept() {
			names = append(names, ref.Name)
		}
	}
	return names
}

// LookupReference returns the text that a reference of a handoff names, see [content.ParseReference]. A field of the
// context or the expectations needs no prefix ("decisions"). A field of the outcome needs the prefix outcome/. The
// error is not_found for an unknown handoff, name or part of a path. Then the error quotes the reference and lists the
// names that exist. Other errors are returned unchanged, for example for content that does not match its digest.
func LookupReference(v *store.View, of schemas.ID, reference string) (text string, err error) {
	place, ok := content.ParseReference(reference, of)
	if !ok {
		return "", unknownReferenceError(of, reference).WithChoices("context://" + of.String())
	}
	r, err := v.Record(place.Handoff)
	if err != nil {
		return "", err
	}
	if r == nil {
		return "", schemas.Errorf(schemas.NotFound, "there is no handoff %s to refer to", place.Handoff).WithField("reference")
	}
	said, err := v.RawContent(r.ID, r.Body)
	if err != nil {
		return "", err
	}
	if place.Path != "" {
		if said, err = textAtPath(v, r, said, place.Path); err != nil {
			return "", withExistingNames(err, r, unknownReferenceError(of, reference))
		}
	}
	if text, err = content.FindPart(string(said), place.Part); err != nil {
		all := schemas.GetIn{HandoffID: r.ID.String(), View: "reference", Reference: place.Path}
		return "", schemas.AsError(err).WithField("reference").WithNext(schemas.AdviseCall(all, "reads it from its beginning"))
	}
	return text, nil
}

// textAtPath returns the text of the message at a path. If the message has no such text and the path begins with
// outcome/, it returns the field of the outcome.
func textAtPath(v *store.View, r *store.Record, said []byte, path string) ([]byte, error) {
	if rest, event := strings.CutPrefix(path, eventsPath); event {
		return eventField(v, r, rest)
	}
	found, err := messageText(v, said, path)
	if path, below := strings.CutPrefix(path, outcomePath); below && err != nil && r.Result != 0 {
		return outcomeField(v, r, path)
	}
	return found, err
}

// withExistingNames replaces an error for a missing part of a path by the error `unknown`, and adds the names that
// exist. It returns all other errors unchanged.
func withExistingNames(err error, r *store.Record, unknown *schemas.Error) error {
	e := schemas.AsError(err)
	if e.Code != schemas.NotFound {
		return err
	}
	hint := e.Hint
	if hint == "" && r.Result != 0 {
		hint = "What came of it is below " + outcomePath + ", as " + outcomePath + "detail."
	}
	return unknown.WithChoices(e.Known...).WithHint("%s", hint)
}

// eventsPath begins the path of the content of an event.
const eventsPath = "events/"

// eventField returns the content of an event of the handoff, or a field of it. The path is the number of the event, and
// perhaps the path of the field.
func eventField(v *store.View, r *store.Record, path string) ([]byte, error) {
	number, field, whole := strings.Cut(path, "/")
	n, _ := strconv.ParseUint(number, 10, 64) // there is no event 0
	said, err := v.RawContent(r.ID, n)
	if err == nil && len(said) == 0 {
		err = schemas.Errorf(schemas.NotFound, "there is no such event, or it has no content")
	}
	if err == nil && whole {
		said, err = fieldAtPath(said, field, nil)
	}
	return said, err
}

// outcomePath begins the path of a field of the outcome.
const outcomePath = "outcome/"

// outcomeField returns the field of the outcome at a path, as its holder wrote it or else as agents read it, see
// [schemas.Result.AsRead]. If the field does not exist, the error lists the fields of the outcome.
func outcomeField(v *store.View, r *store.Record, path string) ([]byte, error) {
	said, err := v.RawContent(r.ID, r.Result)
	if err == nil {
		said, err = readableField(said, path)
	}
	if e, ok := errors.AsType[*schemas.Error](err); ok {
		err = e.WithChoices(schemas.Map(e.Known, func(name string) string { return outcomePath + name })...)
	}
	return said, err
}

// readableField returns the field of an outcome at a path. Only a completion is read in another form than it was
// written.
func readableField(said []byte, path string) ([]byte, error) {
	text, unwritten := fieldAtPath(said, path, nil)
	var done schemas.Completion
	if unwritten == nil || schemas.Decode(said, &done) != nil {
		return text, unwritten
	}
	done.Result = done.AsRead()
	read, err := schemas.Encode(done)
	if err == nil {
		text, err = fieldAtPath(read, path, nil)
	}
	if err != nil {
		return nil, unwritten
	}
	return text, nil
}

// unknownReferenceError returns the error for an unknown reference, which advises a call that shows the message. It
// quotes at most 80 bytes of the reference, because callers may send a reference of any length.
func unknownReferenceError(of schemas.ID, reference string) *schemas.Error {
	e := schemas.Errorf(schemas.NotFound, "%s has no reference %q", of, schemas.EscapeHidden(schemas.Clip(reference, 80)))
	return e.WithField("reference").
		WithNext(schemas.AdviseCall(schemas.GetIn{HandoffID: of.String(), View: "reference"}, "shows what was sent"))
}

// messageText returns a text of the message: the content with this name or digest, or else the field at this path. If
// the message has only the address of the content, the error gives the address, because the server does not fetch
// content.
func messageText(v *store.View, said []byte, path string) ([]byte, error) {
	var sent schemas.Handoff
	if err := schemas.Decode(said, &sent); err != nil {
		return nil, err
	}
	var url string
	var known []string
	for _, ref := range schemas.ValueOrZero(sent.Context).References {
		switch named := ref.Name == path; {
		case ref.IsKept() && (named || ref.Digest == path):
			return storedContent(v, ref.Digest)
		case ref.Digest == schemas.NotKept && named:
			return nil, expiredContentError()
		case named && ref.URL != "":
			url = ref.URL
		}
		if ref.Name != "" && ref.Digest != schemas.NotKept {
			known = append(known, ref.Name)
		}
	}
	text, err := fieldAtPath(said, path, known)
	if err != nil && url != "" {
		return nil, addressOnlyError(url)
	}
	return text, err
}

// storedContent returns the stored content with a digest.
func storedContent(v *store.View, digest string) ([]byte, error) {
	kept, err := v.Reference(digest)
	if kept == nil && err == nil {
		err = schemas.Errorf(schemas.NotFound, "it is gone").WithHint("A person took the content out.")
	}
	return kept, err
}

// addressOnlyError returns the error for a reference that has only an address.
func addressOnlyError(url string) error {
	hint := "It is at %s, which handoff cannot fetch."
	if _, here := content.ParseReference(url, 0); here {
		hint = "Read it as %s."
	}
	return schemas.Errorf(schemas.NotFound, "it is elsewhere").WithHint(hint, schemas.EscapeHidden(schemas.Clip(url, 120)))
}

// fieldAtPath returns the field of a message or an outcome at a path. It looks for the path in the context, then in the
// expectations, then in the whole value. The error lists existing names: for "decisions/9" the names below decisions,
// and for "decision" the names in `known` and the names of all fields.
func fieldAtPath(said []byte, path string, known []string) ([]byte, error) {
	first, _, _ := strings.Cut(path, "/")
	for _, in := range []string{"context/", "expectations/", ""} {
		raw, err := content.ValueAtPointer(said, in+path)
		if err == nil {
			text := content.TextOfJSON(raw)
			if text == compose.NotKept {
				err = expiredContentError()
			}
			return []byte(text), err
		}
		if _, absent := content.ValueAtPointer(said, in+first); absent == nil {
			return nil, err
		}
		known = append(known, schemas.AsError(err).Known...)
	}
	known = slices.DeleteFunc(known, func(name string) bool { return name == schemas.NotKept })
	slices.Sort(known)
	return nil, schemas.Errorf(schemas.NotFound, "there is no such field").WithChoices(slices.Compact(known)...)
}

// expiredContentError returns the error for content that a retention deleted.
func expiredContentError() *schemas.Error {
	return schemas.Errorf(schemas.NotFound, "it is gone").WithHint("It is no longer kept: its handoff ended long ago.")
}
