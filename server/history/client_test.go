package history

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// patience bounds what should happen at once, on a busy machine too.
const patience = time.Minute

// reply is what the server answered to a message.
type reply struct {
	results []*pgconn.Result
	err     error
}

// client is one connection to the server.
type client struct {
	connection *pgx.Conn
	replies    chan reply // has the reply to the message under way, once there is one
	underWay   bool       // a message was sent whose reply is not taken yet
}

func connect(ctx context.Context, address, database string) (*client, error) {
	connection, err := pgx.Connect(ctx, fmt.Sprintf("postgres://history@%s/%s?sslmode=disable&timezone=UTC", address, database))
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", database, err)
	}
	return &client{connection: connection, replies: make(chan reply, 1)}, nil
}

// start sends a message and does not wait for the reply.
func (c *client) start(ctx context.Context, text string) {
	reader := c.connection.PgConn().Exec(ctx, text)
	c.underWay = true
	go func() {
		results, err := reader.ReadAll()
		c.replies <- reply{results, err}
	}()
}

// await waits for the reply to the message under way.
func (c *client) await() (reply, error) {
	select {
	case answer := <-c.replies:
		c.underWay = false
		return answer, nil
	case <-time.After(patience):
		return reply{}, errors.New("the statement waits, and should not")
	}
}

// run sends a message that must succeed and gives the rows of its last statement.
func (c *client) run(ctx context.Context, text string) ([]row, error) {
	c.start(ctx, text)
	answer, err := c.await()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	if answer.err != nil {
		return nil, fmt.Errorf("%s: %w", text, answer.err)
	}
	return rowsOf(answer.results[len(answer.results)-1]), nil
}

func rowsOf(result *pgconn.Result) (rows []row) {
	for _, fields := range result.Rows {
		var r row
		for _, field := range fields {
			if field == nil {
				r = append(r, null)
				continue
			}
			r = append(r, value(field))
		}
		rows = append(rows, r)
	}
	return rows
}

// cut ends the connection without a word.
func (c *client) cut() { _ = c.connection.PgConn().Conn().Close() }

// close ends the connection, also when a message is under way: then the goroutine that reads the reply ends first.
func (c *client) close(ctx context.Context) {
	if c.underWay {
		c.cut()
		<-c.replies
		c.underWay = false
	}
	_ = c.connection.Close(ctx)
}

// process is how pg_stat_activity knows the connection.
func (c *client) process() uint32 { return c.connection.PgConn().PID() }

// pause is the time between two looks at what the server does.
const pause = time.Millisecond

// awaitWaiting returns when the server says that the client's statement waits for a lock.
func (c *client) awaitWaiting(ctx context.Context, observer *client) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(pause) {
		rows, err := observer.run(ctx, fmt.Sprintf("SELECT 1 FROM pg_stat_activity WHERE pid = %d AND wait_event_type = 'Lock'", c.process()))
		if err != nil || len(rows) > 0 {
			return err
		}
		if len(c.replies) > 0 {
			return errors.New("the statement has ended, and should wait")
		}
	}
	return errors.New("the statement neither waits nor ends")
}

// awaitEnd returns when the server has forgotten the client.
func (c *client) awaitEnd(ctx context.Context, observer *client) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(pause) {
		rows, err := observer.run(ctx, fmt.Sprintf("SELECT 1 FROM pg_stat_activity WHERE pid = %d", c.process()))
		if err != nil || len(rows) == 0 {
			return err
		}
	}
	return errors.New("the server keeps the session of a client that has gone")
}
