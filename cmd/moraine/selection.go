package main

import (
	"errors"
	"flag"

	"moraine/store"
)

// lakeSelection is the flags that choose the lakes of a store: by database, by schema, or one by both.
type lakeSelection struct {
	database, schema string
	path             store.Path // of --lake
}

func (s *lakeSelection) define(flags *flag.FlagSet, purpose string) {
	flags.StringVar(&s.database, "database", "", "`name` of the only database to "+purpose)
	flags.StringVar(&s.schema, "schema", "", "`name` of the only schema to "+purpose)
	flags.Func("lake", "`database.schema` of the only lake to "+purpose+", instead of --database and --schema; "+
		"a name that has a dot in it is in double quotes, as the commands print it", func(text string) (err error) {
		s.path, err = store.ParsePath(text)
		return err
	})
}

// resolve makes one of the two ways to choose. What the command line says goes before the environment.
func (s *lakeSelection) resolve(flags *flag.FlagSet) error {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	named := given["database"] || given["schema"]
	switch {
	case given["lake"] && named:
		return errors.New("--lake does not go with --database and --schema")
	case s.path != store.Path{} && (given["lake"] || !named):
		s.database, s.schema = s.path.Database, s.path.Schema
	}
	return nil
}

// selects tells whether a lake is chosen.
func (s *lakeSelection) selects(path store.Path) bool {
	return path.Schema != "" && (s.database == "" || s.database == path.Database) && (s.schema == "" || s.schema == path.Schema)
}
