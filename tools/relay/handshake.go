package relay

import (
	"context"
	"encoding/json"
	"net/http"

	"handoff/tools/relay/platform"
)

// meetOwner finds the owner and makes sure that both programs understand each other. The error is errMoved when there
// is no owner, or none any more, and *stalled when there is a process that does not answer.
func (r *Relay) meetOwner(ctx context.Context) (*route, error) {
	note, ok := ReadNote(r.config.Dir)
	if !ok || r.hasLock() || !r.isOfThisLock(note) { // hasLock after reading: the note may be our own
		return nil, errMoved
	}
	c := newClient(r.config, note)
	met, err := c.probe(ctx)
	if err == nil && !r.isOfThisLock(met) {
		err = errMoved
	}
	if err == nil {
		err = r.negotiate(ctx, c, met)
	}
	if err == nil && r.hasLock() { // this process got the lock meanwhile, and may have met itself
		err = errMoved
	}
	if err != nil {
		c.route.lose(errMoved)
		return nil, err
	}
	r.announceConnections(ctx, c.route)
	return c.route, nil
}

// isOfThisLock reports whether a note is of the owner of this workspace. The note in a copy of a directory is of the
// owner of the original.
func (r *Relay) isOfThisLock(n Note) bool {
	return n.Lock == "" || n.Lock == platform.FileID(lockPath(r.config.Dir))
}

// negotiate asks an owner to give the store up when this process precedes it: when this program is newer, so that all
// processes get what an upgrade repairs, or when the owner is a command, which people stop and forget. An owner that
// does not give the store up is used, if both programs have a version of the protocol in common.
func (r *Relay) negotiate(ctx context.Context, c *client, met Note) error {
	if r.candidate().precedes(met) {
		r.joinQueue() // before asking: the lock goes to a process that waits for it
		if c.askToYield(ctx, r.candidate()) {
			return errMoved
		}
	}
	if _, ok := met.Protocol.common(supported); ok {
		return nil
	}
	return incompatible(r.config, met)
}

func (c *client) askToYield(ctx context.Context, by Note) bool {
	body, err := json.Marshal(by)
	if err != nil {
		return false
	}
	rs, err := c.request(ctx, http.MethodPost, pathYield, body)
	if err != nil {
		return false
	}
	return rs.Body.Close() == nil && rs.StatusCode == http.StatusAccepted
}
