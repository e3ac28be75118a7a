package plugin

import "regexp"

var released = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+[^\]]*)\]`)

// Version gives the newest version that a changelog names. Before the first it is 0.0.0: clients want one, and take
// no notice of a change while it stays the same.
func Version(changelog string) string {
	if found := released.FindStringSubmatch(changelog); found != nil {
		return found[1]
	}
	return "0.0.0"
}
