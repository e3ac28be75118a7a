package mcp

import (
	"encoding/json"
	"errors"
	"net/http"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
)

// isModern tells whether a message is of revision 2026-07-28 or later, as its header or itself says.
func isModern(h http.Header, m jsonrpc.Message) bool {
	return sdk.IsModernProtocol(h.Get(sdk.HeaderProtocolVersion)) || sdk.IsModernProtocol(versionOf(m))
}

// versionOf is the revision that a message itself names, as all requests do since 2026-07-28.
func versionOf(m jsonrpc.Message) string {
	var p struct {
		Meta *sdk.Meta `json:"_meta"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return ""
	}
	return p.Meta.ProtocolVersion()
}

// headerFault checks what revision 2026-07-28 asks of headers (MCP specification, Streamable HTTP, standard
// request headers): they repeat what the message says, so that whoever stands between may go by them.
func headerFault(h http.Header, m jsonrpc.Message) *sdk.JSONRPCError {
	named := h.Get(sdk.HeaderProtocolVersion)
	switch said := versionOf(m); {
	case h.Get(sdk.HeaderLastEventID) != "":
		return m.Refuse(sdk.HEADER_MISMATCH, "streams are not resumed: leave out %s and send the request again", sdk.HeaderLastEventID)
	case named == "":
		return m.Refuse(sdk.HEADER_MISMATCH, "the header %s is missing", sdk.HeaderProtocolVersion)
	case said == "" && m.ID == nil: // a notification says nothing of itself
		return nil
	case said == "":
		return m.Refuse(sdk.INVALID_PARAMS, "_meta lacks %s", sdk.MetaKeyProtocolVersion)
	case said != named:
		return m.Refuse(sdk.HEADER_MISMATCH, "the header %s is %q and the message says %q", sdk.HeaderProtocolVersion, named, said)
	}
	if !sdk.IsValidProtocolVersion(named) {
		return nil // the SDK answers that, with the revisions there are
	}
	err := sdk.ValidateStandardHeaders(h.Get, named, sdk.MCPMethod(m.Method), m.Params)
	if mismatch := (sdk.HeaderMismatchError{}); errors.As(err, &mismatch) {
		return m.Refuse(sdk.HEADER_MISMATCH, "%s", mismatch.Error())
	}
	return nil
}

// unknownVersion tells whether the header of an older request names a revision that is not spoken. One without
// the header is of 2025-03-26 or of the revision that its session began with.
func unknownVersion(h http.Header) bool {
	named := h.Get(sdk.HeaderProtocolVersion)
	return named != "" && !sdk.IsValidProtocolVersion(named)
}
