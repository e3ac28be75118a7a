package platform

import "os"

// SyncDir makes the names in a directory durable, where the system can. The error is only that of closing it: what was
// done is done.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil //nolint:nilerr // not each user may
	}
	_ = f.Sync() // not each system can
	return f.Close()
}
