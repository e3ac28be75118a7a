package main

import (
	"reflect"
	"slices"
	"strings"

	"handoff/schemas"
)

// offered are the arguments and the results of the tools that agents are offered. The names of arguments end in In,
// and those of results in Out.
var offered = types(
	schemas.SendIn{}, schemas.SendOut{}, schemas.ClaimIn{}, schemas.ClaimOut{},
	schemas.CompleteIn{}, schemas.CompleteOut{}, schemas.FailIn{}, schemas.FailOut{},
	schemas.UpdateIn{}, schemas.UpdateOut{}, schemas.ListIn{}, schemas.ListOut{},
	schemas.GetIn{}, schemas.GetOut{}, schemas.HistoryIn{}, schemas.HistoryOut{},
	schemas.RegisterIn{}, schemas.RegisterOut{}, schemas.AgentsIn{}, schemas.AgentsOut{},
)

// administrative are those of the other tools, which only our own programs call: no client is sent their schemas.
var administrative = types(
	schemas.AuditIn{}, schemas.AuditOut{}, schemas.TreeIn{}, schemas.TreeOut{}, schemas.EventsIn{}, schemas.EventsOut{},
	schemas.BackupIn{}, schemas.BackupOut{}, schemas.CheckIn{}, schemas.CheckOut{}, schemas.ConnIn{}, schemas.ConnOut{},
	schemas.TokenAddIn{}, schemas.TokenAddOut{}, schemas.TokenListIn{}, schemas.TokenListOut{},
	schemas.TokenRevokeIn{}, schemas.TokenRevokeOut{}, schemas.TokenFindIn{}, schemas.TokenFindOut{},
	schemas.StatsIn{}, schemas.StatsOut{}, schemas.OverviewIn{}, schemas.OverviewOut{}, schemas.SessionIn{}, schemas.SessionOut{},
	schemas.NewsIn{}, schemas.NewsOut{}, schemas.NewestIn{}, schemas.NewestOut{}, schemas.RedactIn{}, schemas.RedactOut{}, schemas.RetainIn{}, schemas.RetainOut{},
	schemas.DeclareIn{}, schemas.DeclareOut{}, schemas.DeclaredIn{}, schemas.DeclaredOut{},
	schemas.ObserveIn{}, schemas.ObserveOut{}, schemas.RulesTryIn{}, schemas.RulesTryOut{}, schemas.ExportIn{}, schemas.ExportOut{},
)

func types(values ...any) []reflect.Type { return schemas.Map(values, reflect.TypeOf) }

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
