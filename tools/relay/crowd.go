package relay

import "sync"

// A crowd are the calls of other processes that are under way at an owner. A thousand that wait have more memory
// than a server of one client is given, so whoever gives it is told when there are many.
type crowd struct {
	told func(many bool) // nil for nobody

	mu    sync.Mutex // guards the fields below
	calls int
	many  bool
}

// There are many from the one number on until the other is reached.
const (
	many = 256
	few  = 64
)

// enter counts a call until leave is called.
func (c *crowd) enter() (leave func()) {
	c.count(1)
	return func() { c.count(-1) }
}

func (c *crowd) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls += n
	if c.many && c.calls > few || !c.many && c.calls < many {
		return
	}
	c.many = !c.many
	if c.told != nil {
		c.told(c.many)
	}
}
