package keeping

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/travel"
)

// maxNumber is the largest whole number that a field of a row may have. Even that many minutes fit into a
// time.Duration.
const maxNumber = 1 << 27

// futureTimeFields lists the fields of a row, by their stored JSON names, whose time may be in the future.
var futureTimeFields = []string{"nbf", "dl", "lease", "rsv", "unt", "quiet", "wakes", "due"}

// examiner checks that this program could have written each row of an exported workspace. Hashes in the file are no
// proof, because the author of a file can change rows and compute all hashes anew.
type examiner struct {
	*Import
	firstEvents map[schemas.ID]uint64 // first event of each handoff
	routed      int                   // number of handoffs that waited for leave
}

// Examine checks an exported workspace that package travel loaded into a store. The error is [schemas.Invalid] for a
// row that this program cannot have written. It names the line of the file and the field.
func (i *Import) Examine(ctx context.Context, s *store.Store) error {
	x := examiner{Import: i, firstEvents: map[schemas.ID]uint64{}}
	line := 1 // the heading
	for _, kind := range []struct {
		name  string
		space store.Space
		look  func(*store.View, store.Row) error
	}{
		{"agent", store.Agents, func(_ *store.View, row store.Row) error { return x.checkRow(row, &store.Agent{}) }},
		{"workflow", store.Workflows, x.checkWorkflow},
		{"event", store.Events, x.checkEvent},
		{"content", store.Sys, func(*store.View, store.Row) error { return nil }}, // its digest proves it
		{"handoff", store.Records, x.checkRecord},
		{"notice", store.Notices, x.checkNotice},
		{"key", store.Receipts, x.checkKey},
	} {
		at := line
		line += i.Heading.Lines[kind.name]
		err := s.EachRow(ctx, kind.space, func(v *store.View, row store.Row) error {
			at++
			return travel.LineError(at, kind.look(v, row))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *examiner) checkWorkflow(v *store.View, row store.Row) error {
	var w store.Workflow
	if err := x.checkRow(row, &w); err != nil {
		return err
	}
	for _, err := range v.OldestFirst(store.IndexByWorkflow(schemas.Workflow(row.Key)), 0) {
		if err != nil || w.Owner != "" {
			return err
		}
	}
	return fmt.Errorf("workflow_id: %s has no owner or no handoff", row.Key)
}

func (x *examiner) checkEvent(_ *store.View, row store.Row) error {
	var e schemas.Event
	err := x.checkRow(row, &e)
	x.firstEvents[e.Handoff] = cmp.Or(x.firstEvents[e.Handoff], e.N)
	return err
}

func (x *examiner) checkRecord(v *store.View, row store.Row) error {
	var r store.Record
	if err := x.checkRow(row, &r); err != nil {
		return err
	}
	if !r.Status.HasEnded() {
		x.Open++
	}
	if r.Status.IsHeld() {
		x.held = append(x.held, r.ID)
	}
	if err := x.checkDeferred(&r); err != nil {
		return err
	}
	wf, err := v.Workflow(r.Workflow)
	_, directed := r.To.SingleAgent()
	switch {
	case err != nil:
		return err
	case len(r.Owes) > 20: // more than follow from one change
		return fmt.Errorf("owes: %d are too many", len(r.Owes))
	case directed && r.Box != "" && r.Box != r.To && r.Reserved == 0:
		return fmt.Errorf("box: %s is not for %s", r.ID, r.Box)
	case wf == nil:
		return fmt.Errorf("wf: there is no workflow %s", r.Workflow)
	case !r.Status.IsHeld() && r.Wakes != operation.NextChangeTime(&r) && !isDueFromCreation(&r):
		return fmt.Errorf("wakes: %d is not when something is due", r.Wakes)
	}
	return cmp.Or(x.checkReferences(v, &r), checkReadable(v, &r))
}

// isDueFromCreation reports whether a record has deferred consequences that were due from the creation of the record.
func isDueFromCreation(r *store.Record) bool { return len(r.Owes) > 0 && r.Wakes == r.Created }

// checkDeferred refuses a record with a deferred consequence that this program would not have deferred.
func (x *examiner) checkDeferred(r *store.Record) error {
	// A record has at most one deferred send of rules, and one action can release the sends of 2*MaxScanned records.
	limit := min(x.routed+1, 2*reading.MaxScanned)
	for _, debt := range r.Owes {
		do := life.Consequence(debt.Do)
		if do == life.SendByRules {
			x.routed++
		}
		if !do.AffectsOthers() && do != life.SendByRules || !r.Status.HasEnded() || x.routed > limit {
			return fmt.Errorf("owes: nobody knows how to %s", debt.Do)
		}
	}
	return nil
}

// checkReferences checks the ids in a record's fields: each handoff exists, handoffs from which the record comes (such
// as its parent) are older, and the record's depth in the chain of handoffs is right.
func (x *examiner) checkReferences(v *store.View, r *store.Record) error {
	older := map[string][]schemas.ID{"parent": {r.Parent}, "retry": {r.RetryOf}, "rework": {r.ReworkOf}, "rvs": {r.ReviewOf}}
	named := map[string][]schemas.ID{
		"fwd": {r.Forwarded}, "succ": {r.Successor}, "back": {r.Rollback}, "rv": {r.Review},
		"after": r.After, "freed": r.Freed, "afteracc": r.AfterAccepted,
	}
	for before, fields := range map[uint64]map[string][]schemas.ID{x.firstEvents[r.ID]: older, math.MaxUint64: named} {
		for name, ids := range fields {
			for _, id := range ids {
				if id != 0 && (x.firstEvents[id] == 0 || x.firstEvents[id] >= before) {
					return fmt.Errorf("%s: %s is not there, or not older than %s", name, id, r.ID)
				}
			}
		}
	}
	depth := 1
	if parent := reading.RecordOrNil(v, r.Parent); parent != nil {
		depth = parent.Depth + 1
	} else if r.Imported != "" { // the export may lack its parent
		depth = max(r.Depth, 1)
	}
	if r.Depth != depth || depth > schemas.MaxChain {
		return fmt.Errorf("depth: %d is not one more than that of its parent", r.Depth)
	}
	return nil
}

// checkReadable checks that the whole content of a handoff can be read and encoded as JSON. The record of a held
// handoff has no digest of the sent content, so checkReadable compares the titles in the record and in the sent
// content.
func checkReadable(v *store.View, r *store.Record) error {
	all := reading.Reader{
		Logger: slog.New(slog.DiscardHandler), IsConnectionGone: func(*store.Record) bool { return false },
		LastHeard: func(*store.Record) time.Time { return time.Time{} },
	}
	var out schemas.GetOut
	err := all.ShowView(v, r, schemas.GetIn{View: "full"}, &out)
	if err == nil {
		out.Checkpoint, err = reading.LastCheckpoint(v, r)
	}
	if err == nil {
		_, err = json.Marshal(out)
	}
	if h := out.Handoff; err == nil && (h.Source.Agent != r.From || r.Rule != "" && h.Metadata.SentBy.String() != r.Rule ||
		r.Status.IsHeld() && h.Title != r.Title) {
		err = fmt.Errorf("from: the record of %s differs from the sent handoff", r.ID)
	}
	return err
}

func (x *examiner) checkNotice(_ *store.View, row store.Row) error {
	var n schemas.Notice
	err := x.checkRow(row, &n)
	if err == nil && n.About != 0 && x.firstEvents[n.About] == 0 {
		err = fmt.Errorf("handoff_id: there is no %s", n.About)
	}
	return err
}

func (x *examiner) checkKey(v *store.View, row store.Row) error {
	kept, err := v.Receipt(row.Key)
	if err != nil {
		return err
	}
	return cmp.Or(x.checkRow(store.Row{Value: kept.Result}, &schemas.SendOut{}), x.checkBounds("at", reflect.ValueOf(kept.At)))
}

// checkRow decodes a row into the value of `into`, and refuses a row with a field that is out of bounds.
func (x *examiner) checkRow(row store.Row, into any) error {
	if err := schemas.Decode(row.Value, into); err != nil {
		return err
	}
	return x.checkBounds("", reflect.ValueOf(into).Elem())
}

// checkBounds refuses a value that this program does not write, also if the value is inside a list or a struct. The
// argument field is the name of the value in errors.
func (x *examiner) checkBounds(field string, v reflect.Value) (err error) {
	if x.isOutOfBounds(field, v) {
		return fmt.Errorf("%s: %.60q is out of bounds", field, fmt.Sprint(v.Interface()))
	}
	switch v.Kind() { //nolint:exhaustive // nothing is within the others
	case reflect.Struct:
		for f, value := range v.Fields() {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() {
				err = cmp.Or(err, x.checkBounds(name, value))
			}
		}
	case reflect.Slice, reflect.Map:
		for _, value := range v.Seq2() {
			err = cmp.Or(err, x.checkBounds(field, value))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			err = x.checkBounds(field, v.Elem())
		}
	}
	return err
}

// isOutOfBounds reports whether a value is outside the bounds of its type, for example a time too far in the future. A
// type without bounds is never outside.
func (x *examiner) isOutOfBounds(field string, v reflect.Value) bool {
	switch value := v.Interface().(type) {
	case store.Time:
		return value < 0 || value > store.TimeOf(x.latestAllowedTime(field)) && (field != "wakes" || value != store.PermissionWakeTime)
	case time.Time:
		return value.After(x.latestAllowedTime(field)) || store.TimeOf(value) < 0
	case schemas.Status:
		return isUnknownWord(value, schemas.Statuses)
	case schemas.Priority:
		return isUnknownWord(value, schemas.Priorities)
	case schemas.Agent, schemas.Address, schemas.Workflow:
		_, name := schemas.Address(v.String()).Split()
		return v.String() != "" && !schemas.IsValidName(name)
	case int:
		return value < 0 || value > maxNumber
	case float64:
		return math.Abs(value) > maxNumber*maxNumber
	}
	return v.Kind() == reflect.Uint64 && v.Uint() > travel.MaxID
}

// isUnknownWord reports whether a value, such as a status, is missing in the list `all` of valid values. An empty value
// counts as valid.
func isUnknownWord[T ~string](word T, all []T) bool { return word != "" && !slices.Contains(all, word) }

// latestAllowedTime returns the latest time that a field may have.
func (x *examiner) latestAllowedTime(field string) time.Time {
	years := 2 // tolerance for a wrong clock
	if slices.Contains(futureTimeFields, field) {
		years = 12 // a send allows ten years
	}
	return x.By.At.AddDate(years, 0, 0)
}
