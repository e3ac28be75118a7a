package agentsfile

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/consent"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/platform"
)

// A File is a file that may declare agents. Name is shown to people, and is stored with each agent that the file
// declares. Project is the project's directory, or "" for a file outside of the project. A file of a project must not
// be a link that leads out of the project, because agents see the problems of the file, which quote its lines. Own
// marks the user's own file, whose rules need no permission.
type File struct {
	Path, Name, Project string
	Own                 bool
}

// Read reads the declarations of a file. It returns all problems, each as a sentence with file, line and remedy. A
// missing file declares no agents.
func (f File) Read() (said schemas.DeclaringFile, problems []string) {
	text, problems := f.readText()
	if len(problems) > 0 {
		return said, problems
	}
	return f.Parse(text, true)
}

// readText returns the text of the file, or nil if there is no file.
func (f File) readText() (text []byte, problems []string) {
	text, err := f.readBytes()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	if err != nil {
		unread := Problem{1, "it cannot be read: " + err.Error(), "Make it a file that you may read, or remove it."}
		problems = FormatProblems(f.Name, []Problem{unread})
	}
	return text, problems
}

func (f File) readBytes() ([]byte, error) {
	path, stat, read := f.Path, os.Stat, os.ReadFile
	if below, err := filepath.Rel(f.Project, f.Path); f.Project != "" && err == nil {
		project, err := os.OpenRoot(f.Project)
		if err != nil {
			return nil, err
		}
		defer project.Close()
		path, stat, read = below, project.Stat, project.ReadFile
	}
	info, err := stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > mostBytes:
		return make([]byte, mostBytes+1), nil // Parse says that it is too large
	}
	return read(path)
}

// Parse reads the declarations in text, as [File.Read] does in the file. If expressions is true, Parse also compiles
// the expressions of the rules.
func (f File) Parse(text []byte, expressions bool) (said schemas.DeclaringFile, problems []string) {
	said, wrong := Parse(text, expressions)
	said.Name = f.Name
	return said, FormatProblems(f.Name, wrong)
}

// FormatProblems returns each problem of the file called name as a sentence with line and remedy.
func FormatProblems(name string, wrong []Problem) []string {
	return schemas.Map(wrong, func(p Problem) string { return fmt.Sprintf("%s:%d: %s. %s", name, p.Line, p.What, p.Remedy) })
}

// A Declarer is an invoker that also passes the declarations in the project's files to the workspace. It passes the
// declarations before the first call that works with handoffs, and again after a file or a person's permission has
// changed. While a call waits, the Declarer looks for changes every second. If a file is broken, the workspace keeps
// the last valid declarations of the file. The Declarer runs on the caller's machine, because the owner of the store
// may run on another machine.
//
// A Declarer needs only an invoker and Files. Its methods may be called concurrently.
type Declarer struct {
	tools.Invoker
	Files       func() []File                 // finds the files, at the first call that needs them
	Permissions func() consent.PermissionBook // of the project, found at the same time; nil allows nothing
	Own         schemas.RegisterIn            // registration of this process's agent, from its start; the name comes from the caller
	Version     string                        // of the program: another version may read the same text differently

	mu       sync.Mutex // guards the fields below
	files    []File
	book     consent.PermissionBook
	texts    filesReading // last read
	stamp    string       // of the files whose declarations were passed last
	problems []string
	warned   bool          // that some rules lack permission
	own      schemas.Agent // the agent for which Own was passed
}

// filesReading is the result of reading all files once: their texts, declarations and problems.
type filesReading struct {
	stamp       string
	files       []declaredFile
	unpermitted []string // for each file whose rules lack permission: a sentence with the remedy
	problems    []string
}

type declaredFile struct {
	File

	text   []byte
	said   schemas.DeclaringFile
	broken bool
}

// StartReading begins to read the files in the background. The first call that needs the declarations waits until all
// files are read.
func (d *Declarer) StartReading() {
	d.mu.Lock()
	go func() {
		defer d.mu.Unlock()
		d.readFiles(d.findFilesAndStamp())
	}()
}

// findFilesAndStamp finds the files at the first call. Each call returns the current stamp of the files.
func (d *Declarer) findFilesAndStamp() string {
	if d.files == nil {
		d.files = append([]File{}, d.Files()...) // there may be none
		if d.Permissions != nil {
			d.book = d.Permissions()
		}
	}
	return d.currentStamp()
}

// readFiles reads the files. It does nothing if the stamp equals the stamp of the last reading.
func (d *Declarer) readFiles(stamp string) {
	if d.texts.files != nil && d.texts.stamp == stamp {
		return
	}
	d.texts = filesReading{stamp: stamp}
	for _, f := range d.files {
		text, unread := f.readText()
		said, problems := f.Parse(text, false)
		how, waits := f.LacksPermission(said, d.book)
		if said.Unallowed = waits; waits {
			d.texts.unpermitted = append(d.texts.unpermitted, how)
		}
		d.texts.files = append(d.texts.files, declaredFile{f, text, said, len(unread)+len(problems) > 0})
		d.texts.problems = slices.Concat(d.texts.problems, unread, problems)
	}
}

