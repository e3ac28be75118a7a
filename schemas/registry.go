package schemas

import "time"

// AuditIn holds the arguments of the administrative tool audit_verify.
type AuditIn struct {
	Sizes []uint64 `json:"sizes,omitempty"` // sizes of the tree heads to compare, in events
}

// AuditOut is the result of a walk through the registry: whether every event, link and hash agrees with the records.
// The walk reads the whole store, and changes nothing.
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

// TreeOut is the Merkle tree over the first events, from its stored hashes. They are not compared with the events.
// The root is SHA-256 in base64.
type TreeOut struct {
	Size uint64 `json:"size"`
	Root string `json:"root,omitempty"` // empty for no events
}

// EventsIn holds the arguments of the administrative tool audit_events.
type EventsIn struct {
	After uint64 `json:"after,omitempty"` // the number of an event
}

// EventsOut holds the events after a given one, in order, at most 256. It is empty at the end. Each event has its
// stored form, and its hash is the leaf of the tree.
type EventsOut struct {
	Events [][]byte `json:"events"`
}

// CheckIn holds the arguments of the administrative tool store_check.
type CheckIn struct{}

// CheckOut is the result of a check of the whole store. The check changes nothing.
type CheckOut struct {
	Events   uint64  `json:"events"`
	Handoffs uint64  `json:"handoffs"`
	Root     string  `json:"root"` // of the Merkle tree over all events, base64
	OK       bool    `json:"ok"`
	Found    int     `json:"found,omitempty"`    // number of faults
	Mendable int     `json:"mendable,omitempty"` // number of faults that can be mended
	Faults   []Fault `json:"faults,omitempty"`   // the first twenty
}

// Fault is one fault of a store, in a sentence that names the row.
type Fault struct {
	What  string `json:"what"`
	Mends bool   `json:"mends,omitempty"` // it can be computed again from other rows
}

// BackupIn holds the argument of the administrative tool workspace_backup: the absolute path of an empty file.
type BackupIn struct {
	File string `json:"file" jsonschema:"minLength=1"`
}

// BackupOut is the empty result of workspace_backup: its caller can read the file.
type BackupOut struct{}

// NewestIn holds the arguments of the administrative tool registry_newest.
type NewestIn struct{}

// NewestOut is the position of the registry. A caller that follows changes from there misses no later change.
type NewestOut struct {
	Event   uint64 `json:"event"`             // number of the newest event, zero for none
	Failing string `json:"failing,omitempty"` // why the last change was not stored, for example because of a full disk
}

// StatsIn holds the arguments of the administrative tool workspace_stats.
type StatsIn struct{}

// StatsOut counts the contents of a workspace, for metrics and the doctor.
type StatsOut struct {
	Event     uint64         `json:"event"`     // number of the newest event
	States    map[Status]int `json:"states"`    // handoffs by state
	Mailboxes []MailboxStats `json:"mailboxes"` // at most 200, those with most pending handoffs first
	Commits   Latency        `json:"commits"`   // since the owner opened the store
}

// MailboxStats counts the mail of one mailbox, with the age of the oldest.
type MailboxStats struct {
	Box     Address   `json:"box"`
	Pending int       `json:"pending"`
	Held    int       `json:"held"`
	Unread  int       `json:"unread"`
	Oldest  time.Time `json:"oldest,omitzero"` // when the oldest pending one was sent
}

// Latency is a histogram of durations with cumulative buckets, as in Prometheus.
type Latency struct {
	Count   uint64   `json:"count"`
	Seconds float64  `json:"seconds"` // sum of all durations
	Buckets []uint64 `json:"buckets"` // number of durations up to each of LatencyBounds
}

// NewLatency returns an empty histogram.
func NewLatency() Latency { return Latency{Buckets: make([]uint64, len(LatencyBounds()))} }

// Add adds one duration. A negative one, from a clock that was set back, counts as zero.
func (l *Latency) Add(seconds float64) {
	seconds = max(0, seconds)
	l.Count++
	l.Seconds += seconds
	for i, bound := range LatencyBounds() {
		if seconds <= bound {
			l.Buckets[i]++
		}
	}
}

// LatencyBounds are the upper ends of the buckets of a Latency, in seconds.
func LatencyBounds() []float64 {
	return []float64{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5}
}

// RedactIn holds the arguments of the administrative tool handoff_redact. The field is a path as view full shows it.
// Without a field all texts are replaced.
type RedactIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // or the id of a message
	Field     string `json:"field,omitempty"`
}

// RedactOut is the result of handoff_redact: the number of replaced contents.
type RedactOut struct {
	HandoffID string `json:"handoff_id"`
	Contents  int    `json:"contents"`
}

// RetainIn holds the arguments of the administrative tool store_retain: the time from which everything is kept.
type RetainIn struct {
	Before time.Time `json:"before"`
	DryRun bool      `json:"dry_run,omitempty"`
}

// RetainOut is the result of store_retain: the numbers of handoffs and of their contents that take less space now,
// and the saved bytes.
type RetainOut struct {
	Handoffs int   `json:"handoffs"`
	Contents int   `json:"contents"`
	Bytes    int64 `json:"bytes"`
	Unread   int   `json:"unread,omitempty"` // handoffs that cannot be read, and were skipped
	Free     int64 `json:"free,omitempty"`   // bytes of its file that the store does not use
}

// AdvisedRetention is the retention that a report assumes if its reader gave none: half a year, 180d.
const AdvisedRetention = 180 * 24 * time.Hour
