package agentsfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"handoff/cmd/handoff/internal/leave"
	"handoff/schemas"
)

// Rules are the digest of all that the rules of a file say, however it is written, and the same as text for the person
// who allows it. Both are empty where there are none.
func Rules(said schemas.DeclaringFile) (digest, text string) {
	if len(said.Routes)+len(said.Plans) == 0 {
		return "", ""
	}
	encoded, _ := schemas.Encode(schemas.DeclaringFile{Routes: said.Routes, Plans: said.Plans}) // it was decoded
	sum := sha256.Sum256(encoded)
	var all map[string]any
	_ = json.Unmarshal(encoded, &all) // it was encoded
	delete(all, "name")
	written, _ := yaml.Marshal(all) // as any JSON
	return hex.EncodeToString(sum[:]), string(written)
}

// Waits tells whether the rules of the file wait for leave, and what to do. Those of the user's own file need none.
func (f File) Waits(said schemas.DeclaringFile, given leave.Book) (how string, waits bool) {
	digest, _ := Rules(said)
	if f.Own || digest == "" {
		return "", false
	}
	allowed, err := given.Find(leave.Rules, digest)
	if allowed != nil {
		return "", false
	}
	how = "handoff allow"
	if f.Project == "" { // a flag named it
		how += " --agents " + f.Path
	}
	if err != nil {
		how = err.Error()
	}
	n := len(said.Routes) + len(said.Plans)
	return fmt.Sprintf("the rules of %s (%d) send nothing before a person allows them: %s", f.Name, n, how), true
}
