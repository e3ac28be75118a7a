package schemas

import "time"

// AuditIn are the arguments of the administrative tool audit_verify.
type AuditIn struct {
	Sizes []uint64 `json:"sizes,omitempty"` // of the heads that are to be compared, in events
}

// AuditOut is what walking the registry showed: whether every event, link and hash agrees with the records. The walk
// reads the whole store, and changes nothing.
type AuditOut struct {
	Events   uint64   `json:"events"`
	Handoffs uint64   `json:"handoffs"`
	Root     string   `json:"root"` // of the Merkle tree over all events, base64
	OK       bool     `json:"ok"`
	Problems []string `json:"problems,omitempty"` // the first twenty, each naming its event or handoff

	Roots map[uint64]string `json:"roots,omitempty"` // over the first events alone, by how many, as far as the walk came
}

// TreeIn are the arguments of the administrative tool audit_tree.
type TreeIn struct {
	Size uint64 `json:"size,omitempty"` // of the tree, in events; zero for all
}

// TreeOut is the Merkle tree over the first events, by its stored hashes: they are not compared with the events. The
// root is SHA-256 in base64.
type TreeOut struct {
	Size uint64 `json:"size"`
	Root string `json:"root,omitempty"` // empty for no events
}

// EventsIn are the arguments of the administrative tool audit_events.
type EventsIn struct {
	After uint64 `json:"after,omitempty"` // the number of an event
}

// EventsOut are the events after one, in order, at most 256: none at the end. Each is as it is kept, and its hash is the
// leaf of the tree.
type EventsOut struct {
	Events [][]byte `json:"events"`
}

// CheckIn are the arguments of the administrative tool store_check.
type CheckIn struct{}

// CheckOut is what a check of the whole store showed. It changed nothing.
type CheckOut struct {
	Events   uint64  `json:"events"`
	Handoffs uint64  `json:"handoffs"`
	Root     string  `json:"root"` // of the Merkle tree over all events, base64
	OK       bool    `json:"ok"`
	Found    int     `json:"found,omitempty"`    // how many faults there are
	Mendable int     `json:"mendable,omitempty"` // of these, how many can be mended
	Faults   []Fault `json:"faults,omitempty"`   // the first twenty
}

// Fault is one thing that is wrong with a store, in a sentence that names the row.
type Fault struct {
	What  string `json:"what"`
	Mends bool   `json:"mends,omitempty"` // it can be computed again from what is kept
}

// BackupIn are the arguments of the administrative tool workspace_backup: the absolute path of an empty file.
type BackupIn struct {
	File string `json:"file" jsonschema:"minLength=1"`
}

// BackupOut is the result of workspace_backup: what is in the file its caller sees by itself.
type BackupOut struct{}

// NewestIn are the arguments of the administrative tool registry_newest.
type NewestIn struct{}

// NewestOut is where the registry stands: whoever follows changes from there misses nothing after.
type NewestOut struct {
	Event   uint64 `json:"event"`             // number of the newest event, zero for none
	Failing string `json:"failing,omitempty"` // why the last change could not be kept, as on a full disk
}

// StatsIn are the arguments of the administrative tool workspace_stats.
type StatsIn struct{}

// StatsOut counts what is in a workspace, for whoever watches over it: metrics and the doctor.
type StatsOut struct {
	Event     uint64         `json:"event"`     // number of the newest event
	States    map[Status]int `json:"states"`    // handoffs by state
	Mailboxes []MailboxStats `json:"mailboxes"` // at most 200, those with most pending first
	Commits   Latency        `json:"commits"`   // since the owner opened the store
}

// MailboxStats is how much waits in a mailbox, and since when.
type MailboxStats struct {
	Box     Address   `json:"box"`
	Pending int       `json:"pending"`
	Held    int       `json:"held"`
	Unread  int       `json:"unread"`
	Oldest  time.Time `json:"oldest,omitzero"` // when the oldest pending one was sent
}

// Latency is a histogram of durations with cumulative buckets, as those of Prometheus.
type Latency struct {
	Count   uint64   `json:"count"`
	Seconds float64  `json:"seconds"` // in all
	Buckets []uint64 `json:"buckets"` // how many took at most each of LatencyBounds
}

// NewLatency is the latency of nothing.
func NewLatency() Latency { return Latency{Buckets: make([]uint64, len(LatencyBounds()))} }

// Add adds one duration. A negative one, by a clock that was set back, counts as zero.
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

// RedactIn are the arguments of the administrative tool handoff_redact. The field is a path as view full shows it;
// without one all texts are meant.
type RedactIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // or the id of a message
	Field     string `json:"field,omitempty"`
}

// RedactOut is the result of handoff_redact: how many contents were replaced.
type RedactOut struct {
	HandoffID string `json:"handoff_id"`
	Contents  int    `json:"contents"`
}

// RetainIn are the arguments of the administrative tool store_retain: from when on everything is kept.
type RetainIn struct {
	Before time.Time `json:"before"`
	DryRun bool      `json:"dry_run,omitempty"`
}

// RetainOut is the result of store_retain: how many handoffs and contents of theirs take less space now, and how much
// less.
type RetainOut struct {
	Handoffs int   `json:"handoffs"`
	Contents int   `json:"contents"`
	Bytes    int64 `json:"bytes"`
	Unread   int   `json:"unread,omitempty"` // handoffs that cannot be read, and were passed over
	Free     int64 `json:"free,omitempty"`   // bytes of its file that the store does not use
}

// AdvisedRetention is the retention of which is told what it would let go of, where nobody asked: half a year, 180d.
const AdvisedRetention = 180 * 24 * time.Hour
