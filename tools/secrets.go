package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/mailbox/secret"
)

// SecretHandling is the handling of secrets in texts that a call would store. The zero value is [MaskSecrets].
type SecretHandling string

// The ways to handle a secret.
const (
	MaskSecrets   SecretHandling = "mask"   // it is replaced by a mark, and the caller is warned
	WarnOfSecrets SecretHandling = "warn"   // it is kept, and the caller is warned
	RefuseSecrets SecretHandling = "refuse" // the call is refused
)

// secretFilter is one walk over the arguments of a call. It runs before the rules see them, so that all derived values
// of a text (titles, digests, search words) are made of the masked text, and a repeated call has the same arguments.
type secretFilter struct {
	do       SecretHandling
	warnings []string // for the caller
}

// filterValue masks secrets in the value of a field, at a path, in place. It skips claim tokens and keys: they are
// compared and never shown. The error names the first field whose text contains a secret, or the object in which a
// secret stands in the place of a field's name.
func (c *secretFilter) filterValue(name string, v any, at *argumentPath) (_ any, err error) {
	switch v := v.(type) {
	case string:
		return c.filterText(name, v, at)
	case []any:
		for i := range v {
			if v[i], err = c.filterValue(name, v[i], at.at(i)); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if at == nil && (name == "claim_token" || name == "key") {
				continue
			}
			if _, kinds := secret.Mask(name); kinds != nil {
				return nil, invalidAtf(at, "has a secret (%s) in the place of a name", kinds[0]).WithHint("Leave it out.")
			}
			if v[name], err = c.filterValue(name, v[name], at.field(name)); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func (c *secretFilter) filterText(name, text string, at *argumentPath) (string, error) {
	masked, kinds := secret.MaskNamed(name, text)
	if kinds == nil {
		return text, nil
	}
	found := fmt.Sprintf("a secret (%s)", strings.Join(kinds, ", "))
	switch c.do {
	case RefuseSecrets:
		return "", invalidAtf(at, "holds %s", found).WithHint("Say where it is kept instead.")
	case WarnOfSecrets:
		c.warnings = append(c.warnings, fmt.Sprintf("%s held %s: it is kept unchanged, so have it changed at its source", at, found))
		return text, nil
	case MaskSecrets, "":
	}
	c.warnings = append(c.warnings, fmt.Sprintf("%s held %s: it is kept with a mark in its place", at, found))
	return masked, nil
}
