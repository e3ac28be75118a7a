package cli

import (
	"cmp"
	"runtime/debug"
)

// Release is what the build says of itself.
type Release struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, with "+" when it was changed
	Go       string `json:"go"`
}

// ReleaseOf reads what the build says. A version that it was given comes first.
func ReleaseOf(version string) Release {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Release{Version: "unknown"}
	}
	r := Release{Version: info.Main.Version, Go: info.GoVersion}
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
