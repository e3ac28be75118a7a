package process

import "time"

// lookEvery is how often the parent is looked at: often enough for agents that wait for claims of the client, and
// seldom enough for a battery.
const lookEvery = 10 * time.Second

// Follow begins the drain, as a signal does, when the parent changes: then the client has ended, though another process
// keeps the input open. Parent is os.Getppid outside of tests. On Windows it never changes, so there only the end of
// input ends the process.
//
// Linux can send a signal when the parent dies, but sends it already when the thread ends that started this process.
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
