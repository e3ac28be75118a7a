// Package sandbox is only for tests. It gives the tests of a package their own home directory, temporary directory and
// PATH, so that the tests neither read nor change files and settings of the person who runs them. A package needs it if
// its tests start programs, or run code that searches the machine. The package then has this function:
//
//	func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }
//
// The package also marks long tests, which run only on request, see [SkipUnlessProofs].
package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// TestRunner runs the tests of a package. It is a testing.M, or a type that wraps one.
type TestRunner interface{ Run() int }

// A Sandbox is a temporary directory for the tests of one package. HOME is a directory in it. PATH is one directory in
// it, with links to the programs in [allowedPrograms] and no others. TMPDIR is the sandbox directory itself and not a
// directory below it, because paths of sockets must be short.
type Sandbox struct {
	tests  TestRunner
	dir    string
	warden *exec.Cmd // removes dir if this process is killed
}

// sandboxVariable is the variable that holds the sandbox directory for child processes. If a child process is a test
// binary, it uses this sandbox and makes no other.
const sandboxVariable = "HANDOFF_TEST_SANDBOX"

// New makes a sandbox and sets the environment of this process. The process uses the sandbox until it ends. If that
// fails, New panics, and no test runs.
func New(tests TestRunner) *Sandbox {
	s := &Sandbox{tests: tests}
	if os.Getenv(sandboxVariable) != "" {
		return s
	}
	if err := s.setUp(); err != nil {
		panic(fmt.Errorf("sandbox: %w", err))
	}
	return s
}

// Run runs the tests, removes the sandbox and returns the exit status. The status is 1 if a test failed, or if tests
// left files in the temporary directory.
func (s *Sandbox) Run() (status int) {
	if s.dir == "" {
		return s.tests.Run()
	}
	defer s.cleanUp()
	status = s.tests.Run()
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		script := strings.HasPrefix(e.Name(), "testscript-main") || strings.HasPrefix(e.Name(), "go-test-script") // it stays if -run selects a test
		if !slices.Contains(ownDirectories, e.Name()) && !script {
			fmt.Fprintln(os.Stderr, "left behind in the temporary directory:", e.Name())
			status = 1
		}
	}
	return status
}

// ownDirectories are the directories that the sandbox makes itself. Run does not report them as files that tests left.
var ownDirectories = []string{"bin", "home"}

func (s *Sandbox) setUp() (err error) {
	if s.dir, err = os.MkdirTemp("", "box"); err != nil {
		return err
	}
	if err := os.Chmod(s.dir, 0o755); err != nil { // some tests act as another user
		return err
	}
	for _, name := range ownDirectories {
		if err := os.Mkdir(filepath.Join(s.dir, name), 0o755); err != nil {
			return err
		}
	}
	if err := s.startWarden(); err != nil {
		return err
	}
	vars := goEnvironment()
	path, err := s.makePath()
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" { // programs on windows need some of these variables to start
		clearEnvironment()
	}
	home := filepath.Join(s.dir, "home")
	maps.Copy(vars, map[string]string{
		"HOME": home, "USERPROFILE": home, "APPDATA": filepath.Join(home, "roaming"), "LOCALAPPDATA": filepath.Join(home, "local"),
		"TMPDIR": s.dir, "TMP": s.dir, "TEMP": s.dir, "PATH": path, "GIT_CONFIG_NOSYSTEM": "1", sandboxVariable: s.dir,
	})
	for name, value := range vars {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return writeSettings(home)
}

