package content

import (
	"net/url"
	"reflect"
	"strings"

	"handoff/schemas"
)

// scheme begins the address of content that belongs to a handoff.
const scheme = "context://"

// Place is the target of a reference: a handoff, the path of a field or the name of sent content, and a part of that
// text, see [Part]. Without a path it is the whole sent message.
type Place struct {
	Handoff    schemas.ID
	Path, Part string
}

// ParsePlace parses a reference, such as context://ho_1/artifacts/2 or context://ho_1/spec.md#Limits. A reference
// without a handoff, as spec.md, is a place in the given handoff, and not ok if that is zero. A foreign address and a
// broken escape are not ok. The caller checks that the handoff and the value exist.
func ParsePlace(reference string, of schemas.ID) (p Place, ok bool) {
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

// URL returns the address of named content that was sent with a handoff. It does not escape the name, so a name with #
// or % would not parse back.
func URL(of schemas.ID, name string) string { return scheme + of.String() + "/" + name }

// IsField reports whether name is a field that a path may begin with. Content must not have the name of a field.
// IsField reads the types, so that a new field is reserved without a list of names.
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
