package doctor

import (
	"context"
	"errors"
	"time"

	"handoff/cmd/handoff/internal/shell"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
)

const (
	verifiable = 32 << 20 // bytes of a store that is verified in the time there is
	verifying  = 5 * time.Second
)

// Store examines what is in a workspace, through the process that has it open. It verifies the registry if the store
// is small enough for that.
func Store(ctx context.Context, boxes tools.Invoker, file workspace.File, sh Shell) []Finding {
	newest, err := tools.Ask[schemas.NewestOut](ctx, boxes, tools.Call{Tool: "registry_newest"}, schemas.NewestIn{})
	if err != nil {
		return []Finding{Closed(err, sh)}
	}
	all := []Finding{ok(aboutStore, "it opens, and holds %s in %.1f MiB",
		counted(newest.Event, "event"), float64(file.Bytes)/(1<<20))}
	if newest.Failing != "" {
		all = []Finding{failure(aboutStore, "the last change could not be kept: %s", newest.Failing).
			try("df -h " + shell.Quote(file.Path))}
	}
	return append(all, verified(ctx, boxes, file, sh.line("audit verify")))
}

// Closed is the finding about a store that does not open.
func Closed(err error, sh Shell) Finding {
	return failure(aboutStore, "it does not open: %s", explained(err)).try(sh.line("logs"))
}

// Nowhere is the finding about a missing workspace. Outside of projects that is no fault, unless somebody named one.
func Nowhere(err error, asked workspace.Config) Finding {
	say := failure
	if asked.Name == "" && asked.Dir == "" && schemas.AsError(err).Code == schemas.Invalid {
		say = skipped
	}
	return say(aboutStore, "%s", explained(err))
}

// Homeless is the finding that no client was examined: without a home directory nobody knows where their files are.
func Homeless(err error) Finding {
	return failure(aboutClients, "none was looked at: %s", explained(err))
}

// explained is an error with its hint.
func explained(err error) string {
	coded := schemas.AsError(err)
	if coded.Hint == "" {
		return coded.Message
	}
	return coded.Message + ". " + coded.Hint
}

// verified compares the registry with the records, as handoff audit verify does, if that is quick.
func verified(ctx context.Context, boxes tools.Invoker, file workspace.File, verify string) Finding {
	if file.Bytes > verifiable {
		return skipped(aboutStore, "whether it is whole was not looked at: it is large").try(verify)
	}
	ctx, end := context.WithTimeout(ctx, verifying)
	defer end()
	out, err := tools.Ask[schemas.AuditOut](ctx, boxes, tools.Call{Tool: "audit_verify"}, schemas.AuditIn{})
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return skipped(aboutStore, "whether it is whole was not found out in time").try(verify)
	case err != nil:
		return failure(aboutStore, "whether it is whole cannot be told: %s", schemas.AsError(err).Message).try(verify)
	case !out.OK && len(out.Problems) > 0:
		return failure(aboutStore, "it was changed by something else than handoff, first: %s", out.Problems[0]).try(verify)
	case !out.OK:
		return failure(aboutStore, "it was changed by something else than handoff").try(verify)
	}
	return ok(aboutStore, "it is whole: %s of %s", counted(out.Events, "event"), counted(out.Handoffs, "handoff"))
}
