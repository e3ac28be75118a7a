package relay

import "sync"

// inflight counts the calls of other processes that are under way at an owner. A thousand calls that wait need more
// memory than a server of one client is given, so notify hears when there are many.
type inflight struct {
	notify func(many bool) // nil: nobody is told

	mu    sync.Mutex // guards the fields below
	calls int
	many  bool
}

// There are many calls from 256 on, until there are no more than 64.
const (
	many = 256
	few  = 64
)

// enter counts a call until leave is called.
func (c *inflight) enter() (leave func()) {
	c.count(1)
	return func() { c.count(-1) }
}

func (c *inflight) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls += n
	if c.many && c.calls > few || !c.many && c.calls < many {
		return
	}
	c.many = !c.many
	if c.notify != nil {
		c.notify(c.many)
	}
}
