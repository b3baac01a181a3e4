package recent

import (
	"fmt"
	"testing"
)

func TestKeysInUseStay(t *testing.T) {
	cache := New[string, int](4, 1000)
	cache.Put("used", 1, 10)
	for i := range 100 {
		cache.Put(fmt.Sprint("other", i), i, 10)
		if value, ok := cache.Get("used"); !ok || value != 1 {
			t.Fatalf("after %d others: %d, %v", i+1, value, ok)
		}
	}
	if _, ok := cache.Get("other0"); ok {
		t.Error("a key that was not used for long is still there")
	}
}

func TestBytesAreBounded(t *testing.T) {
	cache := New[int, string](1000, 100)
	cache.Put(0, "too large", 101)
	if _, ok := cache.Get(0); ok {
		t.Error("a value above the limit was kept")
	}
	for i := range 50 {
		cache.Put(i, "value", 60)
	}
	if kept := len(cache.younger) + len(cache.older); kept > 2 {
		t.Errorf("%d values of 60 bytes are kept in two generations of 100", kept)
	}
}

func TestPutReplaces(t *testing.T) {
	cache := New[string, int](4, 100)
	for i := range 50 {
		cache.Put("key", i, 40)
	}
	if value, ok := cache.Get("key"); !ok || value != 49 {
		t.Errorf("got %d, %v", value, ok)
	}
	if cache.youngerBytes != 40 {
		t.Errorf("one value of 40 bytes counts for %d", cache.youngerBytes)
	}
}
