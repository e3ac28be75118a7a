package look

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"golang.org/x/mod/semver"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// publishedRelease describes the newest release. It comes from a file that the release contains.
type publishedRelease struct {
	Version  string `json:"version"`
	Tag      string `json:"tag_name,omitempty"` // in the place of the version, in GitHub's API
	Released string `json:"released,omitempty"` // the day
	Notes    string `json:"notes,omitempty"`    // the release notes, or their URL
}

// readPublishedRelease reads the description of the newest release from a file or standard input.
func readPublishedRelease(ctx context.Context, a *cli.App, from string) (newest publishedRelease, err error) {
	text, err := a.ReadInput(ctx, "--check", from)
	if err != nil {
		return newest, schemas.Errorf(schemas.Unavailable, "the newest version is not known: %w", err).
			WithHint("--check wants a release's latest.json: curl -fsSL ADDRESS | handoff version --check -")
	}
	err = json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &newest)
	newest.Version = "v" + strings.TrimPrefix(cmp.Or(newest.Version, newest.Tag), "v")
	if newest.Tag = ""; err != nil || !semver.IsValid(newest.Version) {
		return newest, schemas.Invalidf("--check", "%q names no version", schemas.EscapeHidden(from)).
			WithHint(`It has to say {"version": "1.2.3"}.`)
	}
	return newest, nil
}
