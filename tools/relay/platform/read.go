package platform

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadRegular reads a regular file of at most limit bytes. It opens no pipe, which would wait for a writer, and no
// device, which may never end. The error is [fs.ErrInvalid] for what is no regular file, and for a larger file.
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", fs.ErrInvalid, path, limit)
	}
	return content, err
}

// OpenRegular opens a regular file to be read, as [ReadRegular] does.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is no regular file", fs.ErrInvalid, path)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
