package main

import (
	"fmt"
	"slices"
	"strings"
)

// platform is an operating system and a processor, in the words of Go and of Node.
type platform struct {
	OS, Arch, NodeOS, NodeArch string

	Program, Ending string // of the program's file, and the ending of its archive
}

var platforms = []platform{
	{"linux", "amd64", "linux", "x64", "handoff", ".tar.gz"},
	{"linux", "arm64", "linux", "arm64", "handoff", ".tar.gz"},
	{"darwin", "amd64", "darwin", "x64", "handoff", ".tar.gz"},
	{"darwin", "arm64", "darwin", "arm64", "handoff", ".tar.gz"},
	{"windows", "amd64", "win32", "x64", "handoff.exe", ".zip"},
	{"windows", "arm64", "win32", "arm64", "handoff.exe", ".zip"},
}

// parsePlatforms parses a list of platforms. It refuses a platform that is not in the list platforms. An empty list
// means all platforms.
func parsePlatforms(list string) (chosen []platform, err error) {
	if list == "" {
		return platforms, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no platform %q; there are: %v", name, platforms)
		}
		chosen = append(chosen, platforms[i])
	}
	return chosen, nil
}

func (p platform) String() string { return p.OS + "/" + p.Arch }
