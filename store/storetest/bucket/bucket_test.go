package bucket_test

import (
	"errors"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"moraine/store/storetest/bucket"
)

// request sends one request to the object of a name, by a connection of its own, and gives status and content.
func request(endpoint *bucket.Endpoint, method, name, content string, headers ...string) (int, string, error) {
	request, err := http.NewRequest(method, endpoint.URL()+"/"+bucket.Name+"/"+name, strings.NewReader(content))
	if err != nil {
		return 0, "", err
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), err
}

func expect(t *testing.T, endpoint *bucket.Endpoint, method, name, content string, want int, headers ...string) string {
	t.Helper()
	status, body, err := request(endpoint, method, name, content, headers...)
	if err != nil || status != want {
		t.Fatalf("%s %s: %d, %v; expected %d", method, name, status, err, want)
	}
	return body
}

// later sends a PUT that will not be answered for now.
func later(endpoint *bucket.Endpoint, name, content string, headers ...string) <-chan int {
	answered := make(chan int, 1)
	go func() {
		status, _, _ := request(endpoint, http.MethodPut, name, content, headers...)
		answered <- status
	}()
	return answered
}

func unanswered(t *testing.T, answered <-chan int) {
	t.Helper()
	select {
	case status := <-answered:
		t.Fatalf("a frozen endpoint has answered %d", status)
	default:
	}
}

func TestObjects(t *testing.T) {
	content := bucket.New(t)
	endpoint := content.Connect(t)
	expect(t, endpoint, http.MethodPut, "lake/a", "1", http.StatusOK, "x-amz-meta-slatedbputid", "one")
	expect(t, endpoint, http.MethodPut, "lake/%2525/b", "22", http.StatusOK)
	if body := expect(t, endpoint, http.MethodGet, "lake/%2525/b", "", http.StatusOK); body != "22" {
		t.Errorf("read %q", body)
	}
	if body := expect(t, endpoint, http.MethodGet, "lake/%2525/b", "", http.StatusPartialContent, "Range", "bytes=1-1"); body != "2" {
		t.Errorf("read %q", body)
	}
	copied := content.Copy(t)
	content.Put(t, "lake/a", []byte("3"))
	content.Remove(t, "lake/%25/b")
	if names := content.List(t, "lake/"); !slices.Equal(names, []string{"lake/a"}) {
		t.Errorf("the bucket has %v", names)
	}
	expect(t, endpoint, http.MethodGet, "lake/%2525/b", "", http.StatusNotFound)
	if names := copied.List(t, ""); !slices.Equal(names, []string{"lake/%25/b", "lake/a"}) || string(copied.Get(t, "lake/a")) != "1" {
		t.Errorf("the copy has %v", names)
	}
	answer, err := http.Head(copied.Connect(t).URL() + "/" + bucket.Name + "/lake/a")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if id := answer.Header.Get("x-amz-meta-slatedbputid"); id != "one" {
		t.Errorf("the copy's metadata are %v", answer.Header)
	}
}

func TestConditionalWrites(t *testing.T) {
	endpoint := bucket.New(t).Connect(t)
	expect(t, endpoint, http.MethodPut, "a", "1", http.StatusOK, "If-None-Match", "*")
	expect(t, endpoint, http.MethodPut, "a", "2", http.StatusPreconditionFailed, "If-None-Match", "*")
	expect(t, endpoint, http.MethodPut, "a", "2", http.StatusPreconditionFailed, "If-Match", `"00000000000000000000000000000000"`)
	if body := expect(t, endpoint, http.MethodGet, "a", "", http.StatusOK); body != "1" {
		t.Errorf("read %q", body)
	}
}

// TestConditionalWritesAtOnce lets many clients write one object that must be absent: one of them wins.
func TestConditionalWritesAtOnce(t *testing.T) {
	const clients = 16
	endpoint := bucket.New(t).Connect(t)
	var answers []<-chan int
	for range clients {
		answers = append(answers, later(endpoint, "a", "1", "If-None-Match", "*"))
	}
	won := 0
	for _, answer := range answers {
		switch status := <-answer; status {
		case http.StatusOK:
			won++
		case http.StatusPreconditionFailed:
		default:
			t.Errorf("status %d", status)
		}
	}
	if won != 1 {
		t.Errorf("%d clients have written the object", won)
	}
}

