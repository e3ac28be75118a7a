package relay

// LoseRoute breaks the link between this process and the owner, like a failure of the system that no test can cause.
func (r *Relay) LoseRoute() {
	r.mu.Lock()
	s := r.route
	r.mu.Unlock()
	s.lose(errMoved)
}