// filesDigest returns one digest of the names and texts of all files, in their order. The digest also changes if the
// rules of a file get or lose their permission.
func (d *Declarer) filesDigest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", d.Version)
	for _, f := range d.texts.files {
		fmt.Fprintf(h, " %q %t %d:%s", f.Name, f.said.Unallowed, len(f.text), f.text)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Invoke first passes changed declarations to the workspace, and then makes the call. If the owner of the store does
// not answer, Invoke returns the error and does not make the call. If the owner refuses the declarations, Invoke still
// makes the call, and list_agents shows the problems as warnings. The rules that lack permission are named in the first
// result that has a field for warnings, and in each result of list_agents.
func (d *Declarer) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	t, err := tools.FindTool(c.Tool)
	if err != nil || t.Admin && t.Name != "workspace_overview" && t.Name != "session_news" { // these two show handoffs
		return d.Invoker.Invoke(ctx, c)
	}
	if err := d.declareChanges(ctx, c.Caller); err != nil {
		return nil, err
	}
	raw, err := d.invokeWhileWatching(ctx, c)
	if err != nil || !t.HasWarnings() {
		return raw, err
	}
	warnings := d.takeWarnings(c.Tool == "list_agents")
	var result map[string]json.RawMessage
	if len(warnings) == 0 || json.Unmarshal(raw, &result) != nil {
		return raw, nil //nolint:nilerr // the result is good for its caller, whatever it is
	}
	var before []string
	_ = json.Unmarshal(result["warnings"], &before)                     // there may be none
	result["warnings"], _ = schemas.Encode(append(before, warnings...)) // texts can be encoded
	return schemas.Encode(result)
}

// takeWarnings returns a warning for each file whose rules lack permission. If all is false and an earlier result had
// warnings of this kind, it returns none. If all is true, it also returns the problems of the files.
func (d *Declarer) takeWarnings(all bool) (warnings []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if all {
		warnings = append(warnings, d.problems...)
	}
	if all || !d.warned {
		warnings = append(warnings, d.texts.unpermitted...)
	}
	d.warned = len(d.texts.unpermitted) > 0
	return warnings
}

// invokeWhileWatching makes the call. Until the call ends, it looks every second for changes of the files and passes
// changed declarations to the workspace.
func (d *Declarer) invokeWhileWatching(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	during, end := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() {
		for platform.Sleep(during, time.Second) {
			_ = d.declareChanges(ctx, c.Caller) // it is tried again in a second
		}
	})
	defer following.Wait()
	defer end()
	return d.Invoker.Invoke(ctx, c)
}

// declareChanges passes the declarations of the files if a file has changed since declareChanges last passed them. It
// also registers the agent of this process once. Its only error is that the workspace does not tell what was declared
// last, for example because the owner of the store does not answer.
func (d *Declarer) declareChanges(ctx context.Context, by schemas.Caller) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if stamp := d.findFilesAndStamp(); stamp != d.stamp {
		if err := d.declareIfDifferent(ctx, stamp); err != nil {
			return err
		}
	}
	if own := d.Own; by.Agent != "" && d.own != by.Agent && (own.Role != "" || own.Accepts != nil || own.Skills != nil) {
		own.Name = string(by.Agent)
		if _, err := tools.InvokeTyped[schemas.RegisterOut](ctx, d.Invoker, tools.Call{Caller: by, Tool: "register_agent"}, own); err == nil {
			d.own = by.Agent
		}
	}
	return nil
}

// declaringCaller is the caller of declarations, whichever call comes after them.
var declaringCaller = schemas.Caller{Via: schemas.ViaCLI}

// declareIfDifferent passes the declarations of the files unless the workspace has exactly these declarations already.
// Its only error is that the owner of the store did not say what was declared last.
func (d *Declarer) declareIfDifferent(ctx context.Context, stamp string) error {
	d.readFiles(stamp)
	d.problems = slices.Clone(d.texts.problems)
	digest := d.filesDigest()
	last, err := tools.InvokeTyped[schemas.DeclaredOut](ctx, d.Invoker, tools.Call{Caller: declaringCaller, Tool: "agents_declared"}, schemas.DeclaredIn{})
	if err != nil {
		return err
	}
	if last.Digest != digest {
		err = d.declareAll(ctx, digest)
	}
	if err == nil || schemas.AsError(err).Code != schemas.Unavailable {
		d.stamp = stamp // also after a refusal: they are not passed again
	}
	return nil
}

// declareAll passes the declarations of all files that are not broken. Only the owner of the store compiles the
// expressions, because the compiler is slow to start. If the owner refuses an expression, declareAll compiles the
// expressions in this process to find the broken file and its line. Then it passes the other files.
func (d *Declarer) declareAll(ctx context.Context, digest string) error {
	in := schemas.DeclareIn{Digest: digest, Leave: true}
	for _, f := range d.texts.files {
		if !f.broken {
			in.Files = append(in.Files, f.said)
		}
	}
	out, err := tools.InvokeTyped[schemas.DeclareOut](ctx, d.Invoker, tools.Call{Caller: declaringCaller, Tool: "agents_declare"}, in)
	d.problems = append(d.problems, out.Warnings...)
	e := schemas.AsError(err)
	if e == nil || e.Code != schemas.Invalid {
		return err
	}
	before := len(d.problems)
	for i, f := range d.texts.files {
		if _, problems := f.Parse(f.text, true); !f.broken && len(problems) > 0 {
			d.texts.files[i].broken, d.problems = true, append(d.problems, problems...)
		}
	}
	if len(d.problems) > before {
		return d.declareAll(ctx, digest)
	}
	d.problems = append(d.problems, e.Error()) // for example a refused secret
	return err
}

// currentStamp returns a text about the files and the permissions. It changes when the modification time or the size of
// a file changes, and when the permissions change.
func (d *Declarer) currentStamp() string {
	var b strings.Builder
	for _, f := range d.files {
		if info, err := os.Stat(f.Path); err == nil {
			fmt.Fprintf(&b, "%d %d", info.ModTime().UnixNano(), info.Size())
		}
		b.WriteByte(';')
	}
	return b.String() + d.book.Stamp()
}
