package pgwire

import "github.com/jackc/pgx/v5/pgproto3"

// Notifier is a Session that can get notifications while its client is idle.
type Notifier interface {
	// Notified gets a value when notifications have come. It is read from another goroutine.
	Notified() <-chan struct{}
	// Notifications gives and forgets those that have come, in order.
	Notifications() []Notification
}

// Notification is what a client gets as a NotificationResponse.
type Notification struct {
	ProcessID uint32 // of the session that sent it
	Channel   string
	Payload   string
}

// watchSession passes on, until ended is closed, what the session has for the client of its own accord: its end, and
// notifications.
func (c *connection) watchSession(ended <-chan struct{}) {
	var notified <-chan struct{}
	if notifier, ok := c.session.(Notifier); ok {
		notified = notifier.Notified()
	}
	done := c.session.Done()
	for {
		select {
		case <-done:
			c.abort(endOf(c.session))
			return
		case <-notified:
			c.mutex.Lock()
			c.notified = true
			if c.waiting {
				c.input.interrupt()
			}
			c.mutex.Unlock()
		case <-ended:
			return
		}
	}
}

// idle tells whether the client can be told of notifications: it is outside of a transaction and not in the middle of extended
// messages.
func (c *connection) idle() bool { return !c.inSequence && c.session.Status() == 'I' }

// notify writes the notifications that have come, if the client is idle. It tells whether it wrote any.
func (c *connection) notify() (bool, error) {
	if !c.idle() {
		return false, nil
	}
	c.mutex.Lock()
	notified := c.notified
	c.notified = false
	c.mutex.Unlock()
	if !notified {
		return false, nil
	}
	for _, notification := range c.session.(Notifier).Notifications() {
		message := pgproto3.NotificationResponse{
			PID: notification.ProcessID, Channel: c.output.text(notification.Channel), Payload: c.output.text(notification.Payload),
		}
		if err := c.output.message(&message); err != nil {
			return false, err
		}
	}
	return true, nil
}

// ready tells the client that its message has been answered, after the notifications that have come meanwhile.
func (c *connection) ready() error {
	if _, err := c.notify(); err != nil {
		return err
	}
	return c.output.ready(c.session.Status())
}
