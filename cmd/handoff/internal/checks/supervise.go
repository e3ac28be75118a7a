package checks

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/tools/platform"
)

// SuperviseFlag is the flag of "handoff checks run" that starts the program as a supervisor, see [Supervise].
const SuperviseFlag = "supervise"

const (
	mostOutput    = 16 << 20
	mostProcesses = 1000
	mostFile      = 16 << 30  // bytes of a file
	mostMemory    = 0.75      // part of the memory of the machine
	leastDisk     = 256 << 20 // bytes that must stay free in a file system
	watchInterval = 50 * time.Millisecond
	memoryEvery   = 10               // it takes longer, so only every tenth time
	grace         = time.Second      // for processes to end after their command
	endLimit      = 10 * time.Second // for the supervisor to end all processes
)

// commandOrder is the order to a supervisor, a line of JSON.
type commandOrder struct {
	Line, Dir string
	Env       []string
	Limit     time.Duration
	Print     string // the file for the standard output of the command
	Temporary string // a directory that ends with the command
	Kept      bool   // another supervisor is above this one, see [order.superviseChild]
}

// commandOutcome is the result of a command.
type commandOutcome struct {
	Exit   *int // nil if it was killed, or did not start
	Millis int64
	Why    string // the failure, in a sentence; empty for none
	Tail   []byte
	Output string // SHA-256 of all output
}

// Supervise reads an order from in, runs the command of the order, and writes the outcome to out. It returns when all
// processes of the command have ended. If in ends, the process that gave the order was killed, and Supervise kills the
// command at once.
func Supervise(ctx context.Context, in io.Reader, out io.Writer) error {
	said := bufio.NewReader(in)
	line, err := said.ReadBytes('\n')
	if err != nil {
		return err
	}
	var o commandOrder
	if err := json.Unmarshal(line, &o); err != nil {
		return err
	}
	within, over := context.WithCancelCause(ctx)
	defer over(nil)
	go func() {
		_, _ = io.Copy(io.Discard, said)
		over(errors.New("nobody waits for it"))
	}()
	if !o.Kept {
		return o.superviseChild(within, out)
	}
	done, err := o.runCommand(within, over)
	if err = cmp.Or(err, context.Cause(ctx)); err != nil { // a signal to this process may have ended the command too
		return err
	}
	return json.NewEncoder(out).Encode(done)
}

// superviseChild runs a second supervisor as a child, because the command may stop or kill its supervisor. When the
// child has ended, superviseChild ends all remaining processes. It measures the time limit itself, because it cannot
// rely on the child.
func (o commandOrder) superviseChild(ctx context.Context, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o.Kept = true
	done, err := o.supervise(ctx, exec.CommandContext(context.WithoutCancel(ctx), self, superviseArgs...), endLimit) //nolint:gosec // this program itself
	if err != nil {
		return err
	}
	_, err = out.Write(done)
	return err
}

var superviseArgs = []string{"checks", "run", "--" + SuperviseFlag}

// supervise starts a supervisor with the order, and returns its output. When ctx ends, it tells the supervisor to end.
// If the supervisor has not ended after the time limit of the order plus the duration late, supervise kills the
// supervisor and all processes below it.
func (o commandOrder) supervise(ctx context.Context, by *exec.Cmd, late time.Duration) ([]byte, error) {
	in, err := by.StdinPipe()
	if err != nil {
		return nil, err
	}
	var out, problem bytes.Buffer
	by.Stdout, by.Stderr = &out, &problem
	release, err := platform.StartGuarded(by)
	if err != nil {
		return nil, err
	}
	defer release()
	ended := make(chan struct{})
	defer close(ended)
	go o.killLate(ctx, by, in, late, ended)
	told, _ := json.Marshal(o)          // texts and numbers can be encoded
	_, _ = in.Write(append(told, '\n')) // if it has ended, Wait returns the error
	if err := by.Wait(); err != nil {
		if said, _, _ := strings.Cut(problem.String(), "\n"); said != "" {
			err = errors.New(strings.TrimRight(strings.TrimPrefix(said, "handoff: "), ": "))
		}
		return nil, err
	}
	return out.Bytes(), nil
}