// writeSettings writes settings for git, and turns off the telemetry of the go command, because a telemetry process
// would run in the background of the tests.
func writeSettings(home string) error {
	for path, text := range map[string]string{
		".gitconfig": "[user]\n\tname = dev\n\temail = dev@localhost\n", ".config/go/telemetry/mode": "off\n",
	} {
		path = filepath.Join(home, path)
		if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// startWarden starts a shell that removes the sandbox directory when this process has ended, even if this process was
// killed.
func (s *Sandbox) startWarden() error {
	sh, _ := exec.LookPath("sh")
	if sh == "" || runtime.GOOS == "windows" {
		return nil
	}
	s.warden = exec.Command(sh, "-c", `trap "" HUP INT TERM; read _; rm -rf "$0"`, s.dir)
	if _, err := s.warden.StdinPipe(); err != nil { // the system closes it when this process ends
		return err
	}
	return s.warden.Start()
}

func (s *Sandbox) cleanUp() {
	_ = os.RemoveAll(s.dir)
	if s.warden != nil {
		_ = s.warden.Process.Kill()
		_ = s.warden.Wait()
	}
}

// goEnvironment returns variables that point the go command to the stored settings and the caches of the person who
// runs the tests. The tests share these directories, because empty caches would make them slow.
func goEnvironment() map[string]string {
	vars := map[string]string{}
	names := []string{"GOENV", "GOCACHE", "GOMODCACHE", "GOPATH"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return vars // some tests do without it
	}
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		vars[names[i]] = strings.TrimSpace(value)
	}
	return vars
}

// makePath makes the one directory of the tests' PATH, with a link to each program in [allowedPrograms] that is
// installed.
func (s *Sandbox) makePath() (string, error) {
	if runtime.GOOS == "windows" {
		return os.Getenv("PATH"), nil
	}
	bin := filepath.Join(s.dir, "bin")
	for name := range strings.FieldsSeq(allowedPrograms) {
		found, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if found, err = filepath.Abs(found); err != nil {
			return "", err
		}
		if err := os.Symlink(found, filepath.Join(bin, name)); err != nil {
			return "", err
		}
	}
	return bin, nil
}

// clearEnvironment removes all variables from the environment except [keptVariables] and those that begin with GO or
// UPDATE_. Other variables may name directories, settings and programs of the person who runs the tests, or change how
// git or handoff behaves.
func clearEnvironment() {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		known := slices.Contains(strings.Fields(keptVariables), name)
		if !known && !strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "UPDATE_") {
			_ = os.Unsetenv(name)
		}
	}
}

// keptVariables are the environment variables that tests may read. Some set how much is tested, and programs on this
// machine need the others.
const keptVariables = `
	HANDOFF_APART HANDOFF_BEFORE HANDOFF_BELIEVED HANDOFF_CHAOS HANDOFF_CORPUS HANDOFF_CYCLES HANDOFF_DAMAGED HANDOFF_DOORS HANDOFF_FAULTS HANDOFF_FIGURES HANDOFF_FILES HANDOFF_FLIPS
	HANDOFF_GENERATED HANDOFF_GITLEAKS HANDOFF_IDLE HANDOFF_KILLS HANDOFF_LIVES HANDOFF_LOAD HANDOFF_MUTATED HANDOFF_NEEDS HANDOFF_OVERLAPS HANDOFF_PROGRAM HANDOFF_PROOFS HANDOFF_PROOF_ROUNDS
	HANDOFF_REHEARSAL HANDOFF_SEED HANDOFF_SIMULATION HANDOFF_STORED HANDOFF_WILD HANDOFF_WORKSPACES
	LANG SSL_CERT_FILE SSL_CERT_DIR TZ USER`

// allowedPrograms are the programs that tests start, and the programs that those need. Clients of handoff, and an
// installed handoff, are not in the list, so tests cannot start them.
const allowedPrograms = `
	bash dash fish sh zsh
	[ awk basename cat chgrp chmod chown cmp cp cut date dd diff dirname du echo env expr false find flock grep gzip head hostname id install kill ln
	locale ls mkdir mkfifo mktemp mount mv nice nohup od paste printenv printf ps pwd readlink realpath renice rm rmdir script sed seq setsid sha256sum
	sleep sort split stat stty sync tail tar tee test timeout touch tr true tty umount uname uniq unshare wc which whoami xargs yes
	curl docker git go gofmt groff mandoc openssl python3 strace su setpriv systemctl systemd-analyze`
