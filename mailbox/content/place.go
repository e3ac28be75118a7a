package content

import (
	"net/url"
	"reflect"
	"strings"

	"handoff/schemas"
)

// scheme begins the address of content that belongs to a handoff.
const scheme = "context://"

// ReferenceTarget is the target of a reference. It has three parts: a handoff; in it, the path of a field or the name
// of content that was sent along; and the name of a part of that text, see [FindPart]. If the path is empty, the target
// is the whole message that the sender sent.
type ReferenceTarget struct {
	Handoff    schemas.ID
	Path, Part string
}

// ParseReference parses a reference, such as context://ho_1/artifacts/2 or context://ho_1/spec.md#Limits. A reference
// without a handoff, such as spec.md, means a place in the handoff of. ok is false for a reference without a handoff if
// of is zero, for an address of another scheme, such as https, and for a broken escape. ParseReference does not check
// that the handoff and the value exist; the caller does.
func ParseReference(reference string, of schemas.ID) (p ReferenceTarget, ok bool) {
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
	return ReferenceTarget{of, path, part}, true
}

// ContextURL returns the address of named content that was sent with a handoff. It does not escape the name:
// [ParseReference] would not return the same name if the name contained # or %.
func ContextURL(of schemas.ID, name string) string { return scheme + of.String() + "/" + name }

// IsHandoffField reports whether name is the name of a field of a handoff, with which the path of a reference may
// begin. Content that is sent along must not have the name of a field. IsHandoffField looks at the fields of the Go
// types, so no separate list of names has to be kept up to date.
func IsHandoffField(name string) bool {
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
