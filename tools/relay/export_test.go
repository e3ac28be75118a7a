package relay

// LoseRoute breaks off what is between this process and the owner, as trouble of the system may that nobody can
// bring about in a test.
func (r *Relay) LoseRoute() {
	r.mu.Lock()
	s := r.route
	r.mu.Unlock()
	s.lose(errMoved)
}
