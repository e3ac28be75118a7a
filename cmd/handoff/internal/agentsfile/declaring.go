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

// A File may declare agents. Name is its name for people, and is kept with each agent. Project is the project's
// directory if the file belongs to a project. No link may lead out of it, because agents see the problems of the
// file, with parts of its lines. Own marks the user's own file, whose rules need no permission.
type File struct {
	Path, Name, Project string
	Own                 bool
}

// Read reads the declarations of a file. Problems are sentences with file, line and remedy; Read reports all of them.
// A missing file declares no agents.
func (f File) Read() (said schemas.DeclaringFile, problems []string) {
	text, problems := f.text()
	if len(problems) > 0 {
		return said, problems
	}
	return f.Says(text, true)
}

// text returns the text of the file, or nil if there is no file.
func (f File) text() (text []byte, problems []string) {
	text, err := f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	if err != nil {
		unread := Problem{1, "it cannot be read: " + err.Error(), "Make it a file that you may read, or remove it."}
		problems = Sentences(f.Name, []Problem{unread})
	}
	return text, problems
}

func (f File) read() ([]byte, error) {
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

// Says reads the declarations in the text of a file, as [File.Read] does. With expressions it also compiles the
// expressions of rules.
func (f File) Says(text []byte, expressions bool) (said schemas.DeclaringFile, problems []string) {
	said, wrong := Parse(text, expressions)
	said.Name = f.Name
	return said, Sentences(f.Name, wrong)
}

// Sentences formats the problems of a file of this name, each with its line and remedy.
func Sentences(name string, wrong []Problem) []string {
	return schemas.Map(wrong, func(p Problem) string { return fmt.Sprintf("%s:%d: %s. %s", name, p.Line, p.What, p.Remedy) })
}

// Declaring is an invoker that passes the declarations of a project's files to the workspace. It does so before the
// first call that works with handoffs, and again after a change of a file or of a person's permission: before the
// next call, and within a second while a call waits. It passes nothing of a broken file, so the last good
// declarations of that file stay valid. Only a process on the machine of the files can read them, wherever the store
// is.
//
// Its zero value with an invoker and files is ready, and its methods may be called concurrently.
type Declaring struct {
	tools.Invoker
	Files   func() []File       // finds the files, at the first call that needs them
	Leave   func() consent.Book // of the project, found at the same time; nil allows nothing
	Own     schemas.RegisterIn  // registration of this process's agent, from its start; the name comes from the caller
	Version string              // of the program: another version may read the same text differently

	mu       sync.Mutex // guards the fields below
	files    []File
	given    consent.Book
	texts    texts  // last read
	stamp    string // of the files whose declarations were passed last
	problems []string
	warned   bool          // that some rules lack permission
	own      schemas.Agent // the agent for which Own was passed
}

// texts holds the texts, declarations and problems of all files in one state.
type texts struct {
	stamp    string
	files    []declared
	waiting  []string // for each file whose rules lack permission: a sentence with the remedy
	problems []string
}

type declared struct {
	File

	text   []byte
	said   schemas.DeclaringFile
	broken bool
}

// Begin starts to read the files while the process starts. The first call that needs them waits for the end.
func (d *Declaring) Begin() {
	d.mu.Lock()
	go func() {
		defer d.mu.Unlock()
		d.read(d.find())
	}()
}

// find finds the files at its first call, and returns their stamp.
func (d *Declaring) find() string {
	if d.files == nil {
		d.files = append([]File{}, d.Files()...) // there may be none
		if d.Leave != nil {
			d.given = d.Leave()
		}
	}
	return d.stamped()
}

// read reads the files, unless their stamp is the stamp of the last reading.
func (d *Declaring) read(stamp string) {
	if d.texts.files != nil && d.texts.stamp == stamp {
		return
	}
	d.texts = texts{stamp: stamp}
	for _, f := range d.files {
		text, unread := f.text()
		said, problems := f.Says(text, false)
		how, waits := f.Waits(said, d.given)
		if said.Unallowed = waits; waits {
			d.texts.waiting = append(d.texts.waiting, how)
		}
		d.texts.files = append(d.texts.files, declared{f, text, said, len(unread)+len(problems) > 0})
		d.texts.problems = slices.Concat(d.texts.problems, unread, problems)
	}
}

// digest returns one digest of all files in their order: of their names and texts, and whether their rules lack
// permission.
func (d *Declaring) digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", d.Version)
	for _, f := range d.texts.files {
		fmt.Fprintf(h, " %q %t %d:%s", f.Name, f.said.Unallowed, len(f.text), f.text)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Invoke passes the call on. Declarations that cannot be passed stop no call; list_agents warns of them. If no owner
// answers, Invoke does not try the call itself, because it would wait as long again. The first result with warnings,
// and each result of list_agents, names the rules that lack permission.
func (d *Declaring) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	t, err := tools.Find(c.Tool)
	if err != nil || t.Admin && t.Name != "workspace_overview" && t.Name != "session_news" { // these two show handoffs
		return d.Invoker.Invoke(ctx, c)
	}
	if err := d.tell(ctx, c.Caller); err != nil {
		return nil, err
	}
	raw, err := d.followed(ctx, c)
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

// warnings returns the rules that lack permission, if the caller was not warned of them yet. With all it returns them
// in any case, and the problems of the files.
func (d *Declaring) warnings(all bool) (warnings []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if all {
		warnings = append(warnings, d.problems...)
	}
	if all || !d.warned {
		warnings = append(warnings, d.texts.waiting...)
	}
	d.warned = len(d.texts.waiting) > 0
	return warnings
}

// followed makes the call. While the call waits, it passes changes of the files every second.
func (d *Declaring) followed(ctx context.Context, c tools.Call) (json.RawMessage, error) {
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
				_ = d.tell(ctx, c.Caller) // it is tried again in a second
			}
		}
	})
	defer func() { close(over); following.Wait() }()
	return d.Invoker.Invoke(ctx, c)
}

