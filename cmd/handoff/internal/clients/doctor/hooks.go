package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/clients/setup/live"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/process"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
	"handoff/tools"
)

// Hooks are tried in a workspace of their own. Doctor sends a handoff there and runs the hook of the client twice:
// the first time the hook must tell of the handoff, the second time it must be silent.

// rehearsed tries the hooks that run when a person writes to a session.
func (in *installation) rehearsed(ctx context.Context) (all []Finding) {
	if in.client.Hooks == nil {
		return nil
	}
	i := slices.IndexFunc(in.client.Hooks.On, func(h client.Hook) bool { return h.Event == client.Prompt }) // all have it
	h := in.client.Hooks.On[i]
	for _, f := range in.hooks {
		for _, handler := range f.Handlers {
			if handler.Event == h.At {
				all = append(all, in.rehearse(ctx, h, f, handler.Line))
			}
		}
	}
	if in.plugin != "" && len(in.hooks) == 0 {
		f := installed.HookFile{Client: in.client, Path: in.plugin, Shared: true}
		all = append(all, in.rehearse(ctx, h, f, in.client.Command(h, client.Call{Program: client.ServerName})))
	}
	return all
}

// rehearse tries one line of a file, if setup could have written it.
func (in *installation) rehearse(ctx context.Context, h client.Hook, f installed.HookFile, line string) Finding {
	words, agent, ok := f.Words(h, line)
	if !ok {
		return in.untriedHook(f, h, line)
	}
	dir, err := os.MkdirTemp("", "handoff-doctor-")
	if err != nil {
		return warning(aboutHooks, "%s: they cannot be tried: there is no place for temporary files: %v",
			in.client.Title, err)
	}
	stage := stage{in.Bench, dir}
	found := stage.perform(ctx, in.client, h, words, agent)
	if found.State == Error {
		found = found.try(in.mendHook(f, h, line))
	}
	if err := os.RemoveAll(dir); err != nil {
		return warning(aboutHooks, "%s: what was made to try them is left: %v", in.client.Title, err).
			try("rm -r " + shell.Quote(dir))
	}
	return found
}

// perform sends a handoff and runs the hook twice.
func (s stage) perform(ctx context.Context, c client.Client, h client.Hook, words []string, agent string) Finding {
	command := shell.Line(words)
	to := schemas.Agent(cmp.Or(agent, s.Machine.Getenv("HANDOFF_AGENT"), c.Name))
	if err := s.send(ctx, to); err != nil {
		return skipped(aboutHooks, "%s: they cannot be tried: %v", c.Title, err)
	}
	said, err := s.run(ctx, h, words)
	switch {
	case err != nil:
		return failure(aboutHooks, "%s: %s does not run: %v", c.Title, command, err)
	case !strings.Contains(said, title):
		return failure(aboutHooks, "%s: %s did not say that a handoff had come%s", c.Title, command, s.why())
	}
	again, err := s.run(ctx, h, words)
	if err != nil || again != "" {
		return failure(aboutHooks, "%s: %s said the same twice", c.Title, command)
	}
	return ok(aboutHooks, "%s: they tell a session of a handoff to %s, and do not repeat it", c.Title, to)
}

// title is the title of the handoff.
const title = "handoff doctor calls"

// A stage is a directory that is the project of one rehearsal, and has its workspace in it.
type stage struct {
	Bench
	dir string
}

func (s stage) debugLog() string { return filepath.Join(s.dir, "debug.log") }

// send sends the handoff. The workspace is closed again when it returns.
func (s stage) send(ctx context.Context, to schemas.Agent) (err error) {
	boxes, err := open.Workspace(ctx, open.Config{
		Name: scratchName, Dir: filepath.Join(s.dir, "handoff", scratchName), Runtime: s.dir,
		Version: s.Program.Version, Now: s.Now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, boxes.Close()) }()
	by := schemas.Caller{Agent: "doctor", Via: schemas.ViaCLI}
	call := tools.Call{Caller: by, Tool: "send_handoff"}
	_, err = tools.Ask[schemas.SendOut](ctx, boxes, call, map[string]any{"to": to, "task": title})
	return err
}

// limit is how long a hook may take. Clients wait longer.
const limit = 4 * time.Second

// run runs a hook as a client does, but without a shell, and gives what it prints.
func (s stage) run(ctx context.Context, h client.Hook, words []string) (said string, err error) {
	program := s.Machine.Program(words[0])
	if program == "" {
		return "", fmt.Errorf("%s is not there", words[0])
	}
	ctx, end := context.WithTimeout(ctx, limit)
	defer end()
	var out, complaints process.Tail
	cmd := exec.CommandContext(ctx, program, words[1:]...) //nolint:gosec // it is what setup writes
	cmd.Env = append(s.Machine.Environ(), "XDG_STATE_HOME="+s.dir, "XDG_RUNTIME_DIR="+s.dir,
		"HANDOFF_WORKSPACE="+scratchName, "HANDOFF_DIR=", "HANDOFF_STORE=", "HANDOFF_HOOK_DEBUG="+s.debugLog())
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.dir, bytes.NewReader(s.account(h)), &out, &complaints
	process.Tree(cmd)
	if err := cmd.Run(); err != nil {
		return "", live.Explained(err, nil, complaints.String())
	}
	return strings.TrimSpace(out.String()), nil
}

// account is the report that the client would give the hook.
func (s stage) account(h client.Hook) []byte {
	account, _ := json.Marshal(map[string]string{ // of texts, which cannot fail
		"session_id": "doctor", "hook_event_name": h.At, "cwd": s.dir, "prompt": "Is there any mail?",
	})
	return account
}

// why is the reason that a silent hook wrote into its debug log.
func (s stage) why() string {
	text, err := os.ReadFile(s.debugLog())
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	_, reason, _ := strings.Cut(lines[len(lines)-1], "]: ")
	return ": " + reason
}
