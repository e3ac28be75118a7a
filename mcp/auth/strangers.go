package auth

import (
	"sync"
	"time"
)

// guesses is how many bad tokens a second are looked up for one address; see [limits.take] for how many at once.
const guesses = 10

// strangers slows down whoever sends token after token that is not good. Who shares an address with them, as all
// programs behind one proxy do, goes on as long as their own tokens are good.
type strangers struct {
	guesses *limits // by address

	mu            sync.Mutex // guards the fields below
	recent, older map[string]bool
}

// remembered is how many good tokens are remembered at least, and half of how many at most.
const remembered = 4096

func newStrangers() *strangers {
	return &strangers{guesses: newLimits(), recent: map[string]bool{}}
}

// wait tells when a token of this hash is looked up, zero for now.
func (s *strangers) wait(from, hash string, now time.Time) time.Duration {
	if s.knows(hash) {
		return 0
	}
	return s.guesses.wait(from, now)
}

func (s *strangers) failed(from, hash string, now time.Time) {
	s.guesses.take(from, guesses, now)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.recent, hash)
	delete(s.older, hash)
}

func (s *strangers) knows(hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recent[hash] || s.older[hash]
}

// proved remembers that a token was good. That lets nobody in: it is looked up again each time.
func (s *strangers) proved(hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recent) >= remembered {
		s.recent, s.older = map[string]bool{}, s.recent
	}
	s.recent[hash] = true
}
