package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// A reader reads the log from its first line. Between two reads it keeps no file open, because Windows cannot rename an
// open file.
type reader struct {
	path   string
	at     fs.FileInfo // the file that was read last, which may have been renamed since
	offset int64       // bytes of it that were read
}

// nextLines returns the lines that were written since its last call.
func (r *reader) nextLines() (lines []string, err error) {
	files, err := r.openFiles()
	defer func() {
		for _, f := range files {
			_ = f.Close() // it was only read
		}
	}()
	if err != nil {
		return nil, err
	}
	known := slices.IndexFunc(files, func(f openLogFile) bool { return os.SameFile(r.at, f.info) })
	for _, f := range files[max(0, known):] {
		more, err := r.readLines(f)
		lines = append(lines, more...)
		if err != nil {
			return lines, err
		}
	}
	return lines, nil
}

type openLogFile struct {
	*os.File
	info fs.FileInfo
}

// openFiles opens the log files that exist, the older file first. It opens a file only once, even if the owner renames
// the file meanwhile.
func (r *reader) openFiles() ([]openLogFile, error) {
	var files []openLogFile
	for _, path := range []string{r.path, rotatedPath(r.path)} {
		f, err := openFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return files, err
		case len(files) == 1 && os.SameFile(files[0].info, f.info):
			_ = f.Close() // it was only opened
		default:
			files = append(files, f)
		}
	}
	slices.Reverse(files)
	return files, nil
}

func openFile(path string) (openLogFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return openLogFile{}, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close() // it was only opened
	}
	return openLogFile{f, info}, err
}

// readLines returns the unread lines of f. It leaves an incomplete last line for the next call.
func (r *reader) readLines(f openLogFile) ([]string, error) {
	if !os.SameFile(r.at, f.info) || f.info.Size() < r.offset {
		r.offset = 0
	}
	r.at = f.info
	b, err := io.ReadAll(io.NewSectionReader(f, r.offset, math.MaxInt64-r.offset))
	b = b[:bytes.LastIndexByte(b, '\n')+1]
	r.offset += int64(len(b))
	var lines []string
	for line := range strings.Lines(string(b)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines, err
}

// pollInterval is the time between two looks for new lines.
const pollInterval = 250 * time.Millisecond

// Lines yields the last n lines of the journal in dir. A missing journal has no lines. If follow is true, Lines then
// yields each new line, within 250 ms, until ctx is done. After an error it yields the error and ends.
func Lines(ctx context.Context, dir string, n int, follow bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		look := time.NewTicker(pollInterval)
		defer look.Stop()
		r := reader{path: Path(dir)}
		for r.yieldLast(n, yield) && follow {
			n = math.MaxInt
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
		}
	}
}

// yieldLast yields the last n of the unread lines. It returns false if Lines must end: after an error, or if the caller
// ended the loop.
func (r *reader) yieldLast(n int, yield func(string, error) bool) bool {
	lines, err := r.nextLines()
	for _, line := range lines[max(0, len(lines)-n):] {
		if !yield(line, nil) {
			return false
		}
	}
	if err != nil {
		yield("", err)
	}
	return err == nil
}
