package bucket

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Name is the name of every bucket here: a store is at s3://Name/prefix.
const Name = "lakes"

// maximumObjects bounds what a bucket of a test may hold.
const maximumObjects = 1 << 20

// Bucket is a bucket with its objects. Safe for concurrent use.
type Bucket struct {
	objects *s3mem.Backend
	handler http.Handler
}

// New makes an empty bucket.
func New(t testing.TB) *Bucket {
	t.Helper()
	objects := s3mem.New()
	if err := objects.CreateBucket(Name); err != nil {
		t.Fatal(err)
	}
	quiet := gofakes3.StdLog(log.New(io.Discard, "", 0))
	server := gofakes3.New(objects, gofakes3.WithLogger(quiet), gofakes3.WithTimeSkewLimit(0))
	return &Bucket{objects: objects, handler: server.Server()}
}

// Copy makes a bucket with the same objects, which then go their own way.
func (b *Bucket) Copy(t testing.TB) *Bucket {
	t.Helper()
	result := New(t)
	for _, name := range b.List(t, "") {
		object := b.get(t, name)
		result.put(t, name, object.Metadata, b.Get(t, name))
	}
	return result
}

// List gives the names of the objects whose names start with a prefix, ascending.
func (b *Bucket) List(t testing.TB, prefix string) []string {
	t.Helper()
	listed, err := b.objects.ListBucket(Name, &gofakes3.Prefix{HasPrefix: prefix != "", Prefix: prefix}, gofakes3.ListBucketPage{MaxKeys: maximumObjects})
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(listed.Contents))
	for _, object := range listed.Contents {
		names = append(names, object.Key)
	}
	slices.Sort(names)
	return names
}

// Get gives the content of an object, which must be there.
func (b *Bucket) Get(t testing.TB, name string) []byte {
	t.Helper()
	object := b.get(t, name)
	content, err := io.ReadAll(object.Contents)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func (b *Bucket) get(t testing.TB, name string) *gofakes3.Object {
	t.Helper()
	object, err := b.objects.GetObject(Name, name, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return object
}

// Put writes an object beside all clients, as damage does.
func (b *Bucket) Put(t testing.TB, name string, content []byte) {
	t.Helper()
	b.put(t, name, map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)}, content)
}

func (b *Bucket) put(t testing.TB, name string, metadata map[string]string, content []byte) {
	t.Helper()
	if _, err := b.objects.PutObject(Name, name, metadata, bytes.NewReader(content), int64(len(content)), nil); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Remove removes an object beside all clients.
func (b *Bucket) Remove(t testing.TB, name string) {
	t.Helper()
	if _, err := b.objects.DeleteObject(Name, name); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
