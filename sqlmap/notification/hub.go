package notification

import (
	"slices"
	"sync"

	"moraine/pgerror"
)

// MaximumQueued bounds the bytes of notifications that wait for one listener: above, NOTIFY is refused.
const MaximumQueued = 16 << 20

// Notification is one message.
type Notification struct {
	ProcessID uint32 // of the session that sent it
	Channel   string
	Payload   string
}

// overhead is what a queued notification takes beside its texts, in bytes.
const overhead = 64

func (n *Notification) size() int { return overhead + len(n.Channel) + len(n.Payload) }

// address is a channel of a database.
type address struct {
	database uint32
	channel  string
}

// Hub knows who listens. It is safe for concurrent use.
type Hub struct {
	mutex     sync.Mutex
	listeners map[address][]*Listener
}

// NewHub makes a hub without listeners.
func NewHub() *Hub { return &Hub{listeners: map[address][]*Listener{}} }

// Listener is a session that can listen. It is safe for concurrent use.
type Listener struct {
	hub      *Hub
	database uint32
	signal   chan struct{}
	// What follows is guarded by the hub's mutex.
	channels []string
	queue    []Notification
	queued   int // bytes
}

// NewListener makes a listener in a database, by OID, that listens to nothing yet.
func (h *Hub) NewListener(database uint32) *Listener {
	return &Listener{hub: h, database: database, signal: make(chan struct{}, 1)}
}

// Listen begins to listen to a channel.
func (l *Listener) Listen(channel string) {
	l.hub.mutex.Lock()
	defer l.hub.mutex.Unlock()
	if slices.Contains(l.channels, channel) {
		return
	}
	l.channels = append(l.channels, channel)
	at := address{l.database, channel}
	l.hub.listeners[at] = append(l.hub.listeners[at], l)
}

// Unlisten ends that.
func (l *Listener) Unlisten(channel string) {
	l.hub.mutex.Lock()
	defer l.hub.mutex.Unlock()
	l.channels = slices.DeleteFunc(l.channels, func(other string) bool { return other == channel })
	l.hub.forget(l, channel)
}

// UnlistenAll ends all listening.
func (l *Listener) UnlistenAll() {
	l.hub.mutex.Lock()
	defer l.hub.mutex.Unlock()
	for _, channel := range l.channels {
		l.hub.forget(l, channel)
	}
	l.channels = nil
}

func (h *Hub) forget(l *Listener, channel string) {
	at := address{l.database, channel}
	left := slices.DeleteFunc(h.listeners[at], func(other *Listener) bool { return other == l })
	if len(left) == 0 {
		delete(h.listeners, at)
		return
	}
	h.listeners[at] = left
}

// Channels gives the channels listened to, in the order in which it began.
func (l *Listener) Channels() []string {
	l.hub.mutex.Lock()
	defer l.hub.mutex.Unlock()
	return slices.Clone(l.channels)
}

// Arrived gets a value when notifications have come.
func (l *Listener) Arrived() <-chan struct{} { return l.signal }

// Take gives and forgets the notifications that have come, in order.
func (l *Listener) Take() []Notification {
	l.hub.mutex.Lock()
	defer l.hub.mutex.Unlock()
	taken := l.queue
	l.queue, l.queued = nil, 0
	return taken
}

// Admit gives 54000 when the queue of a session that would get the notification is full.
func (h *Hub) Admit(database uint32, message *Notification) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, listener := range h.listeners[address{database, message.Channel}] {
		if listener.queued+message.size() > MaximumQueued {
			return pgerror.New(pgerror.ProgramLimitExceeded, "too many notifications in the NOTIFY queue").
				WithHint("A session that listens has not read its notifications for a long time.")
		}
	}
	return nil
}

// Send gives notifications, one after the other, to all who listen to their channels.
func (h *Hub) Send(database uint32, messages []Notification) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for i := range messages {
		for _, listener := range h.listeners[address{database, messages[i].Channel}] {
			listener.queue = append(listener.queue, messages[i])
			listener.queued += messages[i].size()
			select {
			case listener.signal <- struct{}{}:
			default: // it has been told already
			}
		}
	}
}
