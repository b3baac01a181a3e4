package pgwire_test

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// describe gives a message as one word.
func (c *client) describe(message pgproto3.BackendMessage) string {
	switch message := message.(type) {
	case *pgproto3.AuthenticationOk:
		return "R"
	case *pgproto3.AuthenticationSASL:
		return "R:SASL:" + strings.Join(message.AuthMechanisms, ",")
	case *pgproto3.BackendKeyData:
		c.processID, c.secret = message.ProcessID, append([]byte(nil), message.SecretKey...)
		return "K"
	case *pgproto3.NegotiateProtocolVersion:
		return fmt.Sprintf("v:%d:%s", message.NewestMinorProtocol, strings.Join(message.UnrecognizedOptions, ","))
	case *pgproto3.RowDescription:
		return "T"
	case *pgproto3.DataRow:
		return "D:" + string(message.Values[0])
	case *pgproto3.CommandComplete:
		return "C:" + strings.ReplaceAll(string(message.CommandTag), " ", "_")
	case *pgproto3.ErrorResponse:
		return "E:" + message.Severity + ":" + message.Code
	case *pgproto3.NoticeResponse:
		return "N:" + message.Message
	case *pgproto3.ReadyForQuery:
		return "Z:" + string(message.TxStatus)
	case *pgproto3.PortalSuspended:
		return "s"
	case *pgproto3.NoData:
		return "n"
	case *pgproto3.ParseComplete:
		return "1"
	case *pgproto3.BindComplete:
		return "2"
	case *pgproto3.CloseComplete:
		return "3"
	case *pgproto3.ParameterDescription:
		return fmt.Sprintf("t:%d", len(message.ParameterOIDs))
	case *pgproto3.EmptyQueryResponse:
		return "I"
	case *pgproto3.CopyOutResponse:
		return fmt.Sprintf("H:%d:%d", message.OverallFormat, len(message.ColumnFormatCodes))
	case *pgproto3.CopyData:
		return fmt.Sprintf("d:%d", len(message.Data))
	case *pgproto3.CopyDone:
		return "c"
	case *pgproto3.CopyInResponse:
		return fmt.Sprintf("G:%d:%d", message.OverallFormat, len(message.ColumnFormatCodes))
	case *pgproto3.ParameterStatus:
		return "S:" + message.Name + "=" + message.Value
	}
	return fmt.Sprintf("%T", message)
}
