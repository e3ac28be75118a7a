package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"handoff/mailbox/life"
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
// context, a disk that is full or fails, a database that is away, a store that is read-only, closed or damaged are
// unavailable; anything else is a fault of this program, whose details go to the log and not to the caller.
func (s *Service) coded(err error) error {
	var coded *schemas.Error
	var dry errDryRun
	if errors.As(err, &coded) && coded.Code == schemas.Internal && errors.Unwrap(coded) != nil {
		err, coded = errors.Unwrap(coded), nil // an error of the store that was given the name of a field
	}
	switch {
	case err == nil, errors.As(err, &coded), errors.As(err, &dry),
		errors.Is(err, errNotCompared), errors.Is(err, errLookFurther):
		return err
	case errors.Is(err, store.ErrUncertain): // first: it may have come of a time that was over
		return schemas.Errorf(schemas.Unavailable, "%w", err).
			WithHint("Nothing acknowledged was lost. Look whether the call took effect before you make it again.").After(time.Second)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return schemas.Errorf(schemas.Unavailable, "the call was cut off before it took effect").
			WithHint("Nothing was done. Call again.").Because(err)
	case errors.Is(err, store.ErrFull):
		return schemas.Errorf(schemas.Unavailable, "the disk is full: %w", err).
			WithHint("Free space and call again. Nothing acknowledged was lost.")
	case errors.Is(err, store.ErrUnreachable):
		return schemas.Errorf(schemas.Unavailable, "%w", store.ErrUnreachable).Because(err).
			WithHint("Call again when it is there. Nothing acknowledged was lost.").After(time.Second)
	case errors.Is(err, store.ErrUnwritten):
		return schemas.Errorf(schemas.Unavailable, "%w", err).WithHint("Call again. Nothing acknowledged was lost.")
	case errors.Is(err, store.ErrReadOnly), errors.Is(err, fs.ErrPermission):
		return schemas.Errorf(schemas.Unavailable, "nothing was changed: %w", err).
			WithHint("Look at the permissions of the file and its directory, or connect to the primary of the database.")
	case errors.Is(err, store.ErrFenced):
		return schemas.Errorf(schemas.Unavailable, "the call was not done: %w", err).WithHint("Call again.").After(time.Second)
	case errors.Is(err, store.ErrClosed):
		return schemas.Errorf(schemas.Unavailable, "the server is shutting down: %w", err)
	case errors.Is(err, store.ErrCorrupt):
		return schemas.Errorf(schemas.Unavailable, "%w", err)
	}
	return schemas.InternalError(err)
}

// conflict refuses what the state of a handoff does not allow, and names what took its place.
func conflict(r *store.Record, format string, args ...any) *schemas.Error {
	return schemas.Errorf(schemas.Conflict, format, args...).About(r.ID, r.Status, r.Successor)
}

// What several operations advise about a handoff.

// tellAgent advises to send an agent a message.
func tellAgent(a schemas.Agent) schemas.Advice {
	return schemas.Call(schemas.SendIn{To: string(a), Task: schemas.Blank, Type: schemas.TypeMessage}, "tells "+string(a))
}

// holderDoes advises an action of a holder, with a token or, where none is needed, without. What only the caller knows
// is left to it.
func holderDoes(a life.Action, h schemas.ID, token string) schemas.Advice {
	in := schemas.UpdateIn{HandoffID: h.String(), Token: token, Action: schemas.ActProgress}
	switch a { //nolint:exhaustive // the others report
	case life.Complete:
		done := schemas.CompleteIn{HandoffID: in.HandoffID, Token: token, Result: schemas.Result{Summary: schemas.Blank}}
		return schemas.Call(done, "completes it; say all that you said now")
	case life.Fail:
		given := schemas.FailIn{
			HandoffID: in.HandoffID, Token: token, FailureDetail: schemas.FailureDetail{Description: schemas.Blank},
		}
		return schemas.Call(given, "gives it up")
	case life.Ask:
		in.Action, in.Questions = schemas.ActAsk, []string{schemas.Blank}
		return schemas.Call(in, "asks the sender")
	case life.Release:
		in.Action = schemas.ActRelease
		return schemas.Call(in, "gives it back")
	}
	in.Note = schemas.Blank
	return schemas.Call(in, "reports on it")
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
		return fmt.Sprintf("%s and %d more", strings.Join(schemas.Texts(names[:mostNamed]), ", "), len(names)-mostNamed)
	}
	return strings.Join(schemas.Texts(names), ", ")
}
