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

// A File may declare agents. Name is how people know it: it is kept with each agent. Project is the directory of a file
// that comes with one: no link may lead out of it, because agents are told what is wrong with the lines of the file. Own
// is that of the user, whose rules need no leave.
type File struct {
	Path, Name, Project string
	Own                 bool
}

// Read gives what a file declares, and all that is wrong with it as sentences with file, line and remedy. A file that is
// not there declares nobody.
func (f File) Read() (said schemas.DeclaringFile, problems []string) {
	text, problems := f.text()
	if len(problems) > 0 {
		return said, problems
	}
	return f.Says(text, true)
}

// text is what stands in the file: nothing where it is not there.
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

// Says gives what the text of a file declares, as [File.Read] does. It looks into the expressions of rules if it is told.
func (f File) Says(text []byte, expressions bool) (said schemas.DeclaringFile, problems []string) {
	said, wrong := Parse(text, expressions)
	said.Name = f.Name
	return said, Sentences(f.Name, wrong)
}

// Sentences tell what is wrong with a file of that name, each with its line and remedy.
func Sentences(name string, wrong []Problem) []string {
	return schemas.Map(wrong, func(p Problem) string { return fmt.Sprintf("%s:%d: %s. %s", name, p.Line, p.What, p.Remedy) })
}

// Declaring is an invoker that tells the workspace what the files of a project declare, before the first call that works
// with handoffs, and again when a file changed, or what a person allowed: before the next call, and within a second while
// one waits. Of a file that is broken nothing is told, so that what it declared last holds. Only the process beside the
// files can read them, wherever the store is.
//
// Its zero value with an invoker and files is ready, and its methods may be called concurrently.
type Declaring struct {
	tools.Invoker
	Files   func() []File       // finds them, at the first call for which they matter
	Leave   func() consent.Book // of the project, found then; nil for none, which allows nothing
	Own     schemas.RegisterIn  // what the agent of this process said at its start; its name is that of the caller
	Version string              // of the program: to another one the same text may say something else

	mu       sync.Mutex // guards the fields below
	files    []File
	given    consent.Book
	texts    texts  // of the files, as they were read last
	stamp    string // of the files as they were told last
	problems []string
	warned   bool          // that rules wait
	own      schemas.Agent // for whom Own was told
}

// texts is what stands in files in one state of them, what they say, and what is wrong with that.
type texts struct {
	stamp    string
	files    []declared
	waiting  []string // whose rules wait for leave, and what to do
	problems []string
}

type declared struct {
	File

	text   []byte
	said   schemas.DeclaringFile
	broken bool
}

// Begin reads the files while the process does other things at its start. The first call for which they matter waits.
func (d *Declaring) Begin() {
	d.mu.Lock()
	go func() {
		defer d.mu.Unlock()
		d.read(d.find())
	}()
}

// find gives the stamp of the files, which it finds first.
func (d *Declaring) find() string {
	if d.files == nil {
		d.files = append([]File{}, d.Files()...) // there may be none
		if d.Leave != nil {
			d.given = d.Leave()
		}
	}
	return d.stamped()
}

// read reads the files, unless they are those that were read last.
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

// digest is one of all files together: of their names and texts, and whether their rules wait, in their order.
func (d *Declaring) digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", d.Version)
	for _, f := range d.texts.files {
		fmt.Fprintf(h, " %q %t %d:%s", f.Name, f.said.Unallowed, len(f.text), f.text)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Invoke passes the call on. What cannot be told stops no call; list_agents warns of it. Where nobody answers just now,
// the call is not tried besides: it would wait as long again. The first result that has warnings says which rules wait
// for leave, and so does each of list_agents.
func (d *Declaring) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	t, err := tools.Find(c.Tool)
	if err != nil || t.Admin && t.Name != "workspace_overview" && t.Name != "session_news" { // which show work
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

// warnings gives what is wrong with the files, where all is asked for, and which rules wait, where that was not told yet.
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

// followed makes the call. What changes in the files while it waits is told, too.
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

// tell tells what is not told yet. The error is unavailable: nobody answers.
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

// teller is who tells, whoever made the call before which the files are told.
var teller = schemas.Caller{Via: schemas.ViaCLI}

// declare tells what the files say, unless that was told last, by whichever process. The error is unavailable.
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
		d.stamp = stamp // what an owner of an older version does not know is not said to it again
	}
	return nil
}

// declareWhole tells all that the files say that are not broken. Expressions are read by the owner of the store, and only
// where they changed, since it takes long to make their language; where the owner refuses one, it is looked for here, for
// its line, and the other files are told.
func (d *Declaring) declareWhole(ctx context.Context, digest string) error {
	in := schemas.DeclareIn{Digest: digest, Leave: true}
	for _, f := range d.texts.files {
		if !f.broken {
			in.Files = append(in.Files, f.said)
		}
	}
	out, err := tools.Ask[schemas.DeclareOut](ctx, d.Invoker, tools.Call{Caller: teller, Tool: "agents_declare"}, in)
	if e := schemas.AsError(err); e != nil && (e.Field == "leave" || strings.HasSuffix(e.Field, "unallowed")) { // an owner that knows no leave would run them
		in.Digest = "" // so that the next owner is told again
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
	d.problems = append(d.problems, e.Error()) // such as a secret that is refused
	return err
}

// stamped tells one state of the files from another: when each was changed, and how long it is, and what is allowed.
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
