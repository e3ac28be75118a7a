package mailbox

import (
	"time"

	"handoff/store"
)

// grace is how long a claim outlives its connection.
const grace = 2 * time.Minute

// The connection over which a handoff was claimed is open, gone, or nobody knows: a service that has just begun does
// not know the connections of the one before, which may be announced yet.

// broken tells whether the connection over which r was claimed is gone. Then an agent of the holder's name may take r
// again. It is gone if it was closed, if nobody announces connections of an earlier service, or after the grace.
func (o *op) broken(r *store.Record) bool {
	return r.Conn != "" && !o.isOpen(r.Conn) && (r.Left || o.Alone || o.now.Sub(o.started) > grace)
}

// gone tells whether the connection of r is gone and had its time to come back.
func (o *op) gone(r *store.Record) bool {
	return o.broken(r) && (r.Left || o.now.Sub(o.started) > grace)
}

// awaited tells whether the connection of r may still come back.
func (o *op) awaited(r *store.Record) bool {
	return r.Conn != "" && !o.isOpen(r.Conn) && !o.gone(r)
}
