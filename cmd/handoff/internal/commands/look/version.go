package look

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func versionCommand(a *cli.App) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or look whether there is a newer one",
		Example: `  handoff version
  handoff version --json
  handoff version --check https://example.com/handoff/latest.json`,
		Long: `With --check it reads what the newest version is from an address or a file, and sends nothing about this machine.
Each release has such a file, latest.json. The answers of npm's registry about the latest version of a package and
of GitHub's API about the latest release of a repository will do as well. No other command ever asks.

Exit status: 8 there is a newer version, others as usual.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flag("check").Changed {
				return compareRelease(cmd.Context(), a, from)
			}
			return a.PrintValue(a.Release, func(p *cli.Page) {
				p.Line("handoff %s", a.Release.Version)
				p.Field("revision", a.Release.Revision)
				p.Field("built with", a.Release.Go)
			})
		},
	}
	cmd.Flags().StringVar(&from, "check", "", "tell whether the `address` or file names a newer version")
	return cmd
}

// A published release is the newest one, as it says of itself.
type published struct {
	Version  string `json:"version"`
	Tag      string `json:"tag_name,omitempty"` // in the place of the version, in GitHub's API
	Released string `json:"released,omitempty"` // the day
	Notes    string `json:"notes,omitempty"`    // what is new, or where that is told
}

// compareRelease tells whether there is a newer version than this one.
func compareRelease(ctx context.Context, a *cli.App, from string) error {
	newest, err := publishedAt(ctx, from)
	if err != nil {
		return err
	}
	is := struct {
		cli.Release
		Newest published `json:"newest"`
		Newer  bool      `json:"newer"`
	}{a.Release, newest, semver.Compare(newest.Version, a.Release.Version) > 0 && semver.IsValid(a.Release.Version)}
	if err := a.PrintValue(is, func(p *cli.Page) {
		switch {
		case is.Newer:
			p.Line("handoff %s is newer than this one, %s.", p.Yellow(newest.Version), a.Release.Version)
			p.Field("released", newest.Released)
			p.Field("what is new", newest.Notes)
		case !semver.IsValid(a.Release.Version):
			p.Line("This program was built without a version. The newest one is %s.", newest.Version)
		default:
			p.Line("handoff %s is the newest.", a.Release.Version)
		}
	}); err != nil || !is.Newer {
		return err
	}
	return cli.Exit(NeedsYou)
}

const (
	mostPublished = 1 << 20 // bytes
	askingFor     = 15 * time.Second
)

// publishedAt reads what an address or a file says of the newest release.
func publishedAt(ctx context.Context, from string) (newest published, err error) {
	read := readFile
	if strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://") {
		read = fetch
	}
	text, err := read(ctx, from)
	if err == nil && len(text) > mostPublished {
		err = fmt.Errorf("it is longer than %d bytes", mostPublished)
	}
	if err != nil {
		return newest, schemas.Errorf(schemas.Unavailable, "the newest version is not known: %w", err).
			WithHint("--check wants the address of a release's latest.json, or such a file.")
	}
	err = json.Unmarshal(text, &newest)
	newest.Version = "v" + strings.TrimPrefix(cmp.Or(newest.Version, newest.Tag), "v")
	if newest.Tag = ""; err != nil || !semver.IsValid(newest.Version) {
		return newest, schemas.Invalidf("--check", "%q names no version", schemas.Visible(from)).
			WithHint(`It has to say {"version": "v1.2.3"}.`)
	}
	return newest, nil
}

func readFile(_ context.Context, path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, mostPublished+1))
	return text, errors.Join(err, f.Close())
}

func fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, end := context.WithTimeout(ctx, askingFor)
	defer end()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "handoff")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostPublished+1))
	if err = errors.Join(err, answer.Body.Close()); err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(address + " answers " + answer.Status)
	}
	return text, err
}
