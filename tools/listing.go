package tools

import "encoding/json"

// Listing gives what agents are offered as one compact JSON array: of each tool its name, title, description and input
// schema. It is the part of tools/list of the MCP specification for which every session of every client pays in
// tokens, and a test holds it to 10,000 bytes. The command line prints it.
func Listing() []byte {
	type row struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Input       json.RawMessage `json:"inputSchema"`
	}
	rows := make([]row, len(Table))
	for i, t := range Table {
		rows[i] = row{t.Name, t.Title, t.Description, t.Input}
	}
	b, err := encode(rows)
	if err != nil {
		panic(err) // a schema that was generated is JSON
	}
	return b
}
