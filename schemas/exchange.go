package schemas

import (
	"time"
)

// The format fields in the first line of an exported workspace.
const (
	ExportKind    = "export"
	ExportFormat  = "handoff"
	ExportVersion = 1
)

// ExportHeading is the first line of the file of an exported workspace. It says where the file comes from and how much
// it holds. docs/exchange.md describes the other lines.
type ExportHeading struct {
	Kind      string         `json:"kind"`   // [ExportKind]
	Format    string         `json:"format"` // [ExportFormat]
	Version   int            `json:"version"`
	Workspace string         `json:"workspace"`
	At        time.Time      `json:"at"`
	Events    uint64         `json:"events"` // in the registry at that time
	Root      string         `json:"root"`   // of its Merkle tree, base64
	Lines     map[string]int `json:"lines"`  // number of the lines that follow, by kind

	Lost map[string]int `json:"lost,omitempty"` // of a damaged store: the number of things that cannot be read, by name
}

// ExportIn holds the arguments of the administrative tool workspace_export. A call without File writes the export file.
// A later call with File reads the next part of this file, from Offset. With Done it removes the file.
type ExportIn struct {
	Workspace string `json:"workspace,omitempty"` // its name, for the heading
	File      string `json:"file,omitempty"`      // as the first call returned it
	Offset    int64  `json:"offset,omitempty"`    // in bytes
	Done      bool   `json:"done,omitempty"`      // remove the file
}

// ExportOut is the result of workspace_export: the name and size of the new file, or a part of its content.
type ExportOut struct {
	File    string         `json:"file,omitempty"`
	Size    int64          `json:"size,omitempty"` // of the file, in bytes
	Heading *ExportHeading `json:"heading,omitempty"`
	Data    string         `json:"data,omitempty"` // base64
}

// Imported is the content of an event that an import adds to a handoff: it says which workspace the handoff came from.
// Earlier versions of handoff could import into a workspace that was already in use. They then also stored the events
// that the handoff had in the other workspace. The digest of this content proves these events.
type Imported struct {
	Note      string `json:"note"`
	Workspace string `json:"workspace"`
	Handoff   ID     `json:"handoff_id"` // there
	Events    uint64 `json:"events"`     // in the registry there
	Root      string `json:"root"`
}
