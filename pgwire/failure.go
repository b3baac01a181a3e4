package pgwire

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgerror"
)

// errorFields gives the fields of an ErrorResponse or NoticeResponse.
func (o *output) errorFields(err *pgerror.Error, severity string) pgproto3.ErrorResponse {
	return pgproto3.ErrorResponse{
		Severity:            severity,
		SeverityUnlocalized: severity,
		Code:                err.Code,
		Message:             o.text(err.Message),
		Detail:              o.text(err.Detail),
		Hint:                o.text(err.Hint),
		Position:            int32(err.Position),
		Where:               o.text(err.Where),
		SchemaName:          o.text(err.Schema),
		TableName:           o.text(err.Table),
		ColumnName:          o.text(err.Column),
		DataTypeName:        o.text(err.DataType),
		ConstraintName:      o.text(err.Constraint),
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

// text gives text as the client takes it.
func (o *output) text(text string) string {
	text = sanitize(text)
	if o.encodeText != nil {
		return o.encodeText(text)
	}
	return text
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
