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

// NetworkFileSystem returns "network drive" for a drive that Windows calls remote. Windows does not report its kind
// here.
func NetworkFileSystem(dir string) string {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_REMOTE {
		return ""
	}
	return "network drive"
}

// Rename is [os.Rename], repeated while other processes read the file that it replaces.
func Rename(from, to string) error {
	return retryWhileFileIsRead(func() error { return os.Rename(from, to) })
}

// Remove is [os.Remove], repeated while other processes read the file.
func Remove(path string) error {
	return retryWhileFileIsRead(func() error { return os.Remove(path) })
}

// retryWhileFileIsRead repeats an operation that Windows refuses while another process reads the file, for about 200
// ms. One read is over in a moment, but many processes may read one after another.
func retryWhileFileIsRead(do func() error) error {
	for range 100 {
		err := do()
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
	return do()
}

// ProcessExists reports whether a process with this number exists, run by any user. The system reuses numbers.
func ProcessExists(pid int) bool {
	if pid <= 0 { // such numbers are no processes
		return false
	}
	p, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)) //nolint:gosec // it is no less than zero
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(p) //nolint:errcheck // it was only waited on
	state, err := windows.WaitForSingleObject(p, 0)
	return err == nil && state == uint32(windows.WAIT_TIMEOUT)
}

// processStart returns when a process started. Known is false for a process that has ended or belongs to another user.
func processStart(pid int) (at string, known bool) {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid)) //nolint:gosec // a process number
	if err != nil {
		return "", false
	}
	defer windows.CloseHandle(p) //nolint:errcheck // nothing was written
	var created, ended, kernel, user windows.Filetime
	err = windows.GetProcessTimes(p, &created, &ended, &kernel, &user)
	return fmt.Sprint(created.Nanoseconds()), err == nil
}

// FileOwner is unknown here: files have another kind of owners.
func FileOwner(fs.FileInfo) (uid, gid int, known bool) { return 0, 0, false }

// HasHardLinks is not implemented here.
func HasHardLinks(fs.FileInfo) bool { return false }

// IsBrokenPipe reports whether a write failed because the pipe or the socket has no reader any more.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) ||
		errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED) || errors.Is(err, syscall.EPIPE)
}

// FileID returns an id of a file on this machine. Two files that exist at the same time have different ids, even if one
// is a copy of the other. The id is empty if the file is missing or the system has no ids.
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

// userOfSocket is not implemented here.
func userOfSocket(int) (uid int, err error) { return 0, errors.ErrUnsupported }

// processLookup returns a function for the name and the parent of a process, zero if the system does not report them.
// The number of an ended parent may already belong to another process.
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
