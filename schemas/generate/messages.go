package main

import (
	"reflect"
	"slices"
	"strings"

	"handoff/schemas"
)

// publicMessages are the arguments and results of the tools for agents. The type of arguments has a name that ends in
// In, and the type of a result has a name that ends in Out.
var publicMessages = typesOf(
	schemas.SendIn{}, schemas.SendOut{}, schemas.ClaimIn{}, schemas.ClaimOut{},
	schemas.CompleteIn{}, schemas.CompleteOut{}, schemas.FailIn{}, schemas.FailOut{},
	schemas.UpdateIn{}, schemas.UpdateOut{}, schemas.ListIn{}, schemas.ListOut{},
	schemas.GetIn{}, schemas.GetOut{}, schemas.HistoryIn{}, schemas.HistoryOut{},
	schemas.RegisterIn{}, schemas.RegisterOut{}, schemas.AgentsIn{}, schemas.AgentsOut{},
)

// adminMessages are the arguments of the administrative tools, which only programs of handoff call. Their schemas are
// not published to clients.
var adminMessages = typesOf(
	schemas.AuditIn{}, schemas.TreeIn{}, schemas.EventsIn{}, schemas.BackupIn{}, schemas.CheckIn{}, schemas.ConnIn{},
	schemas.TokenAddIn{}, schemas.TokenListIn{}, schemas.TokenRevokeIn{}, schemas.TokenFindIn{}, schemas.StatsIn{},
	schemas.OverviewIn{}, schemas.SessionIn{}, schemas.NewsIn{}, schemas.NewestIn{}, schemas.RedactIn{}, schemas.RetainIn{},
	schemas.DeclareIn{}, schemas.DeclaredIn{}, schemas.ObserveIn{}, schemas.LocateIn{}, schemas.EndWaitIn{}, schemas.SealIn{}, schemas.RulesTryIn{}, schemas.ExportIn{},
)

func typesOf(values ...any) []reflect.Type { return schemas.Map(values, reflect.TypeOf) }

func isInput(t reflect.Type) bool { return strings.HasSuffix(t.Name(), "In") }

// SchemaFiles returns the content of all schema files, by file name relative to the folder of package schemas. This
// folder must be the working directory, because SchemaFiles reads the comments of the Go files there.
func SchemaFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	comments, err := readComments()
	if err != nil {
		return nil, err
	}
	results := func(t reflect.Type) bool { return !isInput(t) }
	full := newLibrary(comments, slices.DeleteFunc(slices.Concat(publicMessages, adminMessages), results)...)
	for i := 0; i < len(full.types); i++ { // reflectSchema adds types
		t := full.types[i]
		if files["json/"+t.Name()+".json"], err = renderSchema(full.reflectSchema(t), 110); err != nil {
			return nil, err
		}
	}
	for _, t := range publicMessages {
		if files["json/published/"+t.Name()+".json"], err = renderSchema(publishedSchema(comments, t), 0); err != nil {
			return nil, err
		}
	}
	return files, nil
}
