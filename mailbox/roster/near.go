package roster

import (
	"fmt"
	"strings"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// Near says who takes work from a pool that was likely meant, as "qa takes capability:code": one of the same kind, or of
// any where none was said. It is empty where there is none.
func Near(pool schemas.Address, cards []schemas.Card) string {
	kind, wanted, _ := strings.Cut(string(pool), ":")
	for _, c := range cards {
		for _, box := range Boxes(c)[1:] { // the first is its name
			of, name, _ := strings.Cut(string(box), ":")
			if (kind == "" || of == kind) && name != Anything && len(closest.Meant(loosely(wanted), []string{loosely(name)})) > 0 {
				return fmt.Sprintf("%s takes %s", c.Name, box)
			}
		}
	}
	return ""
}

// loosely is a name without what people spell otherwise.
func loosely(name string) string { return strings.NewReplacer("_", "", "-", "", " ", "").Replace(name) }
