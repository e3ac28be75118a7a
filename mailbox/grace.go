package mailbox

import (
	"time"

	"handoff/store"
)

// grace is how long a claim outlives its connection.
const grace = 2 * time.Minute

// broken tells whether the connection over which r was claimed is no more. Then whoever has the name of its
// holder may take it up again.
func (o *op) broken(r *store.Record) bool {
	return r.Conn != "" && !o.isOpen(r.Conn) && (r.Left || o.Alone || o.now.Sub(o.started) > grace)
}

// gone tells whether it is no more and had its time to come back.
func (o *op) gone(r *store.Record) bool {
	return o.broken(r) && (r.Left || o.now.Sub(o.started) > grace)
}

// awaited tells whether nobody knows yet: this process has just begun, and a connection that it did not see
// may be of the one before.
func (o *op) awaited(r *store.Record) bool {
	return r.Conn != "" && !o.isOpen(r.Conn) && !o.gone(r)
}
