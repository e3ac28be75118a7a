package content

import (
	"net/url"
	"reflect"
	"strings"

	"handoff/schemas"
)

// scheme begins the address of what a handoff carries.
const scheme = "context://"

// Place is where a reference leads: a handoff, the path of a value in what it says or the name of content that was sent
// with it, and a part of that text, see [Part]. Without a path it is all that was sent.
type Place struct {
	Handoff    schemas.ID
	Path, Part string
}

// PlaceOf reads a reference, such as context://ho_1/artifacts/2 or context://ho_1/spec.md#Limits. One without a
// handoff, as spec.md, is a place in the given one, and none where that is zero; a foreign address is no place. Whether
// the handoff and the value are there is for the caller to see. It is none, too, where an escape cannot be decoded.
func PlaceOf(reference string, of schemas.ID) (p Place, ok bool) {
	path, part, _ := strings.Cut(reference, "#")
	rest, absolute := strings.CutPrefix(path, scheme)
	if !absolute && strings.Contains(path, "://") {
		return p, false
	}
	name, below, _ := strings.Cut(rest, "/")
	id, named := schemas.ParseID(name)
	switch {
	case named && id.String() == name:
		rest, of = below, id
	case absolute, of == 0:
		return p, false
	}
	path, err := url.PathUnescape(rest)
	part, broken := url.PathUnescape(part)
	if err != nil || broken != nil {
		return p, false
	}
	return Place{of, path, part}, true
}

// URL is the address of content with a name that was sent with a handoff. The name is not escaped, so one with # or %
// would not lead back.
func URL(of schemas.ID, name string) string { return scheme + of.String() + "/" + name }

// IsField tells whether a name is that of a field which a path begins with, so that no content may have it. It reads
// the types themselves, so that a new field is reserved without a list of names.
func IsField(name string) bool {
	for _, t := range []reflect.Type{
		reflect.TypeFor[schemas.Handoff](), reflect.TypeFor[schemas.Context](), reflect.TypeFor[schemas.Expectations](),
	} {
		for field := range schemas.Fields(t) {
			if field == name {
				return true
			}
		}
	}
	return false
}
