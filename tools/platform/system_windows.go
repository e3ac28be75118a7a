package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

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
	return retryWhileRead(func() error { return os.Rename(from, to) })
}

// Remove is [os.Remove], repeated while other processes read the file.
func Remove(path string) error {
	return retryWhileRead(func() error { return os.Remove(path) })
}

// retryWhileRead repeats what Windows refuses while another process reads a file, for about 200 ms. One reading is over in
// a moment, but many processes may read one after another.
func retryWhileRead(do func() error) error {
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

// Owner is not known: files have owners of another kind.
func Owner(fs.FileInfo) (uid, gid int, known bool) { return 0, 0, false }

// HardLinked does not tell here.
func HardLinked(fs.FileInfo) bool { return false }

// ReaderLeft tells whether a write failed because nobody reads the pipe or the socket any more.
func ReaderLeft(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) ||
		errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED) || errors.Is(err, syscall.EPIPE)
}

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

// processLookup returns a function for the name and the parent of a process, zero where the system does not tell. The number
// of a parent that has ended may be that of another process by now.
func processLookup() func(pid int) (name string, parent int) {
	seen := map[int]windows.ProcessEntry32{}
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err == nil {
		defer windows.CloseHandle(all) //nolint:errcheck // nothing was written
		entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
		for err := windows.Process32First(all, &entry); err == nil; err = windows.Process32Next(all, &entry) {
			seen[int(entry.ProcessID)] = entry
		}
	}
	return func(pid int) (string, int) {
		entry := seen[pid]
		return windows.UTF16ToString(entry.ExeFile[:]), int(entry.ParentProcessID)
	}
}
