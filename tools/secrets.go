package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/mailbox/secret"
)

// Secrets says what becomes of a secret in a text that a call would keep. The zero value is [MaskSecrets].
type Secrets string

// What may become of a secret.
const (
	MaskSecrets   Secrets = "mask"   // a mark is kept in its place, and the caller is told
	WarnOfSecrets Secrets = "warn"   // it is kept, and the caller is told
	RefuseSecrets Secrets = "refuse" // the call is refused
)

// secretFilter is one walk over the arguments of a call. It runs before the rules see them, so that everything they make
// of a text (titles, digests, words to search by) is made of the masked one, and a repeated call is the same call.
type secretFilter struct {
	do       Secrets
	warnings []string // for the caller
}

// value conceals what stands under a name, at a path, in place. Tokens of claims and keys are left alone: they are
// compared and never shown. The error names the first field with a secret, or the object with one for a name.
func (c *secretFilter) value(name string, v any, at *path) (_ any, err error) {
	switch v := v.(type) {
	case string:
		return c.text(name, v, at)
	case []any:
		for i := range v {
			if v[i], err = c.value(name, v[i], at.at(i)); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if at == nil && (name == "claim_token" || name == "key") {
				continue
			}
			if _, kinds := secret.Mask(name); kinds != nil {
				return nil, refusedf(at, "has a secret (%s) in the place of a name", kinds[0]).WithHint("Leave it out.")
			}
			if v[name], err = c.value(name, v[name], at.field(name)); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func (c *secretFilter) text(name, text string, at *path) (string, error) {
	masked, kinds := secret.MaskNamed(name, text)
	if kinds == nil {
		return text, nil
	}
	found := fmt.Sprintf("a secret (%s)", strings.Join(kinds, ", "))
	switch c.do {
	case RefuseSecrets:
		return "", refusedf(at, "holds %s", found).WithHint("Say where it is kept instead.")
	case WarnOfSecrets:
		c.warnings = append(c.warnings, fmt.Sprintf("%s held %s: it is kept as it is, so let it be changed where it is from", at, found))
		return text, nil
	case MaskSecrets, "":
	}
	c.warnings = append(c.warnings, fmt.Sprintf("%s held %s: it is kept with a mark in its place", at, found))
	return masked, nil
}
