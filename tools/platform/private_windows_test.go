package platform_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"handoff/tools/platform"
)

func TestMakePrivate_RemovesAccessOfOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	everybody, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;WD)")
	require.NoError(t, err)
	list, _, err := everybody.DACL()
	require.NoError(t, err)
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	require.NoError(t, windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, what, nil, nil, list, nil))

	require.NoError(t, platform.MakePrivate(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	found, err := windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	require.NoError(t, err)
	require.Regexp(t, `^D:P(\(A;OICI;FA;;;(SY|BA|S-1-5-21-[0-9-]+)\)){3}$`, found.String())
}
