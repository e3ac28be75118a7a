package open

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A note tells others which process holds the store. It is only a hint: the lock is the truth. Whoever has
// taken the store removes the note of a server that was killed.
type note struct {
	PID int `json:"pid"`
}

func notePath(dir string) string { return filepath.Join(dir, "owner.json") }

// leaveNote is called with the store taken. It gives the path of the note if there is one now.
func leaveNote(c Config) (string, error) {
	path := notePath(c.Dir)
	if !c.Server {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return "", nil
	}
	content, err := json.Marshal(note{PID: os.Getpid()})
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, content, 0o600)
}

// readNote gives the process that says it holds the store, or 0.
func readNote(dir string) int {
	content, err := os.ReadFile(notePath(dir))
	if err != nil {
		return 0
	}
	var n note
	if json.Unmarshal(content, &n) != nil {
		return 0
	}
	return n.PID
}

func heldByServer(dir string) bool { return readNote(dir) != 0 }
