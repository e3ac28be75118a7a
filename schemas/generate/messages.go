package main

import (
	"reflect"
	"slices"
	"strings"

	"handoff/schemas"
)

// offered are the arguments and the results of the tools that agents are offered. The names of arguments end in In,
// and those of results in Out.
var offered = []reflect.Type{
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
}

// administrative are those of the other tools, which only our own programs call: no client is sent their schemas.
var administrative = []reflect.Type{
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
}

func isInput(t reflect.Type) bool { return strings.HasSuffix(t.Name(), "In") }

// Files gives the content of every file by its name below the folder of package schemas, which has to be the
// working directory, because descriptions come from the comments there.
func Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	comments, err := readComments()
	if err != nil {
		return nil, err
	}
	full := referring(comments, slices.Concat(offered, administrative)...)
	for t := range full.all {
		if files["json/"+t.Name()+".json"], err = render(full.reflected(t), 110); err != nil {
			return nil, err
		}
	}
	for _, t := range offered {
		if files["json/published/"+t.Name()+".json"], err = render(published(comments, t), 0); err != nil {
			return nil, err
		}
	}
	return files, nil
}
