package platform

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// MakePrivate makes a directory for this user only, or removes the access of other users from an existing one. The
// system and administrators keep their access, as root does elsewhere. It changes nothing if no other user has
// access, as below the profile of a user, and if the file system has no access control.
func MakePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	private, err := isPrivate(dir)
	if private || err != nil {
		return err
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	// Protected from inheritance (P), full access (FA) for three, also to the contents (OICI).
	only, err := windows.SecurityDescriptorFromString(
		"D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + me.User.Sid.String() + ")")
	if err != nil {
		return err
	}
	list, _, err := only.DACL()
	if err != nil {
		return err
	}
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	return windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, what, nil, nil, list, nil)
}

// isPrivate reports whether only this user, the system and administrators have access to a directory. It is also true
// if the file system has no access control, because then nothing can be done.
func isPrivate(dir string) (bool, error) {
	found, err := windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	list, _, err := found.DACL()
	if err != nil || list == nil { // without a list everybody has access
		return false, nil
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return false, err
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return false, err
		}
		if entry.Header.AceType != windows.ACCESS_DENIED_ACE_TYPE && !isTrusted(entry, me.User.Sid) {
			return false, nil
		}
	}
	return true, nil
}

// isTrusted reports whether an entry gives access only to users that have it anyway. An entry of an unknown kind
// counts as access for others.
func isTrusted(entry *windows.ACCESS_ALLOWED_ACE, me *windows.SID) bool {
	if entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE {
		return false
	}
	who := (*windows.SID)(unsafe.Pointer(&entry.SidStart)) //nolint:gosec // the entry ends with it
	return who.Equals(me) || who.IsWellKnown(windows.WinLocalSystemSid) ||
		who.IsWellKnown(windows.WinBuiltinAdministratorsSid) ||
		who.IsWellKnown(windows.WinCreatorOwnerSid) || who.IsWellKnown(windows.WinCreatorOwnerRightsSid)
}
