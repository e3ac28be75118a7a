package travel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"sync"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/ledger"
)

// Load reads the output of [Export] into an empty store, and computes index rows, counters and the tree again. It keeps
// one line and about a thousand rows in memory, and some hundred bytes for each handoff.
//
// Load verifies each event by its hash and by the previous event of its handoff, content by its digest, each record by
// its last event, and all events by the root in the heading. No event proves the record of a held handoff, because
// Export removed its claim.
//
// The error is [schemas.Invalid] with the number of the line if the file is incomplete or was changed, and
// [schemas.Limit] for a line of more than 32 MiB. After an error the store must not be used.
func Load(ctx context.Context, from io.Reader, to store.Backend) (schemas.ExportHeading, error) {
	l := &loader{
		to: to, last: map[string][]byte{}, seen: map[string]int{}, boxes: store.CounterTotals{},
		lastEvents: map[schemas.ID]lastEvent{}, said: audit.NewContentCheck(),
	}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine+1)
	for lines.Scan() {
		l.n++
		if err := l.loadLine(lines.Bytes()); err != nil {
			return l.head, l.withLineNumber(err)
		}
		if len(l.rows) >= batchRows || l.size > batchBytes {
			if err := l.writeRows(ctx); err != nil {
				return l.head, err
			}
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		l.n++
		return l.head, schemas.Errorf(schemas.Limit, "line %d has more than %d bytes", l.n, maxLine).WithHint(exportAgain)
	} else if err != nil {
		return l.head, fmt.Errorf("read line %d: %w", l.n+1, err)
	}
	if err := l.checkEnd(); err != nil {
		return l.head, l.withLineNumber(err)
	}
	return l.head, l.writeRows(ctx)
}

const exportAgain = "Nothing was changed. Export it again, and leave the file as it is: handoff export FILE."

// loader is one run of [Load]. It checks each line before it writes, so that an error names the line.
type loader struct {
	to   store.Backend
	rows []store.IndexRow
	size int // of the rows, in bytes

	badKey bool // a row or a box has no key, or a key that is too long

	n          int // of the line
	head       schemas.ExportHeading
	walk       ledger.TreeWalk
	last       map[string][]byte // key of the last line, by kind
	seen       map[string]int    // lines by kind
	boxes      store.CounterTotals
	lastEvents map[schemas.ID]lastEvent
	said       audit.ContentCheck // digests of redacted contents
	events     uint64             // the last event
	lastNotice schemas.NoticeID
}

func (l *loader) putRow(s store.Space, key, value []byte) {
	l.badKey = l.badKey || len(key) == 0 || len(key) > store.MaxKey
	l.rows = append(l.rows, store.IndexRow{Space: s, Key: key, Value: value})
	l.size += len(key) + len(value)
}

func (l *loader) putChunks(s store.Space, begin, content []byte) {
	for key, part := range store.SplitIntoChunks(begin, content) {
		l.putRow(s, key, part)
	}
}

func (l *loader) writeRows(ctx context.Context) error {
	err := store.UpdateEach(ctx, l.to, l.rows, func(w store.Writer, row store.IndexRow) error {
		return w.Put(row.Space, row.Key, row.Value)
	})
	l.rows, l.size = nil, 0
	return err
}

// withLineNumber adds the number of the line to an error.
func (l *loader) withLineNumber(err error) error {
	if e, coded := errors.AsType[*schemas.Error](err); coded {
		return e
	}
	return LineError(l.n, err)
}

// LineError returns the error for a line of an exported workspace. It returns nil if why is nil.
func LineError(n int, why error) error {
	if why == nil {
		return nil
	}
	return schemas.Errorf(schemas.Invalid, "line %d: %s", n, schemas.EscapeHidden(schemas.Clip(why.Error(), 500))).WithHint(exportAgain)
}

