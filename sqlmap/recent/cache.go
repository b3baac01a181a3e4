package recent

import "sync"

// Cache keeps values by key in two generations: a full younger one replaces the older one, and what is found in the older
// one moves to the younger one. Keys that are in use stay, at the cost of one map look-up. At most twice the limits of a
// generation are kept. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	maximumEntries, maximumBytes int // of a generation

	mutex          sync.Mutex
	younger, older map[K]entry[V]
	youngerBytes   int
}

type entry[V any] struct {
	value V
	bytes int
}

// New makes a cache whose generations have those limits.
func New[K comparable, V any](maximumEntries, maximumBytes int) *Cache[K, V] {
	return &Cache[K, V]{maximumEntries: maximumEntries, maximumBytes: maximumBytes}
}

// Get gives the value of a key.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if found, ok := c.younger[key]; ok {
		return found.value, true
	}
	found, ok := c.older[key]
	if ok {
		c.add(key, found)
	}
	return found.value, ok
}

// Put keeps the value of a key, which counts for that many bytes. What alone exceeds the limit of a generation is not kept.
func (c *Cache[K, V]) Put(key K, value V, bytes int) {
	if bytes > c.maximumBytes {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.add(key, entry[V]{value, bytes})
}

func (c *Cache[K, V]) add(key K, added entry[V]) {
	before, known := c.younger[key]
	if known {
		c.youngerBytes -= before.bytes
	}
	if c.younger == nil || !known && len(c.younger) >= c.maximumEntries || c.youngerBytes+added.bytes > c.maximumBytes {
		c.older, c.younger, c.youngerBytes = c.younger, make(map[K]entry[V]), 0
	}
	c.younger[key] = added
	c.youngerBytes += added.bytes
}
