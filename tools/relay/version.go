package relay

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"golang.org/x/mod/semver"

	"handoff/tools/relay/platform"
)

// meet finds the owner and makes sure that both understand each other. It gives errMoved when there is no
// owner, or none any more, and *silence when something is there that does not answer.
func (r *Relay) meet(ctx context.Context) (*seat, error) {
	note, ok := ReadNote(r.config.Dir)
	if !ok || r.hasLock() || !r.isOfOurs(note) { // looked at after reading: the note may be our own
		return nil, errMoved
	}
	c := newClient(r.config, note)
	met, err := c.greet(ctx)
	if err == nil && !r.isOfOurs(met) {
		err = errMoved
	}
	if err == nil {
		err = r.agree(ctx, c, met)
	}
	if err == nil && r.hasLock() { // it was got meanwhile: the one that was met may be this process
		err = errMoved
	}
	if err != nil {
		c.seat.lose(errMoved)
		return nil, err
	}
	r.announce(ctx, c.seat)
	return c.seat, nil
}

// isOfOurs tells whether a note speaks of the owner of this workspace, and not of the one that its directory was
// copied from.
func (r *Relay) isOfOurs(n Note) bool {
	return n.Lock == "" || n.Lock == platform.FileID(lockPath(r.config.Dir))
}

// agree has a newer program take the store over from an older one, so that what an upgrade mends is mended
// for all, and a process that stays from a command, which people stop and forget. Where it cannot, both go on
// if they have a version of the protocol in common.
func (r *Relay) agree(ctx context.Context, c *client, met Note) error {
	if r.asks().precedes(met) {
		r.lineUp() // before asking: the lock goes to who is in line
		if c.askToYield(ctx, r.asks()) {
			return errMoved
		}
	}
	if _, ok := met.Protocol.common(spoken); ok {
		return nil
	}
	return strangers(r.config, met)
}

func (c *client) askToYield(ctx context.Context, asks Note) bool {
	body, err := json.Marshal(asks)
	if err != nil {
		return false
	}
	rs, err := c.request(ctx, http.MethodPost, pathYield, body)
	if err != nil {
		return false
	}
	return rs.Body.Close() == nil && rs.StatusCode == http.StatusAccepted
}

// asks is what this process tells of itself when it asks another to make room.
func (r *Relay) asks() Note { return Note{Version: r.config.Version, Stays: r.config.Stays} }

// precedes tells whether the process of n should have the store rather than that of owner.
func (n Note) precedes(owner Note) bool {
	return n.Stays && (newer(n.Version, owner.Version) || !owner.Stays && !newer(owner.Version, n.Version))
}

// yield makes room for another.
func (o *owner) yield(w http.ResponseWriter, r *http.Request) {
	var asks Note
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&asks)
	if err != nil || !asks.precedes(o.signed()) {
		w.WriteHeader(http.StatusConflict)
		return
	}
	if !o.relay.makeRoom(o, "another process has precedence", slog.String("version", asks.Version)) {
		w.WriteHeader(http.StatusConflict) // not yet, or it is ending anyway
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// makeRoom closes the store and goes to the end of the line for it, as soon as it is open. It does not wait for
// that, and tells whether it can.
func (r *Relay) makeRoom(o *owner, why string, details ...any) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rising && !r.closed { // it listens already: who asks now would not ask again
		r.room = func() { r.makeRoom(o, why, details...) }
		return true
	}
	if r.closed || r.owner != o || o.seat.lost() {
		return false
	}
	r.config.Logger.Info("letting go of the store", append(details, slog.String("why", why))...)
	r.modest = modesty
	r.work.Go(func() {
		if err := o.close(); err != nil {
			r.config.Logger.Error("the store was not closed well", slog.Any("error", err))
		}
		r.mu.Lock()
		r.owner = nil
		r.tell()
		r.mu.Unlock()
		r.lineUp()
	})
	return true
}

// newer tells whether version a is above b, by semantic versioning. What was built from a working tree has no
// version and is neither above nor below another.
func newer(a, b string) bool {
	return semver.IsValid(a) && semver.IsValid(b) && semver.Compare(a, b) > 0
}
