// Package sandbox is only for tests: it gives the tests of a package a home, a temporary directory and a PATH of their
// own, so that none of them reads or changes anything of whoever runs them. A package whose tests start programs, or
// reach code that looks for something on the machine, begins them so:
//
//	func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }
//
// The package also says which tests are proofs, see [Proof].
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

// Tests are those of a package: a testing.M, or what runs one.
type Tests interface{ Run() int }

// A Sandbox is the directory outside of which its tests touch nothing. HOME is a directory in it, and so is the one on
// PATH, which leads to [tools] alone. TMPDIR is the sandbox itself, as paths of sockets have to be short.
type Sandbox struct {
	tests  Tests
	dir    string
	warden *exec.Cmd // removes dir if this process is killed
}

// sandboxVariable names the directory to the processes that tests start. A test binary among them stays in the sandbox it is in.
const sandboxVariable = "HANDOFF_TEST_SANDBOX"

// New makes a sandbox and puts this process into it, for good. Where that is not possible no test runs.
func New(tests Tests) *Sandbox {
	s := &Sandbox{tests: tests}
	if os.Getenv(sandboxVariable) != "" {
		return s
	}
	if err := s.enter(); err != nil {
		panic(fmt.Errorf("sandbox: %w", err))
	}
	return s
}

// Run runs the tests and removes the sandbox. The status is 1 as well where they left something in the temporary
// directory.
func (s *Sandbox) Run() (status int) {
	if s.dir == "" {
		return s.tests.Run()
	}
	defer s.leave()
	status = s.tests.Run()
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		script := strings.HasPrefix(e.Name(), "testscript-main") || strings.HasPrefix(e.Name(), "go-test-script") // which stays where -run picks one
		if !slices.Contains(ownDirectories, e.Name()) && !script {
			fmt.Fprintln(os.Stderr, "left behind in the temporary directory:", e.Name())
			status = 1
		}
	}
	return status
}

// ownDirectories are the directories of a sandbox that are no test's.
var ownDirectories = []string{"bin", "home"}

func (s *Sandbox) enter() (err error) {
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
	vars := goVariables()
	path, err := s.makePath()
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" { // where programs do not start without some of theirs
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
	return configure(home)
}

// configure writes what git wants to know, and that the go command counts nothing, which it does in the background.
func configure(home string) error {
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

// startWarden starts a shell that removes the sandbox when this process is gone, however that ended.
func (s *Sandbox) startWarden() error {
	sh, _ := exec.LookPath("sh")
	if sh == "" || runtime.GOOS == "windows" {
		return nil
	}
	s.warden = exec.Command(sh, "-c", `trap "" HUP INT TERM; read _; rm -rf "$0"`, s.dir)
	if _, err := s.warden.StdinPipe(); err != nil { // closed by the system when this process is gone
		return err
	}
	return s.warden.Start()
}

func (s *Sandbox) leave() {
	_ = os.RemoveAll(s.dir)
	if s.warden != nil {
		_ = s.warden.Process.Kill()
		_ = s.warden.Wait()
	}
}

// goVariables say where the go command keeps its own things, which tests share with whoever runs them: what it was told
// for good, and its caches.
func goVariables() map[string]string {
	vars := map[string]string{}
	names := []string{"GOENV", "GOCACHE", "GOMODCACHE", "GOPATH"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return vars // there are tests without it
	}
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		vars[names[i]] = strings.TrimSpace(value)
	}
	return vars
}

// makePath makes the directory that is the PATH of the tests, of links to the tools that there are.
func (s *Sandbox) makePath() (string, error) {
	if runtime.GOOS == "windows" {
		return os.Getenv("PATH"), nil
	}
	bin := filepath.Join(s.dir, "bin")
	for name := range strings.FieldsSeq(tools) {
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

// clearEnvironment takes every variable from the environment but kept ones: the real ones name directories, configuration and
// programs of a person, and some change what git or handoff does.
func clearEnvironment() {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		known := slices.Contains(strings.Fields(keptVariables), name)
		if !known && !strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "UPDATE_") {
			_ = os.Unsetenv(name)
		}
	}
}

// keptVariables are variables that tests may read: how much they do, and what the machine needs.
const keptVariables = `
	HANDOFF_APART HANDOFF_BELIEVED HANDOFF_CHAOS HANDOFF_CORPUS HANDOFF_CYCLES HANDOFF_DOORS HANDOFF_FAULTS HANDOFF_FIGURES HANDOFF_FLIPS
	HANDOFF_GENERATED HANDOFF_GITLEAKS HANDOFF_IDLE HANDOFF_LOAD HANDOFF_MUTATED HANDOFF_NEEDS HANDOFF_OVERLAPS HANDOFF_PROGRAM HANDOFF_PROOFS HANDOFF_PROOF_ROUNDS
	HANDOFF_REHEARSAL HANDOFF_SEED HANDOFF_SIMULATION HANDOFF_STORED HANDOFF_WILD HANDOFF_WORKSPACES
	LANG SSL_CERT_FILE SSL_CERT_DIR TZ USER`

// tools are the programs that tests start, and those that these start. No client of handoff is one, nor handoff itself.
const tools = `
	bash dash fish sh zsh
	[ awk basename cat chgrp chmod chown cmp cp cut date dd diff dirname du echo env expr false find flock grep gzip head hostname id install kill ln
	ls mkdir mkfifo mktemp mount mv nice nohup od paste printenv printf ps pwd readlink realpath renice rm rmdir script sed seq setsid sha256sum
	sleep sort split stat stty sync tail tar tee test timeout touch tr true tty umount uname uniq unshare wc which whoami xargs yes
	docker git go gofmt groff mandoc python3 strace su setpriv systemctl systemd-analyze`
