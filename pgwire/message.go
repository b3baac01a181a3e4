package pgwire

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgerror"
)

// messageLimit gives the largest body of a message, 0 for a kind that no client may send within a session.
func (c *connection) messageLimit(kind byte) int {
	switch kind {
	case 'Q', 'P', 'B', 'd', 'F':
		return c.server.config.MaxMessageSize
	case 'D', 'E', 'C', 'H', 'S', 'X', 'c', 'f':
		return min(maxShortMessageSize, c.server.config.MaxMessageSize)
	}
	return 0
}

// handle answers one message. Its error ends the connection.
func (c *connection) handle(kind byte, body []byte) error {
	switch kind {
	case 'S':
		return c.handleSync()
	case 'X':
		return errTerminated
	case 'd', 'c', 'f':
		// What a client still sends after its COPY has failed.
		return nil
	}
	if c.skipUntilSync {
		return nil
	}
	switch kind {
	case 'Q':
		return c.handleQuery(body)
	case 'P':
		return c.handleExtended(body, (*connection).parse)
	case 'B':
		return c.handleExtended(body, (*connection).bind)
	case 'D':
		return c.handleExtended(body, (*connection).describe)
	case 'E':
		return c.handleExtended(body, (*connection).execute)
	case 'C':
		return c.handleExtended(body, (*connection).closeObject)
	case 'H':
		return c.output.flush()
	default: // 'F': messageLimit lets nothing else through
		return c.handleFunctionCall()
	}
}

func (c *connection) handleQuery(body []byte) error {
	var query pgproto3.Query
	malformation := query.Decode(body) // before begin: what is read ahead overwrites the body
	ctx := c.begin()
	var err error
	if malformation != nil {
		err = malformed("Query", malformation)
	} else {
		err = c.session.Simple(ctx, query.String, &c.results)
	}
	c.finish()
	c.inSequence = false
	if err := c.report(ctx, err); err != nil {
		return err
	}
	return c.ready()
}

func malformed(message string, cause error) error {
	return pgerror.New(pgerror.ProtocolViolation, "malformed %s message", message).WithCause(cause)
}

// report sends the error of a message. It gives it back when it ends the connection.
func (c *connection) report(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	known := clientError(ctx, err)
	if known.Code == pgerror.InternalError {
		c.log.Error().Err(known).AnErr("cause", known.Unwrap()).Msg("statement failed with an internal error")
	}
	if fatal(known) {
		return known
	}
	fields := c.output.errorFields(known, pgerror.SeverityError)
	return c.output.message(&fields)
}

// handleExtended runs one message of the extended query protocol. After an error all others are skipped until Sync.
func (c *connection) handleExtended(body []byte, run func(*connection, context.Context, []byte) error) error {
	c.inSequence = true
	body = slices.Clone(body) // what is read ahead overwrites it, and the parameters of a portal live on
	ctx := c.begin()
	err := run(c, ctx, body)
	c.finish()
	if err == nil {
		return nil
	}
	c.skipUntilSync = true
	if err := c.report(ctx, err); err != nil {
		return err
	}
	// The client may wait for answers before it sends its Sync.
	return c.output.flush()
}

func (c *connection) parse(ctx context.Context, body []byte) error {
	var message pgproto3.Parse
	if err := message.Decode(body); err != nil {
		return malformed("Parse", err)
	}
	if err := c.session.Parse(ctx, message.Name, message.Query, message.ParameterOIDs); err != nil {
		return err
	}
	return c.output.empty('1')
}

func (c *connection) bind(ctx context.Context, body []byte) error {
	var message pgproto3.Bind
	if err := message.Decode(body); err != nil {
		return malformed("Bind", err)
	}
	if err := c.session.Bind(ctx, message.DestinationPortal, message.PreparedStatement, message.ParameterFormatCodes, message.Parameters, message.ResultFormatCodes); err != nil {
		return err
	}
	return c.output.empty('2')
}

func (c *connection) describe(ctx context.Context, body []byte) error {
	var message pgproto3.Describe
	if err := message.Decode(body); err != nil {
		return malformed("Describe", err)
	}
	var fields []Field
	var err error
	switch message.ObjectType {
	case 'S':
		var parameterTypes []uint32
		if parameterTypes, fields, err = c.session.DescribeStatement(ctx, message.Name); err == nil {
			err = c.output.parameterDescription(parameterTypes)
		}
	case 'P':
		fields, err = c.session.DescribePortal(ctx, message.Name)
	default:
		err = pgerror.New(pgerror.ProtocolViolation, "invalid DESCRIBE message subtype %d", message.ObjectType)
	}
	if err != nil {
		return err
	}
	if fields == nil {
		return c.output.empty('n')
	}
	return c.output.Fields(fields)
}

func (c *connection) execute(ctx context.Context, body []byte) error {
	var message pgproto3.Execute
	if err := message.Decode(body); err != nil {
		return malformed("Execute", err)
	}
	suspended, err := c.session.Execute(ctx, message.Portal, max(int(int32(message.MaxRows)), 0), &c.results)
	if err != nil || !suspended {
		return err
	}
	return c.output.empty('s')
}

func (c *connection) closeObject(ctx context.Context, body []byte) error {
	var message pgproto3.Close
	if err := message.Decode(body); err != nil {
		return malformed("Close", err)
	}
	var err error
	switch message.ObjectType {
	case 'S':
		err = c.session.CloseStatement(ctx, message.Name)
	case 'P':
		err = c.session.ClosePortal(ctx, message.Name)
	default:
		err = pgerror.New(pgerror.ProtocolViolation, "invalid CLOSE message subtype %d", message.ObjectType)
	}
	if err != nil {
		return err
	}
	return c.output.empty('3')
}

func (c *connection) handleSync() error {
	failed := c.skipUntilSync
	c.skipUntilSync, c.inSequence = false, false
	ctx := c.begin()
	err := c.session.Sync(ctx, failed)
	c.finish()
	if err := c.report(ctx, err); err != nil {
		return err
	}
	return c.ready()
}

func (c *connection) handleFunctionCall() error {
	if err := c.report(context.Background(), pgerror.Unsupported("the FunctionCall message")); err != nil {
		return err
	}
	return c.ready()
}
