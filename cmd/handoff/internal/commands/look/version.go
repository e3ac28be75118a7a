package look

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func versionCommand(a *cli.App) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use: "version",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flag("check").Changed {
				return compareWithNewestRelease(cmd.Context(), a, from)
			}
			return a.PrintValue(a.Release, func(p *cli.Page) {
				p.AddLine("handoff %s", a.Release.Version)
				p.AddField("revision", a.Release.Revision)
				p.AddField("built with", a.Release.Go)
			})
		},
	}
	cmd.Flags().StringVar(&from, "check", "", "tell whether this `file`, - for standard input, names a newer version")
	return cmd
}

// compareWithNewestRelease prints whether there is a newer version than this one.
func compareWithNewestRelease(ctx context.Context, a *cli.App, from string) error {
	newest, err := readPublishedRelease(ctx, a, from)
	if err != nil {
		return err
	}
	is := struct {
		cli.Release
		Newest publishedRelease `json:"newest"`
		Newer  bool             `json:"newer"`
	}{a.Release, newest, isReleased(a.Release.Version) && semver.Compare(newest.Version, a.Release.Version) > 0}
	if err := a.PrintValue(is, func(p *cli.Page) {
		switch {
		case is.Newer:
			p.AddLine("handoff %s is newer than this one, %s.", p.Yellow(newest.Version), a.Release.Version)
			p.AddField("released", newest.Released)
			p.AddField("what is new", schemas.Shorten(newest.Notes, maxNotes))
		case !isReleased(a.Release.Version):
			p.AddLine("This program was built from a commit, and has no version. The newest one is %s.", newest.Version)
		default:
			p.AddLine("handoff %s is the newest.", a.Release.Version)
		}
	}); err != nil || !is.Newer {
		return err
	}
	return cli.ExitStatus(NeedsYou)
}

// maxNotes is the largest number of bytes of release notes that version shows.
const maxNotes = 1_000

// isReleased reports whether a version is the version of a release. It is false for the pseudo-version that Go gives to
// a commit.
func isReleased(version string) bool {
	return semver.IsValid(version) && !module.IsPseudoVersion(version)
}

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
