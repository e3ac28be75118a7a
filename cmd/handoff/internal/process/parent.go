package process

import "time"

// lookEvery is how long a client may be gone before its server sees it: often enough for those who wait for
// what the client held, and nothing that a battery notices.
const lookEvery = 10 * time.Second

// Follow stops the process, as a signal does, when its parent changes: the client is gone, though another
// process that has its end of our input keeps that open. Parent is os.Getppid outside of tests; on Windows it
// never changes, so there only the end of input tells.
//
// Linux would send a signal at the death of the parent, but already when the thread ends that started us.
func (l *Life) Follow(parent func() int) {
	client := parent()
	l.wait.Go(func() {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-look.C:
			case <-l.over:
				return
			}
			if parent() != client {
				l.stop()
				return
			}
		}
	})
}
