package longpoll

// Kept is how many queues and waiters a hub keeps, which a server that lives long must not collect.
func (h *Hub) Kept() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.queues) + len(h.waiters)
}
