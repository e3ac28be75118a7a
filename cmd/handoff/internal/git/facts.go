package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// factPatience is how long callers wait for one answer, from the first caller on.
const factPatience = 5 * time.Second

// factTime is the time after which git is killed.
const factTime = 30 * time.Second

// A process remembers at most maxFacts answers of at most maxFact bytes.
const maxFacts, maxFact = 1000, 64 << 10

// fact is an answer of git that stays true, because the question names commits by their whole ids.
type fact struct {
	began time.Time
	done  chan struct{} // closed when out and err are set
	out   string
	err   error
}

var facts struct {
	mu    sync.Mutex // guards known
	known map[string]*fact
}

// runFact is [Repository.run] for a question whose answer stays true. It asks git once, for all callers, and remembers
// the answer. The end of ctx ends the wait of this caller, and not the process. If git has not answered five seconds
// after the first caller asked, the error is [context.DeadlineExceeded], at once for further callers. An error is not
// remembered.
//
// A deeper clone of a shallow repository changes the history of a commit, so the answer counts for one list of the
// shallow commits. The watched files change the answer, too.
func (r Repository) runFact(ctx context.Context, watched []string, args ...string) (string, error) {
	key := strings.Join(append([]string{r.Common, r.Root, fileVersions(append(watched, filepath.Join(r.Common, "shallow")))}, args...), "\x00")
	facts.mu.Lock()
	f := facts.known[key]
	if f == nil {
		f = &fact{began: time.Now(), done: make(chan struct{})}
		if facts.known == nil || len(facts.known) >= maxFacts {
			facts.known = map[string]*fact{}
		}
		facts.known[key] = f
		go r.ask(f, key, args) //nolint:gosec // the end of one caller must not end the question of all
	}
	facts.mu.Unlock()
	ctx, cancel := context.WithDeadline(ctx, f.began.Add(factPatience))
	defer cancel()
	if !waitFor(ctx, f.done) {
		return "", ctx.Err()
	}
	return f.out, f.err
}

// waitFor waits until done is closed, but not after the end of ctx. It reports whether done is closed, also if ctx ended
// long ago.
func waitFor(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func (r Repository) ask(f *fact, key string, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), factTime)
	defer cancel()
	defer close(f.done)
	if f.out, f.err = r.run(ctx, args...); f.err != nil || len(f.out) > maxFact {
		facts.mu.Lock()
		defer facts.mu.Unlock()
		delete(facts.known, key)
	}
}

// fileVersions returns a text that changes when one of the files is written.
func fileVersions(paths []string) (versions string) {
	for _, path := range paths {
		versions += " "
		if info, err := os.Stat(path); err == nil {
			versions += fmt.Sprint(info.ModTime().UnixNano(), info.Size())
		}
	}
	return versions
}
