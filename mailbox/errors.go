package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// The errors by which a function given to [Service.update] undoes everything and tells the method around it why. No
// caller of a method sees them.
var (
	// errNotCompared means that a handoff asked for something and nobody has compared yet.
	errNotCompared = errors.New("what was asked for is to be compared first")

	// errLookFurther means that a transaction passed over as many as it may.
	errLookFurther = errors.New("what is wanted lies further back in the mailbox")
)

// errDryRun undoes a send and carries what it would have answered.
type errDryRun struct{ out schemas.SendOut }

func (errDryRun) Error() string { return "dry run" }

// coded turns the errors of the store into errors for callers, with the way out. Every error of the store passes
// through it before a caller sees it. What a method refused has its code already and passes. The end of the caller's
// context, a disk that is full or fails, a store that is read-only, closed or damaged are unavailable; anything else is
// a fault of this program, whose details go to the log and not to the caller.
func (s *Service) coded(err error) error {
	var coded *schemas.Error
	var dry errDryRun
	switch {
	case err == nil, errors.As(err, &coded), errors.As(err, &dry),
		errors.Is(err, errNotCompared), errors.Is(err, errLookFurther):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return schemas.Errorf(schemas.Unavailable, "the call was cut off before it took effect").
			WithHint("Nothing was done. Call again.").Because(err)
	case errors.Is(err, store.ErrFull):
		return schemas.Errorf(schemas.Unavailable, "the disk is full: %w", err).
			WithHint("Free space and call again. Nothing acknowledged was lost.")
	case errors.Is(err, store.ErrUncertain):
		return schemas.Errorf(schemas.Unavailable, "%w", err).
			WithHint("Nothing acknowledged was lost. Look whether the call took effect before you make it again.")
	case errors.Is(err, store.ErrUnwritten):
		return schemas.Errorf(schemas.Unavailable, "%w", err).WithHint("Call again. Nothing acknowledged was lost.")
	case errors.Is(err, store.ErrReadOnly), errors.Is(err, fs.ErrPermission):
		return schemas.Errorf(schemas.Unavailable, "the store cannot be written: %w", err)
	case errors.Is(err, store.ErrClosed):
		return schemas.Errorf(schemas.Unavailable, "the server is shutting down: %w", err)
	case errors.Is(err, store.ErrCorrupt):
		return schemas.Errorf(schemas.Unavailable, "%w", err)
	}
	return schemas.InternalError(err)
}

// What several operations advise about a handoff.

// claimFirst advises to claim a handoff, where an action needs its holder.
func claimFirst(r *store.Record) schemas.Advice {
	return schemas.Call(schemas.ClaimIn{HandoffID: r.ID.String()}, "claims it, which comes first")
}

// tellAgent advises to send an agent a message.
func tellAgent(a schemas.Agent) schemas.Advice {
	return schemas.Call(schemas.SendIn{To: string(a), Task: schemas.Blank, Type: schemas.TypeMessage}, "tells "+string(a))
}

// askSender advises to ask, with the question left to whoever calls.
func askSender(r *store.Record) schemas.Advice {
	ask := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActAsk, Questions: []string{schemas.Blank}}
	return schemas.Call(ask, "asks the sender")
}

// askPermission advises to ask for what only a person may grant, with the permission left to whoever calls.
func askPermission(r *store.Record) schemas.Advice {
	needs := &schemas.Conditions{NeedsPermission: []string{schemas.Blank}}
	ask := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActAsk, Conditions: needs}
	return schemas.Call(ask, "asks for what only a person may grant")
}

// giveUp advises to fail a handoff, with the reason left to whoever calls.
func giveUp(r *store.Record) schemas.Advice {
	failed := schemas.FailIn{HandoffID: r.ID.String(), FailureDetail: schemas.FailureDetail{Description: schemas.Blank}}
	return schemas.Call(failed, "gives it up")
}

// waitForChange advises to wait until a handoff changes, for as long as one call may wait.
func waitForChange(r *store.Record) schemas.Advice {
	return schemas.Call(schemas.GetIn{HandoffID: r.ID.String(), WaitSeconds: schemas.MaxWait}, "tells when that changes")
}

// forcible advises on a send that its recipient would not take. No call is advised: what is forced upon a name that
// somebody mistyped is lost.
func forcible(err error) error {
	e, coded := errors.AsType[*schemas.Error](err)
	if !coded || e.Code != schemas.NotFound && e.Code != schemas.Conflict {
		return err
	}
	return e.WithNext(schemas.Advice{Say: "To send it all the same, force it."})
}

// mostNamed is how many agents an error lists.
const mostNamed = 20

// enumerate lists agents in a sentence, twenty at most, and counts the others.
func enumerate(names []schemas.Agent) string {
	if len(names) > mostNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(texts(names[:mostNamed]), ", "), len(names)-mostNamed)
	}
	return strings.Join(texts(names), ", ")
}

// texts are names as text.
func texts[T ~string](names []T) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return out
}
