package schemas

import (
	"time"
)

// What the first line of an exported workspace says of its form.
const (
	ExportKind    = "export"
	ExportFormat  = "handoff"
	ExportVersion = 1
)

// ExportHeading is the first line of an exported workspace: of what it is, and how much follows. docs/exchange.md
// describes the other lines.
type ExportHeading struct {
	Kind      string         `json:"kind"`   // [ExportKind]
	Format    string         `json:"format"` // [ExportFormat]
	Version   int            `json:"version"`
	Workspace string         `json:"workspace"`
	At        time.Time      `json:"at"`
	Events    uint64         `json:"events"` // in the registry at that time
	Root      string         `json:"root"`   // of its Merkle tree, base64
	Lines     map[string]int `json:"lines"`  // that follow, by kind
}

// ExportIn are the arguments of the administrative tool workspace_export. Without a file it begins one; with its name
// it reads on, or is done with it.
type ExportIn struct {
	Workspace string `json:"workspace,omitempty"` // its name, for the heading
	File      string `json:"file,omitempty"`      // as the first call named it
	Offset    int64  `json:"offset,omitempty"`    // in bytes
	Done      bool   `json:"done,omitempty"`      // remove the file
}

// ExportOut is the result of workspace_export: which file there is, or a part of it.
type ExportOut struct {
	File    string         `json:"file,omitempty"`
	Size    int64          `json:"size,omitempty"` // of the file, in bytes
	Heading *ExportHeading `json:"heading,omitempty"`
	Data    string         `json:"data,omitempty"` // base64
}

// Imported is the content of the event with which a handoff came from another workspace. Versions that added to a
// workspace in use wrote the events that it had there with it, which are proved by the digest of this content.
type Imported struct {
	Note      string `json:"note"`
	Workspace string `json:"workspace"`
	Handoff   ID     `json:"handoff_id"` // there
	Events    uint64 `json:"events"`     // in the registry there
	Root      string `json:"root"`
}
