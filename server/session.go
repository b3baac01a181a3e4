package server

import (
	"context"

	"moraine/pgwire"
	"moraine/sqlmap"
)

// session shows a SQL session to the protocol. Each of the two packages names the other's needs in types of its own, alike
// in all but the name.
type session struct {
	*sqlmap.Session
	handler *handler
	info    sqlmap.SessionInfo
	writer  writer
	fields  []pgwire.Field
}

var (
	_ pgwire.Session     = (*session)(nil)
	_ pgwire.Notifier    = (*session)(nil)
	_ pgwire.TextEncoder = (*session)(nil)
)

// Simple runs the statements of one Query message.
func (s *session) Simple(ctx context.Context, query string, out pgwire.ResultWriter) error {
	s.writer.ResultWriter = out
	return s.Session.Simple(ctx, query, &s.writer)
}

// Execute runs a portal.
func (s *session) Execute(ctx context.Context, portal string, maxRows int, out pgwire.ResultWriter) (bool, error) {
	s.writer.ResultWriter = out
	return s.Session.Execute(ctx, portal, maxRows, &s.writer)
}

// DescribeStatement gives the types of a statement's parameters and the fields of its result.
func (s *session) DescribeStatement(ctx context.Context, name string) ([]uint32, []pgwire.Field, error) {
	parameterTypes, fields, err := s.Session.DescribeStatement(ctx, name)
	return parameterTypes, s.convert(fields), err
}

// DescribePortal gives the fields of a portal's result.
func (s *session) DescribePortal(ctx context.Context, portal string) ([]pgwire.Field, error) {
	fields, err := s.Session.DescribePortal(ctx, portal)
	return s.convert(fields), err
}

// Notifications gives and forgets the notifications that have come.
func (s *session) Notifications() []pgwire.Notification {
	var converted []pgwire.Notification
	for _, notification := range s.Session.Notifications() {
		converted = append(converted, pgwire.Notification(notification))
	}
	return converted
}

// Close ends the session. It is listed until it holds nothing any more.
func (s *session) Close() {
	s.Session.Close()
	s.handler.forget(s.info.ProcessID)
}

// convert gives fields in the protocol's type, nil for nil; they are valid until the next call.
func (s *session) convert(fields []sqlmap.Field) []pgwire.Field {
	if fields == nil {
		return nil
	}
	s.fields = convertFields(s.fields, fields)
	return s.fields
}

// convertFields puts fields into the memory of converted; the result is never nil.
func convertFields(converted []pgwire.Field, fields []sqlmap.Field) []pgwire.Field {
	if converted == nil {
		converted = make([]pgwire.Field, 0, len(fields))
	}
	converted = converted[:0]
	for _, field := range fields {
		converted = append(converted, pgwire.Field(field))
	}
	return converted
}

// writer shows the protocol's ResultWriter to a SQL session.
type writer struct {
	pgwire.ResultWriter
	fields []pgwire.Field
}

var _ sqlmap.ResultWriter = (*writer)(nil)

// Fields writes a RowDescription.
func (w *writer) Fields(fields []sqlmap.Field) error {
	w.fields = convertFields(w.fields, fields)
	return w.ResultWriter.Fields(w.fields)
}

// CopyIn begins a COPY FROM STDIN.
func (w *writer) CopyIn(binary bool, columns int) (sqlmap.CopyReader, error) {
	return w.ResultWriter.CopyIn(binary, columns)
}
