package auth

import (
	"sync"
	"time"
)

// guesses is how many bad tokens a second are looked up for one address. [limits.allow] says how many at once.
const guesses = 10

// guessers slows down addresses that send one bad token after another. A program at the same address, as behind one
// proxy, is not slowed down as long as its own token is valid.
type guessers struct {
	guesses *limits // by address

	mu            sync.Mutex // guards the fields below
	recent, older map[string]bool
}

// remembered is how many valid tokens are remembered at least. At most it is twice as many.
const remembered = 4096

func newGuessers() *guessers {
	return &guessers{guesses: newLimits(), recent: map[string]bool{}}
}

// wait returns how long a token of this hash has to wait until it is looked up, zero for not at all.
func (s *guessers) wait(from, hash string, now time.Time) time.Duration {
	if s.knows(hash) {
		return 0
	}
	return s.guesses.wait(from, now)
}

func (s *guessers) failed(from, hash string, now time.Time) {
	s.guesses.allow(from, guesses, now)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.recent, hash)
	delete(s.older, hash)
}

func (s *guessers) knows(hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recent[hash] || s.older[hash]
}

// proved remembers that a token was valid. It is looked up again each time all the same.
func (s *guessers) proved(hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recent) >= remembered {
		s.recent, s.older = map[string]bool{}, s.recent
	}
	s.recent[hash] = true
}