func TestFreeze(t *testing.T) {
	for _, moment := range []bucket.Moment{bucket.Lost, bucket.Unanswered} {
		t.Run(moment.String(), func(t *testing.T) {
			content := bucket.New(t)
			dying, other := content.Connect(t), content.Connect(t)
			dying.FreezeAfter(2, moment)
			expect(t, dying, http.MethodPut, "a", "1", http.StatusOK)
			expect(t, dying, http.MethodGet, "a", "", http.StatusOK)
			expect(t, dying, http.MethodPut, "b", "1", http.StatusOK)
			third := later(dying, "c", "1")
			<-dying.Frozen()
			fourth := later(dying, "d", "1")
			unanswered(t, third)
			unanswered(t, fourth)
			expect(t, other, http.MethodPut, "e", "1", http.StatusOK)

			dying.Sever()
			if first, second := <-third, <-fourth; first != http.StatusNotFound || second != http.StatusNotFound {
				t.Errorf("severed requests are answered %d, %d", first, second)
			}
			expect(t, dying, http.MethodPut, "a", "2", http.StatusNotFound)
			want := map[bucket.Moment]string{bucket.Lost: "a b e", bucket.Unanswered: "a b c e"}[moment]
			if names := strings.Join(content.List(t, ""), " "); names != want {
				t.Errorf("the bucket has %s, expected %s", names, want)
			}
			if writes := dying.Writes(); writes != len(strings.Fields(want))-1 {
				t.Errorf("%d writes were counted", writes)
			}
		})
	}
}

// TestRelease lets a write arrive after another client has written, and after its own client has given up.
func TestRelease(t *testing.T) {
	content := bucket.New(t)
	stuck, other := content.Connect(t), content.Connect(t)
	stuck.FreezeAfter(0, bucket.Lost)
	conditional := later(stuck, "a", "late", "If-None-Match", "*")
	<-stuck.Frozen()
	plain := later(stuck, "b", "late")
	expect(t, other, http.MethodPut, "a", "early", http.StatusOK, "If-None-Match", "*")
	expect(t, other, http.MethodPut, "b", "early", http.StatusOK)
	stuck.Release()
	if first, second := <-conditional, <-plain; first != http.StatusPreconditionFailed || second != http.StatusOK {
		t.Errorf("late requests are answered %d, %d", first, second)
	}
	if a, b := string(content.Get(t, "a")), string(content.Get(t, "b")); a != "early" || b != "late" {
		t.Errorf("a is %s, b is %s", a, b)
	}
	expect(t, stuck, http.MethodPut, "c", "1", http.StatusOK)
}

func TestDisturb(t *testing.T) {
	content := bucket.New(t)
	endpoint := content.Connect(t)
	fault := func(fault bucket.Fault) {
		endpoint.Disturb(func(write bool) bucket.Fault {
			if !write {
				return bucket.Fault{}
			}
			return fault
		})
	}
	fault(bucket.Fault{Status: http.StatusServiceUnavailable})
	expect(t, endpoint, http.MethodPut, "a", "1", http.StatusServiceUnavailable)
	fault(bucket.Fault{Reset: true})
	if status, _, err := request(endpoint, http.MethodPut, "b", "1"); err == nil {
		t.Errorf("a broken connection has answered %d", status)
	}
	fault(bucket.Fault{Status: http.StatusInternalServerError, Applied: true})
	expect(t, endpoint, http.MethodPut, "c", "1", http.StatusInternalServerError)
	fault(bucket.Fault{Reset: true, Applied: true})
	if status, _, err := request(endpoint, http.MethodPut, "d", "1"); err == nil {
		t.Errorf("a broken connection has answered %d", status)
	}
	expect(t, endpoint, http.MethodGet, "d", "", http.StatusOK)
	fault(bucket.Fault{Delay: time.Millisecond})
	expect(t, endpoint, http.MethodPut, "e", "1", http.StatusOK)
	endpoint.Disturb(nil)
	expect(t, endpoint, http.MethodPut, "f", "1", http.StatusOK)
	if names := strings.Join(content.List(t, ""), " "); names != "c d e f" {
		t.Errorf("the bucket has %s", names)
	}
}

// TestTheServerLinksNoBucket keeps what only tests need out of the binary.
func TestTheServerLinksNoBucket(t *testing.T) {
	output, err := exec.Command("go", "list", "-deps", "moraine/cmd/moraine").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	if strings.Contains(string(output), "gofakes3") {
		t.Error("cmd/moraine links the object store of the tests")
	}
}