func (l *loader) loadLine(b []byte) error {
	if l.n == 1 {
		return l.loadHeading(b)
	}
	var read exportLine
	if err := decodeLine(b, &read); err != nil {
		return err
	}
	i := slices.IndexFunc(lineKinds, func(k lineKind) bool { return k.name == read.Kind })
	if i < 0 {
		return fmt.Errorf("version %d has no kind %q", schemas.ExportVersion, schemas.EscapeHidden(schemas.Clip(read.Kind, 40)))
	}
	for _, later := range lineKinds[i+1:] {
		if l.seen[later.name] > 0 {
			return fmt.Errorf("kind %s comes before kind %s", read.Kind, later.name)
		}
	}
	if !lineKinds[i].bytes && zeroByte().Match(b) { // which would end a name within a key
		return errors.New("it has a NUL character, and no name or text has one")
	}
	l.seen[read.Kind]++
	err := lineKinds[i].read(l, &read)
	if err == nil && l.badKey {
		err = errors.New("a name in it is missing or too long")
	}
	return err
}

var zeroByte = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^\\])(\\\\)*\\u0000`) })

// MaxID is the highest id of a handoff or a notice that [Load] accepts. So the store never runs out of ids.
const MaxID = 1 << 40

// loadHeading reads the first line. It reports a newer version before any other fault.
func (l *loader) loadHeading(b []byte) error {
	var about struct {
		Format   string
		Version  int
		Workflow string `json:"workflow_id"`
	}
	if json.Unmarshal(b, &about) != nil || about.Format != schemas.ExportFormat {
		return schemas.Errorf(schemas.Invalid, "it is no exported workspace: its first line does not say so").
			WithHint("Nothing was changed. handoff export FILE makes one; docs/exchange.md describes it.")
	}
	if about.Version != schemas.ExportVersion {
		return schemas.Errorf(schemas.Invalid, "line 1: it is of version %d, and this handoff knows %d", about.Version, schemas.ExportVersion).
			WithHint("Nothing was changed. Update handoff, or export it with the version that you have.")
	}
	if about.Workflow != "" {
		return schemas.Errorf(schemas.Invalid, "line 1: workflow_id: it is one workflow, and an import takes whole workspaces").
			WithHint("Nothing was changed. Export the workspace that has it, without a workflow: handoff export FILE.")
	}
	if err := decodeLine(b, &l.head); err != nil {
		return err
	}
	if !schemas.IsValidName(l.head.Workspace) {
		return errors.New("it names no workspace")
	}
	return nil
}

// checkEnd checks that the file is complete. It also writes the counters, and the last number that was used for a
// handoff and for a notice.
func (l *loader) checkEnd() error {
	if l.n == 0 {
		return l.loadHeading(nil)
	}
	if !maps.Equal(l.seen, l.head.Lines) {
		return fmt.Errorf("the file ends here, and does not have the lines that its first one counts: it was cut off")
	}
	for id, last := range l.lastEvents {
		return fmt.Errorf("the file ends here, without the handoff %s of event %d", id, last.n)
	}
	for _, wrong := range l.said.Unexplained() {
		return errors.New(wrong)
	}
	if l.walk.Root() != l.head.Root || l.events != l.head.Events {
		return fmt.Errorf("the root of its events is %s, and its first line says %s", l.walk.Root(), schemas.EscapeHidden(l.head.Root))
	}
	if l.head.Events > 0 {
		l.putRow(store.Sys, []byte(store.EventCountKey), store.EncodeNumber(l.head.Events))
	}
	for _, box := range slices.Sorted(maps.Keys(l.boxes)) {
		if m := l.boxes[box]; m != (store.Counters{}) {
			l.putRow(store.Mailboxes, []byte(box), m.Encode())
		}
	}
	l.putRow(store.Sys, store.NextNumberKey(store.Records), store.EncodeNumber(store.DecodeLastNumber(l.last["handoff"])))
	l.putRow(store.Sys, store.NextNumberKey(store.Notices), store.EncodeNumber(l.lastNotice))
	return nil
}

// checkOrder checks that the lines of one kind come in the order of their keys, so that no row comes twice.
func (l *loader) checkOrder(kind string, key []byte) error {
	last, any := l.last[kind]
	l.last[kind] = key
	if any && bytes.Compare(key, last) <= 0 {
		return fmt.Errorf("this %s comes twice, or out of order", kind)
	}
	return nil
}
