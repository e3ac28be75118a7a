package longpoll

// Size returns how many lists and waiters a hub keeps. In a long-lived server they must not grow.
func (h *Hub) Size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lists) + len(h.waiters)
}
