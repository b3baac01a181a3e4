package sqlmap

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/sqlmap/function"
	"moraine/sqlmap/notification"
)

var _ function.Channels = functionCatalog{}

// maximumPayload bounds the text of a notification, in bytes: PostgreSQL's NOTIFY_PAYLOAD_MAX_LENGTH.
const maximumPayload = 7999

// announcements is what a transaction does when it commits: LISTEN, UNLISTEN and NOTIFY.
type announcements struct {
	listening []listening
	messages  []notification.Notification
	known     map[notification.Notification]bool // of messages: the same one is sent once
	size      int                                // of messages, in bytes
}

// listening is a LISTEN or UNLISTEN; without a channel, UNLISTEN *.
type listening struct {
	channel string
	ends    bool
}

// announcementMark is a place in announcements.
type announcementMark struct{ listening, messages int }

func (a *announcements) mark() announcementMark {
	return announcementMark{len(a.listening), len(a.messages)}
}

// backTo forgets what was added since a mark.
func (a *announcements) backTo(mark announcementMark) {
	for _, message := range a.messages[mark.messages:] {
		delete(a.known, message)
		a.size -= len(message.Channel) + len(message.Payload)
	}
	a.listening, a.messages = a.listening[:mark.listening], a.messages[:mark.messages]
}

// add takes a message.
func (a *announcements) add(message notification.Notification) error {
	if a.known[message] {
		return nil
	}
	if a.size += len(message.Channel) + len(message.Payload); a.size > notification.MaximumQueued {
		return pgerror.New(pgerror.ProgramLimitExceeded, "too many notifications in the NOTIFY queue")
	}
	if a.known == nil {
		a.known = map[notification.Notification]bool{}
	}
	a.known[message] = true
	a.messages = append(a.messages, message)
	return nil
}

// announce does what the transaction has collected, now that it has committed.
func (s *Session) announce(a *announcements) {
	for _, change := range a.listening {
		switch {
		case change.ends && change.channel == "":
			s.listener.UnlistenAll()
		case change.ends:
			s.listener.Unlisten(change.channel)
		default:
			s.listener.Listen(change.channel)
		}
	}
	if len(a.messages) > 0 {
		s.options.Notifications.Send(s.database.OID, a.messages)
	}
}

func (s *Session) listen(node *pg_query.ListenStmt) *command {
	return s.maintenance("LISTEN", func() error {
		if len(s.listener.Channels())+len(s.transaction.announced.listening) >= MaximumChannels {
			return pgerror.New(pgerror.ProgramLimitExceeded, "a session can listen to %d channels at most", MaximumChannels)
		}
		s.transaction.announced.listening = append(s.transaction.announced.listening, listening{channel: node.Conditionname})
		return nil
	})
}

func (s *Session) unlisten(node *pg_query.UnlistenStmt) *command {
	return utility("UNLISTEN", func() error {
		s.transaction.announced.listening = append(s.transaction.announced.listening, listening{channel: node.Conditionname, ends: true})
		return nil
	})
}

// Notify collects a notification for the end of the transaction.
func (c functionCatalog) Notify(channel, payload string) error {
	s := c.session
	if err := s.duringRecovery("NOTIFY"); err != nil {
		return err
	}
	switch {
	case channel == "":
		return pgerror.New(pgerror.InvalidParameterValue, "channel name cannot be empty")
	case len(channel) > maximumNameBytes:
		return pgerror.New(pgerror.InvalidParameterValue, "channel name too long")
	case len(payload) > maximumPayload:
		return pgerror.New(pgerror.InvalidParameterValue, "payload string too long")
	}
	message := notification.Notification{ProcessID: s.options.ProcessID, Channel: channel, Payload: payload}
	if err := s.options.Notifications.Admit(s.database.OID, &message); err != nil {
		return err
	}
	return s.transaction.announced.add(message)
}

// ListeningChannels gives the channels that the session listens to.
func (c functionCatalog) ListeningChannels() []string { return c.session.listener.Channels() }

// Notified gets a value when notifications have come. It may be called from any goroutine.
func (s *Session) Notified() <-chan struct{} { return s.listener.Arrived() }

// Notifications gives and forgets the notifications that have come, in order. They are for an idle client, outside of a
// transaction.
func (s *Session) Notifications() []notification.Notification { return s.listener.Take() }
