package schemas

import "time"

// AuditIn holds the arguments of the administrative tool audit_verify.
type AuditIn struct {
	Sizes []uint64 `json:"sizes,omitempty"` // sizes of the tree heads to compare, in events
}

// AuditOut is the result of audit_verify. OK is true if every event, link and hash of the registry agrees with the
// stored records. The verification reads the whole store and changes nothing.
type AuditOut struct {
	Events   uint64   `json:"events"`
	Handoffs uint64   `json:"handoffs"`
	Root     string   `json:"root"` // of the Merkle tree over all events, base64
	OK       bool     `json:"ok"`
	Problems []string `json:"problems,omitempty"` // the first twenty, each with its event or handoff

	Roots map[uint64]string `json:"roots,omitempty"` // over the first events alone, by their number, as far as the walk came
}

// TreeIn holds the arguments of the administrative tool audit_tree.
type TreeIn struct {
	Size uint64 `json:"size,omitempty"` // of the tree, in events; zero for all
}

// TreeOut is the root of the Merkle tree over the first Size events. It is computed from the stored hashes, without a
// check that these agree with the events. The root is a SHA-256 in base64.
type TreeOut struct {
	Size uint64 `json:"size"`
	Root string `json:"root,omitempty"` // empty for no events
}

// EventsIn holds the arguments of the administrative tool audit_events.
type EventsIn struct {
	After uint64 `json:"after,omitempty"` // the number of an event
}

// EventsOut holds the events after the given event, in order, at most 256. It is empty if there are no more events.
// Each event is given in the bytes in which it is stored; the hash of these bytes is its leaf in the Merkle tree.
type EventsOut struct {
	Events [][]byte `json:"events"`
}

// CheckIn holds the arguments of the administrative tool store_check.
type CheckIn struct{}

// CheckOut is the result of store_check, which checks the whole store and changes nothing.
type CheckOut struct {
	Events   uint64       `json:"events"`
	Handoffs uint64       `json:"handoffs"`
	Root     string       `json:"root"` // of the Merkle tree over all events, base64
	OK       bool         `json:"ok"`
	Found    int          `json:"found,omitempty"`    // number of faults
	Mendable int          `json:"mendable,omitempty"` // number of faults that can be mended
	Faults   []StoreFault `json:"faults,omitempty"`   // the first twenty
}

// StoreFault is one thing that is wrong in a store, as a sentence that names the stored row.
type StoreFault struct {
	What  string `json:"what"`
	Mends bool   `json:"mends,omitempty"` // it can be computed again from other rows
}

// BackupIn holds the argument of the administrative tool workspace_backup: the absolute path of an existing empty file,
// into which the store is copied.
type BackupIn struct {
	File string `json:"file" jsonschema:"minLength=1"`
}

// BackupOut is the result of workspace_backup. It is empty, because the caller can read the file itself.
type BackupOut struct{}

// NewestIn holds the arguments of the administrative tool registry_newest.
type NewestIn struct{}

// NewestOut is the present end of the registry. A caller that reads it first, and then follows the changes after this
// event, misses no change.
type NewestOut struct {
	Event   uint64 `json:"event"`             // number of the newest event, zero for none
	Failing string `json:"failing,omitempty"` // why the last change was not stored, for example because of a full disk
}

// StatsIn holds the arguments of the administrative tool workspace_stats.
type StatsIn struct{}

// StatsOut counts the contents of a workspace. The metrics and the command doctor show these counts.
type StatsOut struct {
	Event     uint64           `json:"event"`     // number of the newest event
	States    map[Status]int   `json:"states"`    // handoffs by state
	Mailboxes []MailboxStats   `json:"mailboxes"` // at most 200, those with most pending handoffs first
	Commits   LatencyHistogram `json:"commits"`   // since the owner opened the store
}

// MailboxStats counts the handoffs and notices of one mailbox, and has the time of its oldest pending handoff.
type MailboxStats struct {
	Box     Address   `json:"box"`
	Pending int       `json:"pending"`
	Held    int       `json:"held"`
	Unread  int       `json:"unread"`
	Oldest  time.Time `json:"oldest,omitzero"` // when the oldest pending one was sent
}

// LatencyHistogram is a histogram of durations. Its buckets are cumulative, as in Prometheus: each counts all durations
// up to its upper end.
type LatencyHistogram struct {
	Count   uint64   `json:"count"`
	Seconds float64  `json:"seconds"` // sum of all durations
	Buckets []uint64 `json:"buckets"` // number of durations up to each of LatencyBounds
}

// NewLatencyHistogram returns an empty histogram.
func NewLatencyHistogram() LatencyHistogram {
	return LatencyHistogram{Buckets: make([]uint64, len(LatencyBounds()))}
}

// Add counts one duration. If the duration is negative, because a clock was set back, Add counts it as zero.
func (l *LatencyHistogram) Add(seconds float64) {
	seconds = max(0, seconds)
	l.Count++
	l.Seconds += seconds
	for i, bound := range LatencyBounds() {
		if seconds <= bound {
			l.Buckets[i]++
		}
	}
}

// LatencyBounds returns the upper ends of the buckets of a [LatencyHistogram], in seconds.
func LatencyBounds() []float64 {
	return []float64{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5}
}

// RedactIn holds the arguments of the administrative tool handoff_redact. Field is the path of the text to replace, in
// the form in which the view "full" of get_handoff shows it. Without a field all texts of the handoff are replaced.
type RedactIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // or the id of a message
	Field     string `json:"field,omitempty"`
}

// RedactOut is the result of handoff_redact: the number of replaced contents.
type RedactOut struct {
	HandoffID string `json:"handoff_id"`
	Contents  int    `json:"contents"`
}

// RetainIn holds the arguments of the administrative tool store_retain, which removes old texts to save space. The
// texts of handoffs that ended at Before or later are kept.
type RetainIn struct {
	Before time.Time `json:"before"`
	DryRun bool      `json:"dry_run,omitempty"`
}

// RetainOut is the result of store_retain: how many handoffs, and how many of their contents, take less space now, and
// how many bytes this saved.
type RetainOut struct {
	Handoffs int   `json:"handoffs"`
	Contents int   `json:"contents"`
	Bytes    int64 `json:"bytes"`
	Unread   int   `json:"unread,omitempty"` // handoffs that cannot be read, and were skipped
	Free     int64 `json:"free,omitempty"`   // bytes of its file that the store does not use
}
