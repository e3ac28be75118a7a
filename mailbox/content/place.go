package content

import (
	"net/url"
	"reflect"
	"strings"

	"handoff/schemas"
)

// scheme begins the address of content that belongs to a handoff.
const scheme = "context://"

// ReferenceTarget is the target of a reference. Path names a field of the handoff, or content that was sent with the
// handoff. An empty Path means the whole message. Part names a part of the text, see [FindPart].
type ReferenceTarget struct {
	Handoff    schemas.ID
	Path, Part string
}

// ParseReference parses a reference, such as context://ho_1/artifacts/2 or context://ho_1/spec.md#Limits. A reference
// without a handoff, such as spec.md, belongs to the handoff with the id `of`. The result ok is false for an address of
// another scheme, such as https, and for a broken escape. It is also false if the reference names no handoff and `of`
// is zero. The caller must check that the target exists.
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

// ContextURL returns the address of named content that was sent with a handoff. The name must not contain # or %,
// because it is not escaped.
func ContextURL(of schemas.ID, name string) string { return scheme + of.String() + "/" + name }

// IsHandoffField reports whether a handoff has a field with this name. The path of a reference may begin with the name
// of a field, so content that is sent along must not have such a name. IsHandoffField reads the fields of the Go types,
// so there is no list of names to maintain.
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
