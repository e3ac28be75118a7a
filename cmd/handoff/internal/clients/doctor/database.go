package doctor

import (
	"time"

	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/tools/relay"
)

// ExamineDatabase examines the owner of a workspace in a database. Found holds this workspace, or is empty if the
// database has no workspace of this name.
func ExamineDatabase(database string, found []cluster.Workspace, now time.Time, sh CommandBuilder) []Finding {
	if len(found) == 0 {
		return []Finding{skipped(aboutStore, "%s has no such workspace yet: the first who uses it makes it", database)}
	}
	return []Finding{ok(aboutStore, "it is in %s", database), examineDatabaseOwner(found[0].Owner, now, sh)}
}

func examineDatabaseOwner(owner *relay.Note, now time.Time, sh CommandBuilder) Finding {
	switch {
	case owner == nil:
		return ok(aboutOwner, "nobody has the workspace open: the next who uses it does")
	case owner.Version != "" && owner.Version != sh.Program.Version:
		return warning(aboutOwner, "the node at %s is handoff %s, and this is %s: upgrade the older one",
			owner.Address.Addr, owner.Version, sh.Program.Version)
	}
	return ok(aboutOwner, "the node at %s, for %s", owner.Address.Addr, terminal.FormatAge(now.Sub(owner.Started)))
}

// DatabaseUnreachable returns the finding that a database, or a workspace in it, does not open.
func DatabaseUnreachable(err error) Finding { return failure(aboutStore, "%s", messageWithHint(err)) }
