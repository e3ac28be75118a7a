package relay

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"golang.org/x/mod/semver"
)

// meetOwner finds the owner and makes sure that both programs understand each other. The error is errMoved if no
// process owns the store, or not any more, and *stalled if the owner does not answer.
//
// The owner has two seconds to answer. The connections of this process are announced on the returned route, but no
// call has used it.
func (r *Relay) meetOwner(ctx context.Context) (*route, error) {
	note, ok := r.election.LastOwner(ctx)
	if !ok || r.hasLock() || !r.election.IsNoteOfWorkspace(note) { // hasLock after reading: the note may be our own
		return nil, errMoved
	}
	c := newClient(r, note)
	met, err := c.probe(ctx)
	if err == nil && !r.election.IsNoteOfWorkspace(met) {
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

// negotiate asks an owner to give the store up if this process precedes it. This process precedes the owner if its
// program is newer, so that all processes get the repairs of an upgrade, or if the owner is a command, which people may
// stop and forget. If the owner keeps the store, this process sends its calls to the owner, provided that both programs
// have a common version of the protocol.
//
// The error is errMoved if the owner gives the store up, so that the search goes on; unavailable without a common
// version; nil otherwise.
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

// askToYield asks the owner once, and reports whether it agreed. A broken request counts as a refusal: then this
// process sends its calls to the owner, or searches on if the owner is gone.
func (c *client) askToYield(ctx context.Context, by Note) bool {
	body, _ := json.Marshal(by) // texts and numbers can be encoded
	rs, err := c.request(ctx, http.MethodPost, pathYield, body)
	if err != nil {
		return false
	}
	return rs.Body.Close() == nil && rs.StatusCode == http.StatusAccepted
}

// candidateNote returns the note with which this process asks the owner to give the store up.
func (r *Relay) candidateNote() Note { return Note{Version: r.config.Version, Stays: r.config.Stays} }

// precedes reports whether the process of n should have the store instead of the owner. A process that does not stay
// never should. A process that stays should if its program is newer, or if the owner does not stay and is not newer.
//
// Of two processes at most one precedes the other, so they cannot take the store from each other in turn.
func (n Note) precedes(owner Note) bool {
	return n.Stays && (isNewerVersion(n.Version, owner.Version) || !owner.Stays && !isNewerVersion(owner.Version, n.Version))
}

// isNewerVersion reports whether version a is above b, by semantic versioning. A build without a stamp from git, as by go run,
// has no semantic version and is neither above nor below another.
func isNewerVersion(a, b string) bool {
	return semver.IsValid(a) && semver.IsValid(b) && semver.Compare(a, b) > 0
}

// handleYield gives the store up to a process that precedes this one.
//
// The answer is 202 before the store is closed, and 409 if this process keeps the store or is closing it anyway.
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
