package schemas

// AuditIn are the arguments of the administrative tool audit_verify.
type AuditIn struct{}

// AuditOut is what walking the registry showed.
type AuditOut struct {
	Events   uint64   `json:"events"`
	Handoffs uint64   `json:"handoffs"`
	Root     string   `json:"root"` // of the Merkle tree over all events, base64
	OK       bool     `json:"ok"`
	Problems []string `json:"problems,omitempty"` // the first twenty, each naming its event or handoff
}

// ConnIn names a connection that opened or closed.
type ConnIn struct {
	Conn string `json:"conn" jsonschema:"minLength=1,maxLength=64"`
}

// ConnOut lists the handoffs that the connection holds.
type ConnOut struct {
	Holding []ID `json:"holding,omitempty"`
}
