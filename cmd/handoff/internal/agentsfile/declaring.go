package agentsfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
	"handoff/tools"
)

// A File may declare agents. Name is how people know it: it is kept with each agent.
type File struct{ Path, Name string }

// Read gives what a file declares, and all that is wrong with it as sentences with file, line and remedy. A file that is
// not there declares nobody.
func (f File) Read() (said schemas.DeclaringFile, problems []string) { return f.read(true) }

func (f File) read(expressions bool) (said schemas.DeclaringFile, problems []string) {
	info, err := os.Stat(f.Path)
	var text []byte
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return schemas.DeclaringFile{Name: f.Name}, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("it is no regular file")
	case err == nil && info.Size() <= mostBytes:
		text, err = os.ReadFile(f.Path)
	case err == nil:
		text = make([]byte, mostBytes+1) // Parse says that it is too large
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	if err != nil {
		return said, f.sentences(Problem{1, "it cannot be read: " + err.Error(), "Make it a file that you may read, or remove it."})
	}
	return f.says(text, expressions)
}

// Says gives what the text of a file declares, as [File.Read] does.
func (f File) Says(text []byte) (said schemas.DeclaringFile, problems []string) {
	return f.says(text, true)
}

func (f File) says(text []byte, expressions bool) (said schemas.DeclaringFile, problems []string) {
	said, wrong := parse(text, expressions)
	said.Name = f.Name
	return said, f.sentences(wrong...)
}

func (f File) sentences(wrong ...Problem) (said []string) {
	for _, p := range wrong {
		said = append(said, fmt.Sprintf("%s:%d: %s. %s", f.Name, p.Line, p.What, p.Remedy))
	}
	return said
}

// Declaring is an invoker that tells the workspace what the files of a project declare, before the first call for which
// it matters who there is, and again when a file changed. While a file is broken nothing is told, so that what was
// declared last holds. Only the process beside the files can read them, wherever the store is.
//
// Its zero value with an invoker and files is ready, and its methods may be called concurrently.
type Declaring struct {
	tools.Invoker
	Files func() []File      // finds them, at the first call for which they matter
	Own   schemas.RegisterIn // what the agent of this process said at its start; its name is that of the caller

	mu       sync.Mutex // guards the fields below
	files    []File
	said     said   // what the files say, as they were read last
	stamp    string // of the files as they were told last
	problems []string
	own      schemas.Agent // for whom Own was told
}

// said is what files say in one state of them, and what is wrong with that.
type said struct {
	stamp    string
	files    []schemas.DeclaringFile
	problems []string
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
	}
	return d.stamped()
}

// read reads the files, unless they are those that were read last. Their expressions are left to the owner of the store.
func (d *Declaring) read(stamp string) said {
	if d.said.files == nil || d.said.stamp != stamp {
		d.said = said{stamp: stamp}
		for _, f := range d.files {
			says, problems := f.read(false)
			d.said.files, d.said.problems = append(d.said.files, says), append(d.said.problems, problems...)
		}
	}
	return d.said
}

// concerned are the tools whose results depend on who there is.
var concerned = []string{"claim_handoff", "complete_handoff", "fail_handoff", "list_agents", "register_agent", "send_handoff", "update_handoff"}

// Invoke passes the call on. What cannot be told stops no call; list_agents warns of it.
func (d *Declaring) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if !slices.Contains(concerned, c.Tool) {
		return d.Invoker.Invoke(ctx, c)
	}
	problems := d.tell(ctx, c.Caller)
	raw, err := d.Invoker.Invoke(ctx, c)
	if err != nil || c.Tool != "list_agents" || len(problems) == 0 {
		return raw, err
	}
	var result map[string]json.RawMessage
	if err := json.Unmarshal(raw, &result); err != nil {
		return raw, nil //nolint:nilerr // the result is good for its caller, whatever it is
	}
	if result["warnings"], err = schemas.Encode(problems); err != nil {
		return nil, err
	}
	return schemas.Encode(result)
}

// tell tells what is not told yet, and gives what is wrong with the files.
func (d *Declaring) tell(ctx context.Context, by schemas.Caller) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if stamp := d.find(); stamp != d.stamp {
		d.declare(ctx, stamp)
	}
	if own := d.Own; by.Agent != "" && d.own != by.Agent && (own.Role != "" || own.Accepts != nil || own.Skills != nil) {
		own.Name = string(by.Agent)
		if _, err := tools.Ask[schemas.RegisterOut](ctx, d.Invoker, tools.Call{Caller: by, Tool: "register_agent"}, own); err == nil {
			d.own = by.Agent
		}
	}
	return d.problems
}

// declare tells what the files say. Expressions are read by the owner of the store, and only where they changed, since it
// takes long to make their language; where the owner refuses one, it is looked for here, for its line.
func (d *Declaring) declare(ctx context.Context, stamp string) {
	read := d.read(stamp)
	in := schemas.DeclareIn{Files: read.files}
	d.problems = slices.Clone(read.problems)
	var err error
	if len(d.problems) == 0 {
		var out schemas.DeclareOut
		call := tools.Call{Caller: schemas.Caller{Via: schemas.ViaCLI}, Tool: "agents_declare"}
		out, err = tools.Ask[schemas.DeclareOut](ctx, d.Invoker, call, in)
		d.problems = out.Warnings
	}
	e := schemas.AsError(err)
	if e != nil && e.Code == schemas.Invalid {
		for _, f := range d.files {
			_, problems := f.Read()
			d.problems = append(d.problems, problems...)
		}
		if len(d.problems) == 0 { // such as a secret that is refused
			d.problems = []string{e.Error()}
		}
	}
	if e == nil || e.Code != schemas.Unavailable {
		d.stamp = stamp // what an owner of an older version does not know is not said to it again
	}
}

// stamped tells one state of the files from another: when each was changed, and how long it is.
func (d *Declaring) stamped() string {
	var b strings.Builder
	for _, f := range d.files {
		if info, err := os.Stat(f.Path); err == nil {
			fmt.Fprintf(&b, "%d %d", info.ModTime().UnixNano(), info.Size())
		}
		b.WriteByte(';')
	}
	return b.String()
}
