package pgwire

import (
	"context"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgerror"
)

// resultWriter is the ResultWriter of a connection.
type resultWriter struct {
	*output
	connection *connection
}

var _ ResultWriter = (*resultWriter)(nil)

// CopyIn writes a CopyInResponse and gives the data that follows.
func (w *resultWriter) CopyIn(binary bool, columns int) (CopyReader, error) {
	if err := w.copyResponse('G', binary, columns); err != nil {
		return nil, err
	}
	if err := w.flush(); err != nil {
		return nil, err
	}
	w.connection.input.unwatch()
	return &copyReader{connection: w.connection}, nil
}

// copyReader gives the data of one COPY FROM STDIN. When it is given up before its end, what the client still sends is
// dropped by handle.
type copyReader struct {
	connection *connection
	ended      error // what ended the data
}

// Next gives the content of the next CopyData.
func (r *copyReader) Next(ctx context.Context) ([]byte, error) {
	for r.ended == nil {
		kind, body, err := r.receive(ctx)
		if err != nil {
			return nil, err
		}
		switch kind {
		case 'd':
			return body, nil
		case 'c':
			r.end(io.EOF)
		case 'f':
			r.end(copyFailed(body))
		case 'H', 'S':
			// A client of the extended protocol may have sent them with its Execute.
		case 'X':
			r.ended = pgerror.Fatal(pgerror.ConnectionFailure, "client terminated the session during COPY FROM STDIN")
		default:
			r.ended = pgerror.Fatal(pgerror.ProtocolViolation, "unexpected message type 0x%02X during COPY FROM STDIN", kind)
		}
	}
	return nil, r.ended
}

// end ends the data; the statement may go on for long, so the client is watched again.
func (r *copyReader) end(reason error) {
	r.ended = reason
	r.connection.input.watch()
}

func copyFailed(body []byte) error {
	var message pgproto3.CopyFail
	if err := message.Decode(body); err != nil {
		return malformed("CopyFail", err)
	}
	return pgerror.New(pgerror.QueryCanceled, "COPY from stdin failed: %s", message.Message)
}

// receive waits for the next message until ctx is done.
func (r *copyReader) receive(ctx context.Context) (byte, []byte, error) {
	input := r.connection.input
	for {
		if ctx.Err() != nil {
			return 0, nil, clientError(ctx, ctx.Err())
		}
		input.resume()
		stop := func() bool { return true }
		if !input.complete() {
			stop = context.AfterFunc(ctx, input.interrupt)
		}
		kind, body, err := input.next(r.connection.messageLimit)
		stop()
		switch err {
		case nil:
			return kind, body, nil
		case errInterrupted:
			continue
		case io.EOF, io.ErrUnexpectedEOF:
			err = pgerror.Fatal(pgerror.ConnectionFailure, "connection to client lost during COPY FROM STDIN").WithCause(err)
		}
		r.ended = err
		return 0, nil, err
	}
}
