package look

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/tools/relay/platform"
)

// A published release is the newest one, as it says of itself.
type published struct {
	Version  string `json:"version"`
	Tag      string `json:"tag_name,omitempty"` // in the place of the version, in GitHub's API
	Released string `json:"released,omitempty"` // the day
	Notes    string `json:"notes,omitempty"`    // what is new, or where that is told
}

const (
	mostPublished = 1 << 20 // bytes
	askingFor     = 15 * time.Second
)

// publishedAt reads what an address or a file says of the newest release.
func publishedAt(ctx context.Context, from string) (newest published, err error) {
	read := readFile
	if at, err := url.Parse(from); err == nil && (at.Scheme == "http" || at.Scheme == "https") {
		read = fetch
	}
	text, err := cli.Attempt(ctx, func() ([]byte, error) { return read(ctx, from) })
	if err == nil && len(text) > mostPublished {
		err = fmt.Errorf("it is longer than %d bytes", mostPublished)
	}
	if err != nil {
		return newest, schemas.Errorf(schemas.Unavailable, "the newest version is not known: %w", err).
			WithHint("--check wants the address of a release's latest.json, or such a file.")
	}
	err = json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &newest)
	newest.Version = "v" + strings.TrimPrefix(cmp.Or(newest.Version, newest.Tag), "v")
	if newest.Tag = ""; err != nil || !semver.IsValid(newest.Version) {
		return newest, schemas.Invalidf("--check", "%q names no version", schemas.Visible(from)).
			WithHint(`It has to say {"version": "1.2.3"}.`)
	}
	return newest, nil
}

func readFile(_ context.Context, path string) ([]byte, error) {
	return platform.ReadRegular(path, mostPublished)
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
		err = errors.New(request.URL.Redacted() + " answers " + answer.Status)
	}
	return text, err
}
