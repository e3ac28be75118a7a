package look

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// newBreakingStream returns a stream of n events. For each number in the map at, the stream fails once after the event
// of that number, with the error in the map.
func newBreakingStream(n uint64, at map[uint64]error, end func()) changeStream {
	return func(_ context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
		return func(yield func(schemas.RegistryChange, error) bool) {
			for ; ; after++ {
				if err, broken := at[after]; broken {
					delete(at, after)
					yield(schemas.RegistryChange{}, err)
					return
				}
				if after == n {
					end()
					return
				}
				if !yield(schemas.RegistryChange{Event: schemas.Event{N: after + 1}}, nil) {
					return
				}
			}
		}
	}
}

// collectEvents follows a breaking stream. It returns the numbers of the events that arrive, and the messages on
// standard error.
func collectEvents(t *testing.T, at map[uint64]error, after uint64, take func(uint64) error) (seen []uint64, told string, err error) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		var errs bytes.Buffer
		a := &cli.App{Env: cli.Env{Stderr: &errs}}
		err = followEvents(ctx, a, newBreakingStream(6, at, end), after, func(c schemas.RegistryChange) error {
			seen = append(seen, c.N)
			return take(c.N)
		})
		told = errs.String()
	})
	return seen, told, err
}

func acceptEvent(uint64) error { return nil }

func TestFollow_ContinuesBrokenStream(t *testing.T) {
	away := schemas.Errorf(schemas.Unavailable, "the owner does not answer")
	seen, told, err := collectEvents(t, map[uint64]error{0: away, 3: away, 4: away}, 0, acceptEvent)
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 2, 3, 4, 5, 6}, seen)
	require.Equal(t, "handoff: the owner does not answer\n  Watching goes on as soon as that is over.\n", told[:len(told)/3])
}

func TestFollow_ReportsOutageOnce(t *testing.T) {
	away := schemas.Errorf(schemas.Unavailable, "away")
	failures := 3
	seen, told, err := collectEvents(t, nil, 2, func(n uint64) error {
		if n == 4 && failures > 0 {
			failures--
			return away
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []uint64{3, 4, 4, 4, 4, 5, 6}, seen)
	require.Equal(t, "handoff: away\n  Watching goes on as soon as that is over.\n", told)
}

func TestFollow_EndsOnOtherErrors(t *testing.T) {
	seen, told, err := collectEvents(t, map[uint64]error{2: schemas.InternalError(nil)}, 0, acceptEvent)
	require.Equal(t, schemas.Internal, schemas.AsError(err).Code)
	require.Equal(t, []uint64{1, 2}, seen)
	require.Empty(t, told)

	full := errors.New("the disk is full")
	seen, _, err = collectEvents(t, nil, 0, func(uint64) error { return full })
	require.ErrorIs(t, err, full)
	require.Equal(t, []uint64{1}, seen)
}
