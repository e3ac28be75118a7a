package main

import (
	"reflect"
	"strings"

	"handoff/schemas"
)

// messages are what agents, programs and the store exchange. Those whose names end in In are arguments of
// tools, those that end in Out are results.
var messages = []reflect.Type{
	reflect.TypeFor[schemas.SendIn](), reflect.TypeFor[schemas.SendOut](),
	reflect.TypeFor[schemas.ClaimIn](), reflect.TypeFor[schemas.ClaimOut](),
	reflect.TypeFor[schemas.CompleteIn](), reflect.TypeFor[schemas.CompleteOut](),
	reflect.TypeFor[schemas.FailIn](), reflect.TypeFor[schemas.FailOut](),
	reflect.TypeFor[schemas.UpdateIn](), reflect.TypeFor[schemas.UpdateOut](),
	reflect.TypeFor[schemas.ListIn](), reflect.TypeFor[schemas.ListOut](),
	reflect.TypeFor[schemas.GetIn](), reflect.TypeFor[schemas.GetOut](),
	reflect.TypeFor[schemas.HistoryIn](), reflect.TypeFor[schemas.HistoryOut](),
	reflect.TypeFor[schemas.RegisterIn](), reflect.TypeFor[schemas.RegisterOut](),
	reflect.TypeFor[schemas.AgentsIn](), reflect.TypeFor[schemas.AgentsOut](),
	reflect.TypeFor[schemas.AuditIn](), reflect.TypeFor[schemas.AuditOut](),
	reflect.TypeFor[schemas.ConnIn](), reflect.TypeFor[schemas.ConnOut](),
	reflect.TypeFor[schemas.TokenAddIn](), reflect.TypeFor[schemas.TokenAddOut](),
	reflect.TypeFor[schemas.TokenListIn](), reflect.TypeFor[schemas.TokenListOut](),
	reflect.TypeFor[schemas.TokenRevokeIn](), reflect.TypeFor[schemas.TokenRevokeOut](),
	reflect.TypeFor[schemas.TokenFindIn](), reflect.TypeFor[schemas.TokenFindOut](),
	reflect.TypeFor[schemas.StatsIn](), reflect.TypeFor[schemas.StatsOut](),
	reflect.TypeFor[schemas.SessionIn](), reflect.TypeFor[schemas.SessionOut](),
	reflect.TypeFor[schemas.NewsIn](), reflect.TypeFor[schemas.NewsOut](),
	reflect.TypeFor[schemas.NewestIn](), reflect.TypeFor[schemas.NewestOut](),
	reflect.TypeFor[schemas.Handoff](), reflect.TypeFor[schemas.Completion](),
	reflect.TypeFor[schemas.Failure](), reflect.TypeFor[schemas.Event](),
	reflect.TypeFor[schemas.Notice](), reflect.TypeFor[schemas.Standing](),
	reflect.TypeFor[schemas.Card](),
}

func isInput(t reflect.Type) bool  { return strings.HasSuffix(t.Name(), "In") }
func isOutput(t reflect.Type) bool { return strings.HasSuffix(t.Name(), "Out") }

// Files gives every file to write by its name below the folder of package schemas, which has to be the
// working directory, because descriptions come from the comments there.
func Files() (map[string][]byte, error) {
	comments, err := commented()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, t := range messages {
		if files["json/"+t.Name()+".json"], err = render(reflected(comments, t), 110); err != nil {
			return nil, err
		}
		s := reflected(bare(), t)
		switch {
		case isInput(t):
			publishInput(s)
		case isOutput(t):
			publishOutput(s)
		default:
			continue
		}
		if files["json/published/"+t.Name()+".json"], err = render(s, 0); err != nil {
			return nil, err
		}
	}
	return files, nil
}
