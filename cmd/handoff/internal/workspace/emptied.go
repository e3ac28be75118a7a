package workspace

import (
	"os"
	"path/filepath"
)

// A process that dies while it makes the file of a store leaves it empty, and nothing is lost with it. A file that was
// in use is never left empty. So that both can be told apart, handoff.here has a byte as soon as the store was open.

const hereFile = "handoff.here" // of [relay.Files]

// Emptied reports whether something else took away what the file of the store in a directory held.
func Emptied(dir string) bool {
	file, err := os.Stat(filepath.Join(dir, StoreFile))
	here, unmarked := os.Stat(filepath.Join(dir, hereFile))
	return err == nil && unmarked == nil && file.Size() == 0 && here.Size() > 0
}

// MarkOpened notes whether the store in a directory was open since it was made. Where it cannot, nobody learns of a
// loss.
func MarkOpened(dir string, was bool) {
	path := filepath.Join(dir, hereFile)
	here, err := os.Stat(path)
	if err != nil || was == (here.Size() > 0) {
		return
	}
	var content []byte
	if was {
		content = []byte("\n")
	}
	_ = os.WriteFile(path, content, 0o600)
}
