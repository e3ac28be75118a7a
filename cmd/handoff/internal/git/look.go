package git

import (
	"context"
	"sync"
	"time"
)

// LookTime is the time limit of a [Look]. Then git is killed.
const LookTime = 30 * time.Second

// Look is one run of git status in a working tree. It belongs to all callers that asked before it began.
type Look struct {
	Began       time.Time
	Commit      string   // of HEAD when it began
	Uncommitted []string // files with changes that are in no commit, untracked files last
	Err         error

	in   Repository
	done chan struct{} // closed when the fields are set; Began and Commit are set earlier
}

// Wait waits for the end of the look, but not after the end of ctx. It reports whether the look has ended.
func (k *Look) Wait(ctx context.Context) bool { return waitFor(ctx, k.done) }

// Looker looks at one working tree for uncommitted files, at most once at a time. A look costs one lstat for each file
// of the tree, so callers share it, and a caller that stops waiting does not end it. The methods may be called
// concurrently.
type Looker struct {
	mu      sync.Mutex // guards the fields below
	running *Look
	next    *Look // begins when the running look has ended; nil if nobody asked for it
	last    *Look // without an error; nil if there is none
}

// Next returns a look that begins after the call, as soon as the running look has ended.
func (l *Looker) Next(r Repository) *Look {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = &Look{in: r, done: make(chan struct{})}
	}
	k := l.next
	if l.running == nil {
		l.begin(k)
	}
	return k
}

func (l *Looker) begin(k *Look) {
	l.running, l.next = k, nil
	k.Began = time.Now()
	_, k.Commit = k.in.Head()
	go l.look(k)
}

// look runs a look, and begins the next one.
func (l *Looker) look(k *Look) {
	ctx, cancel := context.WithTimeout(context.Background(), LookTime)
	defer cancel()
	k.Uncommitted, k.Err = k.in.UncommittedFiles(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.Err == nil {
		l.last = k
	}
	l.running = nil
	close(k.done)
	if l.next != nil {
		l.begin(l.next)
	}
}

// Last returns the last look that ended without an error, if HEAD was at the commit and the look is not older than age.
// Otherwise it returns nil.
func (l *Looker) Last(commit string, age time.Duration) *Look {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.last; k != nil && k.Commit == commit && time.Since(k.Began) <= age {
		return k
	}
	return nil
}
