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
)

// A File is a file that may declare agents. Name is its name for people, and is stored with each agent that it
// declares. Project is the project's directory if the file belongs to a project. The file must not be a link that leads
// out of that directory, because agents see the problems of the file, with parts of its lines. Own marks the user's own
// file, whose rules need no permission.
type File struct {
	Path, Name, Project string
	Own                 bool
}

// Read reads the declarations of a file. Problems are sentences with file, line and remedy; Read reports all of them.
// A missing file declares no agents.
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

// Parse reads the declarations in the text of a file, as [File.Read] does. With expressions it also compiles the
// expressions of rules.
func (f File) Parse(text []byte, expressions bool) (said schemas.DeclaringFile, problems []string) {
	said, wrong := Parse(text, expressions)
	said.Name = f.Name
	return said, FormatProblems(f.Name, wrong)
}

// FormatProblems formats the problems of a file of this name, each with its line and remedy.
func FormatProblems(name string, wrong []Problem) []string {
	return schemas.Map(wrong, func(p Problem) string { return fmt.Sprintf("%s:%d: %s. %s", name, p.Line, p.What, p.Remedy) })
}

// A Declarer is an invoker that also passes the declarations in the project's files to the workspace. It passes them
// before the first call that works with handoffs, and again after a file or a person's permission has changed: before
// the next call or, while a call waits, within a second. It passes no declarations of a broken file, so the last valid
// declarations of that file stay in the workspace. It reads the files in this process, because the owner of the store
// may run on another machine.
//
// A value with only an invoker and files is ready for use. Its methods may be called concurrently.
type Declarer struct {
	tools.Invoker
	Files       func() []File       // finds the files, at the first call that needs them
	Permissions func() consent.Book // of the project, found at the same time; nil allows nothing
	Own         schemas.RegisterIn  // registration of this process's agent, from its start; the name comes from the caller
	Version     string              // of the program: another version may read the same text differently

	mu       sync.Mutex // guards the fields below
	files    []File
	book     consent.Book
	texts    filesReading // last read
	stamp    string       // of the files whose declarations were passed last
	problems []string
	warned   bool          // that some rules lack permission
	own      schemas.Agent // the agent for which Own was passed
}

// filesReading holds the texts, declarations and problems of all files, as one reading of the files found them.
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

// Start starts to read the files in the background, while the process starts. The first call that needs the
// declarations waits until all files are read.
func (d *Declarer) Start() {
	d.mu.Lock()
	go func() {
		defer d.mu.Unlock()
		d.readFiles(d.findFiles())
	}()
}

// findFiles finds the files at its first call. Each call returns the present stamp of the files.
func (d *Declarer) findFiles() string {
	if d.files == nil {
		d.files = append([]File{}, d.Files()...) // there may be none
		if d.Permissions != nil {
			d.book = d.Permissions()
		}
	}
	return d.currentStamp()
}

// readFiles reads the files, unless the stamp is the same as at the last reading.
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

// filesDigest returns one digest of all files in their order. It covers the names and texts of the files, and whether their
// rules lack permission.
func (d *Declarer) filesDigest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", d.Version)
	for _, f := range d.texts.files {
		fmt.Fprintf(h, " %q %t %d:%s", f.Name, f.said.Unallowed, len(f.text), f.text)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Invoke passes the call on. If the declarations cannot be passed, the call goes on without them, and list_agents warns
// about them. But if no owner of the store answered when Invoke passed the declarations, Invoke does not make the call,
// because the call would wait for the owner just as long. The first result with warnings, and each result of
// list_agents, names the rules that lack permission.
func (d *Declarer) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	t, err := tools.Find(c.Tool)
	if err != nil || t.Admin && t.Name != "workspace_overview" && t.Name != "session_news" { // these two show handoffs
		return d.Invoker.Invoke(ctx, c)
	}
	if err := d.declareChanges(ctx, c.Caller); err != nil {
		return nil, err
	}
	raw, err := d.invokeWatching(ctx, c)
	if err != nil || !t.Warns() {
		return raw, err
	}
	warnings := d.warnings(c.Tool == "list_agents")
	var result map[string]json.RawMessage
	if len(warnings) == 0 || json.Unmarshal(raw, &result) != nil {
		return raw, nil //nolint:nilerr // the result is good for its caller, whatever it is
	}
	var before []string
	_ = json.Unmarshal(result["warnings"], &before)                     // there may be none
	result["warnings"], _ = schemas.Encode(append(before, warnings...)) // texts can be encoded
	return schemas.Encode(result)
}

