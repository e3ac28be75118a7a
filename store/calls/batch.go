package calls

import "errors"

// ErrExited is the outcome of calls in a transaction in which a function ended its goroutine.
var ErrExited = errors.New("a function given to the store ended the goroutine that ran it: nothing was changed")

// Serve runs the loop of a writer until it returns, and finish after that, in a goroutine of its own. A function of a
// call may end that goroutine, as testing.T.FailNow does; then the loop continues in a new one.
func Serve(loop, finish func()) {
	go func() {
		ended := false
		defer func() {
			if !ended {
				Serve(loop, finish)
			}
		}()
		loop()
		finish()
		ended = true
	}()
}

// Answer answers the first n calls of a batch, with err or else each with its own outcome. It returns the other calls,
// in the same memory.
func Answer(batch []*Call, n int, err error) []*Call {
	for _, c := range batch[:n] {
		if err != nil {
			c.Err = err
		}
		c.Answer(c.Err)
	}
	left := copy(batch, batch[n:])
	clear(batch[left:])
	return batch[:left]
}
