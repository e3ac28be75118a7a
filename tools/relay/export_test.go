package relay

// LoseRoute makes the relay lose its route to the owner, as after a broken socket, which no test can cause at a chosen
// moment.
func (r *Relay) LoseRoute() {
	r.mu.Lock()
	s := r.route
	r.mu.Unlock()
	s.lose(errMoved)
}
