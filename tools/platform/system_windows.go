package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// TryLock locks a file for the caller alone. It does not wait: the error is [ErrLocked] when the file is locked.
func TryLock(f *os.File) error {
	err := lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Lock locks a file for the caller alone, as soon as it is free. It sleeps in the kernel and cannot be cancelled.
func Lock(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// LockShared locks a file together with other callers of LockShared. It waits while one holds the lock alone.
func LockShared(f *os.File) error { return lockFile(f, 0) }

// Unlock releases a lock. It does nothing to a file that is not locked.
func Unlock(f *os.File) error {
	err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedByte())
	if errors.Is(err, windows.ERROR_NOT_LOCKED) || errors.Is(err, windows.ERROR_LOCK_VIOLATION) { // the second in Wine
		return nil
	}
	return err
}

func lockFile(f *os.File, how uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, lockedByte())
}

// lockedByte is beyond what a file can have. What is locked nobody else can read or write, so no byte of the content
// may be.
func lockedByte() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
}

// NetworkKind is "network drive" for a drive that Windows calls remote. Nothing here tells of which kind it is.
func NetworkKind(dir string) string {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_REMOTE {
		return ""
	}
	return "network drive"
}

// Rename is [os.Rename], repeated while other processes read the file that it replaces.
func Rename(from, to string) error {
	return whileRead(func() error { return os.Rename(from, to) })
}

// Remove is [os.Remove], repeated while other processes read the file.
func Remove(path string) error {
	return whileRead(func() error { return os.Remove(path) })
}

// whileRead repeats what Windows refuses while another process reads a file, for about 200 ms. One reading is over in
// a moment, but many processes may read one after another.
func whileRead(do func() error) error {
	for range 100 {
		err := do()
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
	return do()
}

// Runs reports whether there is a process with this number, whichever user runs it. Numbers are given again.
func Runs(pid int) bool {
	if pid <= 0 { // which stands for other things than processes
		return false
	}
	p, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)) //nolint:gosec // it is no less than zero
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(p) //nolint:errcheck // it was only looked at
	state, err := windows.WaitForSingleObject(p, 0)
	return err == nil && state == uint32(windows.WAIT_TIMEOUT)
}

// Owned is true: files have owners of another kind.
func Owned(fs.FileInfo) bool { return true }

// FileID is different for any two files of this machine that exist at the same time, also for a file and its copy. It
// is empty when there is no such file, and where the system does not tell.
func FileID(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return ""
	}
	return fmt.Sprintf("%x:%x:%x", info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow)
}

// peerOf is not known here.
func peerOf(int) (uid int, err error) { return 0, errors.ErrUnsupported }