// tell passes declarations that are new since the last time. Its error is unavailable: no owner answers.
func (d *Declaring) tell(ctx context.Context, by schemas.Caller) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if stamp := d.find(); stamp != d.stamp {
		if err := d.declare(ctx, stamp); err != nil {
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

// teller is the caller of declarations, whichever call comes after them.
var teller = schemas.Caller{Via: schemas.ViaCLI}

// declare passes the declarations of the files, unless a process has passed the same ones last. Its error is
// unavailable.
func (d *Declaring) declare(ctx context.Context, stamp string) error {
	d.read(stamp)
	d.problems = slices.Clone(d.texts.problems)
	digest := d.digest()
	last, err := tools.Ask[schemas.DeclaredOut](ctx, d.Invoker, tools.Call{Caller: teller, Tool: "agents_declared"}, schemas.DeclaredIn{})
	switch {
	case err != nil && schemas.AsError(err).Code == schemas.Unavailable:
		return err
	case err != nil:
		err = d.declareWhole(ctx, "") // an owner of an older version does not take the digest
	case last.Digest != digest:
		err = d.declareWhole(ctx, digest)
	}
	if err == nil || schemas.AsError(err).Code != schemas.Unavailable {
		d.stamp = stamp // also after a refusal, as by an owner of an older version: they are not passed again
	}
	return nil
}

// declareWhole passes the declarations of all files that are not broken. Only the owner of the store compiles
// expressions, and only if they changed, because it takes long to set up their language. If the owner refuses one,
// declareWhole looks for the broken file and its line here, and passes the other files.
func (d *Declaring) declareWhole(ctx context.Context, digest string) error {
	in := schemas.DeclareIn{Digest: digest, Leave: true}
	for _, f := range d.texts.files {
		if !f.broken {
			in.Files = append(in.Files, f.said)
		}
	}
	out, err := tools.Ask[schemas.DeclareOut](ctx, d.Invoker, tools.Call{Caller: teller, Tool: "agents_declare"}, in)
	if e := schemas.AsError(err); e != nil && (e.Field == "leave" || strings.HasSuffix(e.Field, "unallowed")) { // an owner that does not know permissions would run them
		in.Digest = "" // so that the next owner gets them again
		in.Leave, in.Files = false, schemas.Map(in.Files, func(f schemas.DeclaringFile) schemas.DeclaringFile {
			if f.Unallowed {
				f.Routes, f.Plans, f.Unallowed = nil, nil, false
			}
			return f
		})
		out, err = tools.Ask[schemas.DeclareOut](ctx, d.Invoker, tools.Call{Caller: teller, Tool: "agents_declare"}, in)
	}
	d.problems = append(d.problems, out.Warnings...)
	e := schemas.AsError(err)
	if e == nil || e.Code != schemas.Invalid {
		return err
	}
	before := len(d.problems)
	for i, f := range d.texts.files {
		if _, problems := f.Says(f.text, true); !f.broken && len(problems) > 0 {
			d.texts.files[i].broken, d.problems = true, append(d.problems, problems...)
		}
	}
	if len(d.problems) > before {
		return d.declareWhole(ctx, digest)
	}
	d.problems = append(d.problems, e.Error()) // for example a refused secret
	return err
}

// stamped returns a text that changes with each file's time of change and size, and with the permissions.
func (d *Declaring) stamped() string {
	var b strings.Builder
	for _, f := range d.files {
		if info, err := os.Stat(f.Path); err == nil {
			fmt.Fprintf(&b, "%d %d", info.ModTime().UnixNano(), info.Size())
		}
		b.WriteByte(';')
	}
	return b.String() + d.given.Stamp()
}
