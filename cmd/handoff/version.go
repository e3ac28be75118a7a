package main

import (
	"cmp"
	"encoding/json"
	"runtime/debug"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

// A release is what the build says of itself.
type release struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, with "+" when it was changed
	Go       string `json:"go"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  handoff version
  handoff version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r := thisRelease()
			raw, err := json.Marshal(r)
			if err != nil {
				return schemas.InternalError(err)
			}
			return a.print(raw, func(p *page) {
				p.line("handoff %s", r.Version)
				p.field("revision", r.Revision)
				p.field("built with", r.Go)
			})
		},
	}
}

// version is what a release build sets, with -ldflags "-X main.version=v1.2.3". Go knows it otherwise where
// the program was installed by its version.
var version string

func thisRelease() release {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release{Version: "unknown"}
	}
	r := release{Version: info.Main.Version, Go: info.GoVersion}
	if r.Version = cmp.Or(version, r.Version); r.Version == "" {
		r.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			r.Revision = s.Value + r.Revision
		case s.Key == "vcs.modified" && s.Value == "true":
			r.Revision += "+"
		}
	}
	return r
}
