package agentsfile

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"handoff/cmd/handoff/internal/consent"
	"handoff/schemas"
)

// CanonicalRules returns the rules of a file as canonical JSON, and the digest of this JSON. Without rules both results
// are empty.
func CanonicalRules(said schemas.DeclaringFile) (digest string, rules []byte) {
	if len(said.Routes)+len(said.Plans) == 0 {
		return "", nil
	}
	rules, _ = schemas.Encode(schemas.DeclaringFile{Routes: said.Routes, Plans: said.Plans}) // it was decoded
	return fmt.Sprintf("%x", sha256.Sum256(rules)), rules
}

// FormatRules writes rules as YAML, for the person that allows them. It is slow: calls of agents must not use it.
func FormatRules(rules []byte) string {
	var all map[string]any
	_ = json.Unmarshal(rules, &all) // it was encoded
	delete(all, "name")
	written, _ := yaml.Marshal(all) // as any JSON
	return string(written)
}

// LacksPermission reports whether the rules of the file lack a person's permission (waits). If the permission is
// missing, the result how is a sentence that tells a person what to do. The user's own file needs no permission.
func (f File) LacksPermission(said schemas.DeclaringFile, given consent.PermissionBook) (how string, waits bool) {
	digest, _ := CanonicalRules(said)
	if f.Own || digest == "" {
		return "", false
	}
	allowed, err := given.Find(consent.Rules, digest)
	if allowed != nil {
		return "", false
	}
	how = "handoff allow"
	if f.Project == "" { // a flag named the file
		how += " --agents " + f.Path
	}
	if err != nil {
		how = err.Error()
	}
	n := len(said.Routes) + len(said.Plans)
	return fmt.Sprintf("the rules of %s (%d) send nothing before a person allows them: %s", f.Name, n, how), true
}
