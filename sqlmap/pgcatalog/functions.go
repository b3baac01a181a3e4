package pgcatalog

import (
	"context"

	"moraine/relation"
	"moraine/sqlmap/function"
)

var functionBuilders = map[string]builder{
	"pg_proc":      procedureRows,
	"pg_operator":  operatorRows,
	"pg_cast":      castRows,
	"pg_aggregate": aggregateRows,
}

func procedureRows(_ context.Context, s *scan) error {
	if oids, ok := s.keys("oid"); ok {
		for _, oid := range oids {
			if info := function.FunctionByOID(uint32(oid.Int())); info != nil && !s.emit(procedureRow(info)) {
				return nil
			}
		}
		return nil
	}
	list := function.Functions()
	if names, ok := s.keys("proname"); ok {
		list = nil
		for _, name := range names {
			list = append(list, function.FunctionsByName(name.Text())...)
		}
	}
	for _, info := range list {
		if !s.emit(procedureRow(info)) {
			return nil
		}
	}
	return nil
}

func procedureRow(info *function.FunctionInfo) relation.Row {
	return relation.Row{
		integer(info.OID), text(info.Name), integer(SchemaOID), ownerRef, integer(info.Language), relation.Float(info.Cost), relation.Float(info.Rows),
		integer(info.Variadic), zero, character(info.Kind), no, relation.Bool(info.Leakproof), relation.Bool(info.Strict),
		relation.Bool(info.ReturnsSet), character(info.Volatility), character(info.Parallel), integer(len(info.Arguments)), integer(info.DefaultCount),
		integer(info.Result), oidVector(info.Arguments), optionalOIDs(info.AllArguments), characterArray(info.Modes), textArray(info.Names),
		optional(info.Defaults), null, text(info.Source), null, null, null, null,
	}
}

func operatorRows(_ context.Context, s *scan) error {
	list := function.Operators()
	if oids, ok := s.keys("oid"); ok {
		list = nil
		for _, oid := range oids {
			if info := function.OperatorByOID(uint32(oid.Int())); info != nil {
				list = append(list, info)
			}
		}
	}
	for _, info := range list {
		if !s.emit(relation.Row{
			integer(info.OID), text(info.Name), integer(SchemaOID), ownerRef, character(info.Kind), relation.Bool(info.Merges), relation.Bool(info.Hashes),
			integer(info.Left), integer(info.Right), integer(info.Result), integer(info.Commutator), integer(info.Negator), integer(info.Function),
			integer(info.Restriction), integer(info.Join),
		}) {
			return nil
		}
	}
	return nil
}

func castRows(_ context.Context, s *scan) error {
	for _, info := range function.Casts() {
		if !s.emit(relation.Row{
			integer(info.OID), integer(info.Source), integer(info.Target), integer(info.Function), character(info.Context), character(info.Method),
		}) {
			return nil
		}
	}
	return nil
}

func aggregateRows(_ context.Context, s *scan) error {
	for _, info := range function.Aggregates() {
		if !s.emit(relation.Row{
			integer(info.Function), character(info.Kind), integer(info.DirectArguments), integer(info.Transition), integer(info.Final),
			zero, zero, zero, zero, zero, zero, no, no, text("r"), text("r"), integer(info.SortOperator), integer(info.State), zero, zero, zero, null, null,
		}) {
			return nil
		}
	}
	return nil
}
