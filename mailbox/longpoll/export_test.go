package longpoll

// CountWaiters returns how many lists and waiters a hub keeps. In a long-lived server they must not grow.
func (h *Hub) CountWaiters() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lists) + len(h.waiters)
}
