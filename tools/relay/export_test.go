package relay

// LoseSeat breaks off what is between this process and the owner, as trouble of the system may that nobody can
// bring about in a test.
func (r *Relay) LoseSeat() {
	r.mu.Lock()
	s := r.seat
	r.mu.Unlock()
	s.lose(errMoved)
}
