package pgwire

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgerror"
)

// errorFields gives the fields of an ErrorResponse or NoticeResponse.
func errorFields(err *pgerror.Error, severity string) pgproto3.ErrorResponse {
	return pgproto3.ErrorResponse{
		Severity:            severity,
		SeverityUnlocalized: severity,
		Code:                err.Code,
		Message:             sanitize(err.Message),
		Detail:              sanitize(err.Detail),
		Hint:                sanitize(err.Hint),
		Position:            int32(err.Position),
		Where:               sanitize(err.Where),
		SchemaName:          sanitize(err.Schema),
		TableName:           sanitize(err.Table),
		ColumnName:          sanitize(err.Column),
		DataTypeName:        sanitize(err.DataType),
		ConstraintName:      sanitize(err.Constraint),
	}
}

// sanitize gives text that a client can take as a string: bytes that are no UTF-8 become U+FFFD, zero bytes vanish. Both
// come from errors that quote what a client sent.
func sanitize(text string) string {
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// fatal tells whether the connection ends with this error.
func fatal(err *pgerror.Error) bool {
	return err.Severity == pgerror.SeverityFatal || err.Severity == pgerror.SeverityPanic
}

// clientError gives the error to send for what a call of the session gave: a cancelled context stands for the reason why
// it was cancelled.
func clientError(ctx context.Context, err error) *pgerror.Error {
	var known *pgerror.Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &known) {
		return known
	}
	return pgerror.From(err)
}
