package reading

import (
	"errors"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/content"
	"handoff/schemas"
	"handoff/store"
)

// showReference shows what a reference leads to, a page at a time: content that was sent under a name, a field of what
// was sent, a field of what came of it below outcome/, or all that was sent as JSON. The pages together are the text as
// the store keeps it, byte for byte; package mcp shows hidden characters in them as escapes.
func (Reader) showReference(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	text, err := Lookup(v, r.ID, in.Reference)
	if err != nil {
		return err
	}
	if in.Reference == "references" {
		h, err := Handoff(v, r)
		if err != nil {
			return err
		}
		out.Readable = keptNames(h.Context)
	}
	out.Content, out.NextOffset, err = content.Page(text, in.Offset, in.MaxTokens)
	return err
}

// keptNames are the names of the references of a context whose content is kept here.
func keptNames(c *schemas.Context) (names []string) {
	for _, ref := range schemas.OrZero(c).References {
		if ref.IsKept() {
			names = append(names, ref.Name)
		}
	}
	return names
}

// Lookup is the text that a reference of a handoff leads to, see [content.PlaceOf]. Fields of the context and of what
// is expected are found without the name of those, and fields of what came of it below outcome/. The error is
// not_found, with what there is, for a handoff, a name or a part that does not exist.
//
// Whatever is missing on the way becomes one not_found about the reference that was given, with what there is instead;
// any other error, such as that of changed content, passes through.
func Lookup(v *store.View, of schemas.ID, reference string) (text string, err error) {
	place, ok := content.PlaceOf(reference, of)
	if !ok {
		return "", unknownReference(of, reference).WithKnown("context://" + of.String())
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
		if said, err = textAt(v, r, said, place.Path); err != nil {
			return "", withAlternatives(err, r, unknownReference(of, reference))
		}
	}
	if text, err = content.Part(string(said), place.Part); err != nil {
		all := schemas.GetIn{HandoffID: r.ID.String(), View: "reference", Reference: place.Path}
		return "", schemas.AsError(err).WithField("reference").WithNext(schemas.Call(all, "reads it from its beginning"))
	}
	return text, nil
}

// textAt is what stands at a path of what was sent, or of what came of it.
func textAt(v *store.View, r *store.Record, said []byte, path string) ([]byte, error) {
	found, err := sentText(v, said, path)
	if path, below := strings.CutPrefix(path, outcomePath); below && err != nil && r.Result != 0 {
		return outcomeField(v, r, path)
	}
	return found, err
}

// withAlternatives is the error for a reference of which a part was not found: it has what there is instead. Another error, such
// as that of content that was changed, stays.
func withAlternatives(err error, r *store.Record, unknown *schemas.Error) error {
	e := schemas.AsError(err)
	if e.Code != schemas.NotFound {
		return err
	}
	hint := e.Hint
	if hint == "" && r.Result != 0 {
		hint = "What came of it is below " + outcomePath + ", as " + outcomePath + "detail."
	}
	return unknown.WithKnown(e.Known...).WithHint("%s", hint)
}

// outcomePath is before the path of a field of what came of a handoff.
const outcomePath = "outcome/"

// outcomeField is a field of what came of a handoff, by its path. The error has what there is below outcome/.
func outcomeField(v *store.View, r *store.Record, path string) ([]byte, error) {
	said, err := v.RawContent(r.ID, r.Result)
	if err == nil {
		said, err = field(said, path, nil)
	}
	if e, ok := errors.AsType[*schemas.Error](err); ok {
		err = e.WithKnown(schemas.Map(e.Known, func(name string) string { return outcomePath + name })...)
	}
	return said, err
}

// unknownReference refuses a reference that leads nowhere. Its next call shows what was sent. The reference is clipped to 80
// bytes, since callers may write one of any length.
func unknownReference(of schemas.ID, reference string) *schemas.Error {
	e := schemas.Errorf(schemas.NotFound, "%s has no reference %q", of, schemas.Visible(schemas.Clip(reference, 80)))
	return e.WithField("reference").
		WithNext(schemas.Call(schemas.GetIn{HandoffID: of.String(), View: "reference"}, "shows what was sent"))
}

// sentText is a text of what was sent: content by name or digest, else a field by its path. Where a reference with that
// name names something else, nothing is fetched: the error says where it is.
func sentText(v *store.View, said []byte, path string) ([]byte, error) {
	var sent schemas.Handoff
	if err := schemas.Decode(said, &sent); err != nil {
		return nil, err
	}
	var url string
	var known []string
	for _, ref := range schemas.OrZero(sent.Context).References {
		switch named := ref.Name == path; {
		case ref.IsKept() && (named || ref.Digest == path):
			return keptContent(v, ref.Digest)
		case ref.Digest == schemas.NotKept && named:
			return nil, goneByRetention()
		case named && ref.URL != "":
			url = ref.URL
		}
		if ref.Name != "" && ref.Digest != schemas.NotKept {
			known = append(known, ref.Name)
		}
	}
	text, err := field(said, path, known)
	if err != nil && url != "" {
		return nil, addressOnly(url)
	}
	return text, err
}

// keptContent is the content that was sent along with a digest.
func keptContent(v *store.View, digest string) ([]byte, error) {
	kept, err := v.Reference(digest)
	if kept == nil && err == nil {
		err = schemas.Errorf(schemas.NotFound, "it is gone").WithHint("A person took the content out.")
	}
	return kept, err
}

// addressOnly refuses a reference to what only an address names.
func addressOnly(url string) error {
	hint := "It is at %s, which handoff cannot fetch."
	if _, here := content.PlaceOf(url, 0); here {
		hint = "Read it as %s."
	}
	return schemas.Errorf(schemas.NotFound, "it is elsewhere").WithHint(hint, schemas.Visible(schemas.Clip(url, 120)))
}

// field is a field of what was sent or handed in, by its path. The error has what there is where the path ends: below a
// field that is there, and beside the names that are known, where none is. The path is tried below the context, below
// what is expected, and from the top, in this order.
func field(said []byte, path string, known []string) ([]byte, error) {
	first, _, _ := strings.Cut(path, "/")
	for _, in := range []string{"context/", "expectations/", ""} {
		raw, err := content.Pointer(said, in+path)
		if err == nil {
			text := content.Text(raw)
			if text == compose.NotKept {
				err = goneByRetention()
			}
			return []byte(text), err
		}
		if _, absent := content.Pointer(said, in+first); absent == nil {
			return nil, err
		}
		known = append(known, schemas.AsError(err).Known...)
	}
	known = slices.DeleteFunc(known, func(name string) bool { return name == schemas.NotKept })
	slices.Sort(known)
	return nil, schemas.Errorf(schemas.NotFound, "there is no such field").WithKnown(slices.Compact(known)...)
}

// goneByRetention refuses to read what a retention let go of.
func goneByRetention() *schemas.Error {
	return schemas.Errorf(schemas.NotFound, "it is gone").WithHint("It is no longer kept: its handoff ended long ago.")
}
