package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// platform is an operating system and a processor, in the words of Go.
type platform struct{ OS, Arch string }

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// parsePlatforms parses a list of platforms. It refuses a platform that is not in the list platforms. An empty list
// means all platforms.
func parsePlatforms(list string) ([]platform, error) {
	if list == "" {
		return platforms, nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(list, ",") {
		os, arch, _ := strings.Cut(name, "/")
		p := platform{os, arch}
		if !slices.Contains(platforms, p) {
			return nil, fmt.Errorf("there is no platform %q; there are: %v", name, platforms)
		}
		chosen = append(chosen, p)
	}
	return chosen, nil
}

func (p platform) String() string { return p.OS + "/" + p.Arch }

// Program returns the name of the program's file.
func (p platform) Program() string {
	if p.OS == "windows" {
		return "handoff.exe"
	}
	return "handoff"
}

// NodeOS returns the operating system in the words of Node, which npm packages and bundles use.
func (p platform) NodeOS() string {
	return cmp.Or(map[string]string{"windows": "win32"}[p.OS], p.OS)
}

// NodeArch returns the processor in the words of Node.
func (p platform) NodeArch() string {
	return cmp.Or(map[string]string{"amd64": "x64"}[p.Arch], p.Arch)
}

// HasWindows reports whether there are archives in the form of Windows.
func (r *release) HasWindows() bool {
	return slices.ContainsFunc(r.Platforms, func(b *build) bool { return b.OS == "windows" })
}