// killLate kills a supervisor that runs too long, and all processes below it. It kills a stopped supervisor too.
func (o commandOrder) killLate(ctx context.Context, by *exec.Cmd, in io.Closer, late time.Duration, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-time.After(o.Limit + late):
	case <-ctx.Done():
		_ = in.Close()
		select {
		case <-ended:
			return
		case <-time.After(late):
		}
	}
	platform.KillTree(by) // its remaining processes are orphans then
}

func (o commandOrder) runCommand(ctx context.Context, over context.CancelCauseFunc) (done commandOutcome, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Limit, fmt.Errorf("it did not end within %s", o.Limit))
	defer cancel()
	print, err := os.OpenFile(o.Print, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return done, err
	}
	defer print.Close()
	defer func() { _ = removeAll(o.Temporary) }() // else the next run does it
	platform.LimitFileSize(mostFile)
	cmd := platform.ShellCommand(ctx, o.Line)
	cmd.Dir, cmd.Env = o.Dir, o.Env
	all := &cappedOutput{sum: sha256.New(), over: over}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(all, print), all
	begun := time.Now()
	release, err := platform.StartGuarded(cmd)
	if err != nil {
		return done, err
	}
	defer release()
	watched := make(chan struct{})
	go o.killWhenExceeded(cmd.Process.Pid, over, watched)
	ended := cmd.Wait() // ProcessState says more
	close(watched)
	done.Millis = time.Since(begun).Milliseconds()
	if ctx.Err() != nil {
		done.Why = context.Cause(ctx).Error()
	} else if left := countRemaining(ctx, cmd.Process.Pid); left > 0 {
		done.Why = fmt.Sprintf("it left %s running", schemas.CountNoun(left, "process"))
	} else if errors.Is(ended, exec.ErrWaitDelay) {
		done.Why = "it left processes running that print"
	}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		done.Exit = &code
	}
	kept := all.tail.Bytes() // [outputTail] masks secrets in the last 8 KiB, and then keeps the last 4 KiB
	done.Tail, done.Output = kept[max(0, len(kept)-2*mostTail):], fmt.Sprintf("%x", all.sum.Sum(nil))
	return done, nil
}

// killWhenExceeded kills the processes of a command that exceed the limit of processes, memory or disk space.
func (o commandOrder) killWhenExceeded(pid int, over context.CancelCauseFunc, ended <-chan struct{}) {
	look := time.NewTicker(watchInterval)
	defer look.Stop()
	for n := 1; ; n++ {
		select {
		case <-ended:
			return
		case <-look.C:
		}
		var pids []int
		platform.VisitDescendants(pid, func(pid int) { pids = append(pids, pid) })
		switch {
		case len(pids) > mostProcesses:
			over(fmt.Errorf("it had more than %d processes", mostProcesses))
		case n%memoryEvery == 0 && platform.UsesTooMuchMemory(pids, mostMemory):
			over(errors.New("it had more than three quarters of the memory"))
		case platform.IsDiskNearlyFull(o.Dir, leastDisk) || platform.IsDiskNearlyFull(o.Temporary, leastDisk):
			over(errors.New("less than 256 MiB are free where it writes"))
		default:
			continue
		}
		platform.KillDescendants(pid) // before it takes much more
	}
}

// countRemaining returns the number of processes that a command left running. Before it counts, it waits a moment, so
// that processes can end by themselves.
func countRemaining(ctx context.Context, pid int) (left int) {
	for until := time.Now().Add(grace); ctx.Err() == nil; {
		left = 0
		platform.VisitDescendants(pid, func(int) { left++ })
		if left == 0 || time.Now().After(until) {
			break
		}
		platform.Sleep(ctx, 5*time.Millisecond)
	}
	return left
}

// cappedOutput takes the output of a command and keeps its last part. If the output exceeds the limit, it ends the
// command.
type cappedOutput struct {
	over context.CancelCauseFunc

	mu   sync.Mutex // guards the fields below
	sum  hash.Hash
	tail platform.OutputTail
	size int
}

// Write adds p, if the output is within the limit.
func (s *cappedOutput) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size += len(p); s.size > mostOutput {
		err := errors.New("it printed more than 16 MiB")
		s.over(err)
		return 0, err
	}
	s.sum.Write(p)
	return s.tail.Write(p)
}
