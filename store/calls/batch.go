package calls

import "errors"

// ErrExited is the error of all calls in a transaction if the function of one call ended its goroutine.
var ErrExited = errors.New("a function given to the store ended the goroutine that ran it: nothing was changed")

// RunWriterLoop runs the loop of a writer in a new goroutine, and then finish. If the function of a call ends that
// goroutine, as testing.T.FailNow does, the loop starts again in another goroutine.
func RunWriterLoop(loop, finish func()) {
	go func() {
		ended := false
		defer func() {
			if !ended {
				RunWriterLoop(loop, finish)
			}
		}()
		loop()
		finish()
		ended = true
	}()
}

// AnswerBatch answers the first n calls of a batch. If err is not nil, each gets err, otherwise each gets its own
// outcome. It returns the other calls, in the same slice as the batch.
func AnswerBatch(batch []*Call, n int, err error) []*Call {
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
