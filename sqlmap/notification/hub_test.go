package notification

import (
	"slices"
	"strings"
	"testing"

	"moraine/pgerror"
)

func TestNotificationsReachThoseWhoListen(t *testing.T) {
	hub := NewHub()
	a, b, elsewhere := hub.NewListener(1), hub.NewListener(1), hub.NewListener(2)
	for _, listener := range []*Listener{a, a, elsewhere} {
		listener.Listen("x")
	}
	b.Listen("y")
	sent := []Notification{{7, "x", "first"}, {7, "y", ""}, {7, "x", "second"}}
	hub.Send(1, sent)
	select {
	case <-a.Arrived():
	default:
		t.Error("a was not told")
	}
	if got := a.Take(); !slices.Equal(got, []Notification{sent[0], sent[2]}) {
		t.Errorf("a got %v", got)
	}
	if got := b.Take(); !slices.Equal(got, sent[1:2]) {
		t.Errorf("b got %v", got)
	}
	if got := append(elsewhere.Take(), a.Take()...); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestUnlisten(t *testing.T) {
	hub := NewHub()
	a := hub.NewListener(1)
	for _, channel := range []string{"x", "y", "z"} {
		a.Listen(channel)
	}
	a.Unlisten("y")
	a.Unlisten("none")
	if got := a.Channels(); !slices.Equal(got, []string{"x", "z"}) {
		t.Errorf("listens to %v", got)
	}
	a.UnlistenAll()
	hub.Send(1, []Notification{{1, "x", ""}})
	if len(a.Take()) > 0 || len(hub.listeners) > 0 {
		t.Error("something is left of the listener")
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	hub := NewHub()
	a := hub.NewListener(1)
	a.Listen("0")
	message := Notification{1, "0", strings.Repeat("x", MaximumQueued/3)}
	for range 2 {
		if err := hub.Admit(1, &message); err != nil {
			t.Fatal(err)
		}
		hub.Send(1, []Notification{message})
	}
	if err := hub.Admit(1, &message); !pgerror.HasCode(err, pgerror.ProgramLimitExceeded) {
		t.Errorf("error %v", err)
	}
	a.Take()
	if err := hub.Admit(1, &message); err != nil {
		t.Error(err)
	}
}
