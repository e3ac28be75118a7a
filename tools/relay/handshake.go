package relay

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"golang.org/x/mod/semver"
)

// meetOwner finds the owner and makes sure that both programs have a common protocol version. It announces the
// connections of this process on the returned route. The error is errMoved if no process owns the store, and
// *stalledError if the owner does not answer within two seconds.
func (r *Relay) meetOwner(ctx context.Context) (*route, error) {
	note, ok := r.election.LastOwner(ctx)
	if !ok || r.hasLock() { // hasLock after reading: the note may be our own
		return nil, errMoved
	}
	c := newClient(r, note)
	met, err := c.probe(ctx)
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

// negotiate asks an owner to give the store up if this process precedes the owner. This is so if this program is newer,
// so that all processes get the repairs of an upgrade. It is also so if the owner is a command, which a person may stop
// and forget. If the owner keeps the store and both programs have a common protocol version, this process sends its
// calls to the owner.
//
// The error is errMoved if the owner gives the store up, unavailable if there is no common version, and nil otherwise.
func (r *Relay) negotiate(ctx context.Context, c *client, met Note) error {
	if r.candidateNote().precedes(met) {
		r.joinQueue() // before asking: the lock goes to a process that waits for it
		if c.askToYield(ctx, r.candidateNote()) {
			return errMoved
		}
	}
	if met.Protocol.overlaps(supported) {
		return nil
	}
	return incompatibleError(r.config, met)
}

// askToYield asks the owner once to give the store up, and reports whether the owner agreed. A broken request counts as
// a refusal.
func (c *client) askToYield(ctx context.Context, by Note) bool {
	body, _ := json.Marshal(by) // texts and numbers can be encoded
	rs, err := c.request(ctx, http.MethodPost, pathYield, body)
	if err != nil {
		return false
	}
	return rs.Body.Close() == nil && rs.StatusCode == http.StatusAccepted
}

// candidateNote returns the note of this process. The process sends it when it asks the owner to give the store up.
func (r *Relay) candidateNote() Note { return Note{Version: r.config.Version, Stays: r.config.Stays} }

// precedes reports whether the process of n should have the store instead of the owner. It is false if the process of n
// does not stay. A process that stays should have the store if its program is newer, or if the owner does not stay and
// is not newer.
//
// Of two processes at most one precedes the other, so the store cannot go back and forth between two processes.
func (n Note) precedes(owner Note) bool {
	return n.Stays && (isNewerVersion(n.Version, owner.Version) || !owner.Stays && !isNewerVersion(owner.Version, n.Version))
}

// isNewerVersion reports whether version a is above version b, by semantic versioning. It returns false if one of them
// is no semantic version, as in a build by go run.
func isNewerVersion(a, b string) bool {
	return semver.IsValid(a) && semver.IsValid(b) && semver.Compare(a, b) > 0
}

// handleYield gives the store up to a process that precedes this one. It answers 202 before the store is closed. It
// answers 409 if this process keeps the store, or is closing it already.
func (o *owner) handleYield(w http.ResponseWriter, r *http.Request) {
	var by Note
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&by)
	status := http.StatusConflict
	if err == nil && by.precedes(o.note) &&
		o.relay.resign(o, "another process has precedence", slog.String("version", by.Version)) {
		status = http.StatusAccepted
	}
	w.WriteHeader(status)
}
