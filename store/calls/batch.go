package calls

import "errors"

// ErrExited is the error of all calls in a transaction if the function of one of them ended its goroutine.
var ErrExited = errors.New("a function given to the store ended the goroutine that ran it: nothing was changed")

// RunWriterLoop runs the loop of a writer until it returns, and finish after that, in a goroutine of its own. A
// function of a call may end that goroutine, as testing.T.FailNow does; then the loop continues in a new one.
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

// AnswerBatch answers the first n calls of a batch: all with err if err is not nil, otherwise each with its own
// outcome. It returns a batch of the other calls, which uses the memory of the old one.
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
