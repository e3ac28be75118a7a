package longpoll

// Size is how many queues and waiters a hub keeps, which a server that lives long must not collect.
func (h *Hub) Size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lists) + len(h.waiters)
}