// warnings returns a warning for each file whose rules lack permission, unless an earlier result had these warnings. If
// all is true, it returns the warnings in any case, together with the problems of the files.
func (d *Declarer) warnings(all bool) (warnings []string) {
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

// invokeWatching makes the call. While the call waits, invokeWatching looks every second for changes of the files and
// passes them to the workspace.
func (d *Declarer) invokeWatching(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	over := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				_ = d.declareChanges(ctx, c.Caller) // it is tried again in a second
			}
		}
	})
	defer func() { close(over); following.Wait() }()
	return d.Invoker.Invoke(ctx, c)
}

// declareChanges passes the declarations of the files if the files changed since the last time. It returns only one
// kind of error, unavailable, which says that no owner of the store answers.
func (d *Declarer) declareChanges(ctx context.Context, by schemas.Caller) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if stamp := d.findFiles(); stamp != d.stamp {
		if err := d.declareFiles(ctx, stamp); err != nil {
			return err
		}
	}
	if own := d.Own; by.Agent != "" && d.own != by.Agent && (own.Role != "" || own.Accepts != nil || own.Skills != nil) {
		own.Name = string(by.Agent)
		if _, err := tools.Ask[schemas.RegisterOut](ctx, d.Invoker, tools.Call{Caller: by, Tool: "register_agent"}, own); err == nil {
			d.own = by.Agent
		}
	}
	return nil
}

// declaringCaller is the caller of declarations, whichever call comes after them.
var declaringCaller = schemas.Caller{Via: schemas.ViaCLI}

// declareFiles passes the declarations of the files, unless the last declarations that any process passed are the same.
// Its error is unavailable.
func (d *Declarer) declareFiles(ctx context.Context, stamp string) error {
	d.readFiles(stamp)
	d.problems = slices.Clone(d.texts.problems)
	digest := d.filesDigest()
	last, err := tools.Ask[schemas.DeclaredOut](ctx, d.Invoker, tools.Call{Caller: declaringCaller, Tool: "agents_declared"}, schemas.DeclaredIn{})
	switch {
	case err != nil && schemas.AsError(err).Code == schemas.Unavailable:
		return err
	case err != nil:
		err = d.declareAll(ctx, "") // an owner of an older version does not take the digest
	case last.Digest != digest:
		err = d.declareAll(ctx, digest)
	}
	if err == nil || schemas.AsError(err).Code != schemas.Unavailable {
		d.stamp = stamp // also after a refusal, as by an owner of an older version: they are not passed again
	}
	return nil
}

// declareAll passes the declarations of all files that are not broken. Only the owner of the store compiles
// expressions, and only after a change, because the language of expressions takes long to set up. If the owner refuses
// an expression, declareAll compiles the expressions here to find the broken file and its line, and passes the other
// files.
func (d *Declarer) declareAll(ctx context.Context, digest string) error {
	in := schemas.DeclareIn{Digest: digest, Leave: true}
	for _, f := range d.texts.files {
		if !f.broken {
			in.Files = append(in.Files, f.said)
		}
	}
	out, err := tools.Ask[schemas.DeclareOut](ctx, d.Invoker, tools.Call{Caller: declaringCaller, Tool: "agents_declare"}, in)
	if e := schemas.AsError(err); e != nil && (e.Field == "leave" || strings.HasSuffix(e.Field, "unallowed")) { // an owner that does not know permissions would run them
		in.Digest = "" // so that the next owner gets them again
		in.Leave, in.Files = false, schemas.Map(in.Files, func(f schemas.DeclaringFile) schemas.DeclaringFile {
			if f.Unallowed {
				f.Routes, f.Plans, f.Unallowed = nil, nil, false
			}
			return f
		})
		out, err = tools.Ask[schemas.DeclareOut](ctx, d.Invoker, tools.Call{Caller: declaringCaller, Tool: "agents_declare"}, in)
	}
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

// currentStamp returns a text that changes whenever the modification time or size of a file changes, or the permissions
// change.
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
