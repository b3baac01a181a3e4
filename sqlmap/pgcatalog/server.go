package pgcatalog

import (
	"context"

	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/function"
	"moraine/sqlmap/setting"
)

var serverBuilders = map[string]builder{
	"pg_database":            databaseRows,
	"pg_stat_database":       databaseStatisticsRows,
	"pg_settings":            settingRows,
	"pg_stat_activity":       activityRows,
	"pg_prepared_statements": preparedRows,
	"pg_cursors":             cursorRows,
	"pg_timezone_names":      zoneRows,
}

// utf8Encoding is the number of UTF8 among PostgreSQL's encodings.
const utf8Encoding = 6

// defaultTablespaceOID is pg_default.
const defaultTablespaceOID = 1663

func databaseRows(ctx context.Context, s *scan) error {
	databases, err := s.catalog.environment.Instance.Databases(ctx)
	if err != nil {
		return err
	}
	e := s.catalog.environment
	for _, database := range databases {
		object := role.DatabaseObject(database.Name)
		if !s.emit(relation.Row{
			integer(database.OID), text(database.Name), e.roleOID(e.Roles.Owner(object)), integer(utf8Encoding), text("c"), no, yes, integer(-1), integer(1), integer(1),
			integer(defaultTablespaceOID), text("C"), text("C"), null, null, e.list(e.Roles.List(object)),
		}) {
			return nil
		}
	}
	return nil
}

func databaseStatisticsRows(ctx context.Context, s *scan) error {
	databases, err := s.catalog.environment.Instance.Databases(ctx)
	if err != nil {
		return err
	}
	sessions := map[uint32]int{}
	for _, backend := range s.catalog.environment.Backends() {
		sessions[backend.Database.OID]++
	}
	for _, database := range databases {
		row := make(relation.Row, len(s.definition.Columns))
		for i := range row {
			switch s.definition.Columns[i].Type.OID {
			case relation.Int8OID:
				row[i] = zero
			case relation.Float8OID:
				row[i] = relation.Float(0)
			}
		}
		row[0], row[1], row[2] = integer(database.OID), text(database.Name), integer(sessions[database.OID])
		if !s.emit(row) {
			return nil
		}
	}
	return nil
}

func settingRows(_ context.Context, s *scan) error {
	values := s.catalog.environment.Settings
	for _, parameter := range setting.Parameters() {
		if parameter.Hidden {
			continue
		}
		value, initial := values.Raw(parameter.Name), values.Initial(parameter)
		source := "default"
		if value != initial {
			source = "session"
		} else if initial != parameter.Default {
			source = "client"
		}
		enumeration := null
		if parameter.Values != nil {
			enumeration = textArray(parameter.Values)
		}
		if !s.emit(relation.Row{
			text(parameter.Name), text(value), optional(parameter.Unit), text(parameter.Category), text(parameter.Description), null,
			text(string(parameter.Context)), text(string(parameter.Kind)), text(source), optional(parameter.Minimum), optional(parameter.Maximum),
			enumeration, text(parameter.Default), text(initial), null, null, no,
		}) {
			return nil
		}
	}
	return nil
}

func activityRows(_ context.Context, s *scan) error {
	for _, backend := range s.catalog.environment.Backends() {
		address, port := null, integer(-1)
		if backend.ClientAddress != "" {
			if value, err := function.Input(relation.Type{OID: function.InetOID, Modifier: -1}, backend.ClientAddress, &utc); err == nil {
				address, port = value, integer(backend.ClientPort)
			}
		}
		waitType, waitEvent := null, null
		if backend.Waiting {
			waitType, waitEvent = text("Lock"), text("transactionid")
		}
		if !s.emit(relation.Row{
			integer(backend.Database.OID), text(backend.Database.Name), integer(backend.ProcessID), null, integer(s.catalog.environment.backendOID(backend.User)), text(backend.User),
			text(backend.ApplicationName), address, null, port, moment(backend.Started), moment(backend.TransactionTime),
			moment(backend.StatementTime), moment(backend.StatementTime), waitType, waitEvent, optional(backend.State), null, null, null, text(backend.Query),
			text("client backend"),
		}) {
			return nil
		}
	}
	return nil
}

// backendOID gives the OID of a session's user: a role that was made, or the server's owner.
func (e *Environment) backendOID(user string) uint32 {
	if oid := e.Roles.OID(user); oid != 0 {
		return oid
	}
	return role.OwnerOID
}

var utc = function.DefaultFormat()

func preparedRows(_ context.Context, s *scan) error {
	for _, statement := range s.catalog.environment.Statements() {
		if !s.emit(relation.Row{
			text(statement.Name), text(statement.Text), moment(statement.Prepared), regtypeArray(statement.Parameters),
			relation.Bool(statement.FromSQL), zero, zero,
		}) {
			return nil
		}
	}
	return nil
}

func cursorRows(_ context.Context, s *scan) error {
	for _, cursor := range s.catalog.environment.Cursors() {
		if !s.emit(relation.Row{
			text(cursor.Name), text(cursor.Text), relation.Bool(cursor.Hold), relation.Bool(cursor.Binary),
			relation.Bool(cursor.Scrollable), moment(cursor.Created),
		}) {
			return nil
		}
	}
	return nil
}
