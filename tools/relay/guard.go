package relay

import (
	"fmt"
	"log/slog"
	"os"
	"time"
)

// Somebody may take the files from under an owner: remove the directory, move it away, or put a backup in the
// place of the store. What it writes then is lost, and another process may open what is there now. So nothing is
// acknowledged when its files are not those under their names any more: the owner lets go, and the call is
// repeated at whoever opens what is there.

// file is what was under a path when it was looked at.
type file struct {
	path string
	was  os.FileInfo
}

func fileAt(path string) (file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return file{}, fmt.Errorf("look at a file that was just opened: %w", err)
	}
	return file{path, info}, nil
}

// there tells whether it is still there.
func (f file) there() bool {
	now, err := os.Stat(f.path)
	return err == nil && os.SameFile(f.was, now)
}

// identify notes which files are this owner's.
func (o *owner) identify(paths ...string) error {
	for _, path := range paths {
		f, err := fileAt(path)
		if err != nil {
			return err
		}
		o.files = append(o.files, f)
	}
	return nil
}

// ours tells whether the files are still those that this process opened.
func (o *owner) ours() bool {
	for _, f := range o.files {
		if !f.there() {
			return false
		}
	}
	return true
}

// guard looks after the files, and puts back what others need to find this process, until the seat is lost.
func (o *owner) guard() {
	look := time.NewTicker(beat)
	defer look.Stop()
	for {
		select {
		case <-look.C:
		case <-o.seat.over.Done():
			return
		}
		if !o.ours() {
			o.robbed()
			return
		}
		if err := o.restore(); err != nil {
			o.relay.config.Logger.Warn("others do not find the owner of the store", slog.Any("error", err))
		}
	}
}

// robbed lets go of files that are not those of the workspace any more.
func (o *owner) robbed() {
	_ = o.relay.makeRoom(o, "its files were removed or replaced") // else it lets go already
}

// restore listens again where the socket was removed, as systems do in XDG_RUNTIME_DIR when its user logs out,
// and leaves the note again.
func (o *owner) restore() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.note.Address.Network == "unix" && !o.socket.there() {
		listener, err := o.listen()
		if err != nil {
			return err
		}
		o.accept(listener)
		return nil
	}
	n, ok := ReadNote(o.relay.config.Dir)
	if ok && n.PID == o.note.PID && n.Started.Equal(o.note.Started) {
		return nil
	}
	return writeNote(o.relay.config.Dir, o.note)
}
