package cli

import (
	"strings"

	"handoff/schemas"
)

// IsNotice tells the id of a notice, as no_7, which is read, from that of a handoff, which is worked on.
func IsNotice(id string) bool { return strings.HasPrefix(id, "no_") }

// OnlyRead refuses a notice where only a handoff will do.
func OnlyRead(id, lacks string) error {
	id = schemas.Visible(schemas.Clip(id, 80))
	return schemas.Invalidf("ID", "%s is a notice: it %s", id, lacks).
		WithNext(schemas.Call(schemas.GetIn{HandoffID: id}, "reads it"))
}
