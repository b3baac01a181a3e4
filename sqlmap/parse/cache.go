package parse

import (
	"sync"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// Limits of the cache of trees. A tree takes some thirty times its text.
const (
	maximumCachedTextBytes = 8 << 10
	maximumGenerationTexts = 1024
	maximumGenerationBytes = 512 << 10
)

// trees is shared by all sessions of the process.
var trees treeCache

// treeCache keeps trees by statement text in two generations: a full younger one replaces the older one, and what is
// found in the older one moves to the younger one. Texts that are in use stay, at the cost of one map look-up.
type treeCache struct {
	mutex          sync.Mutex
	younger, older map[string]*pg_query.Node
	youngerBytes   int
}

func (c *treeCache) get(text string) (*pg_query.Node, bool) {
	if len(text) > maximumCachedTextBytes {
		return nil, false
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if tree, ok := c.younger[text]; ok {
		return tree, true
	}
	tree, ok := c.older[text]
	if ok {
		c.add(text, tree)
	}
	return tree, ok
}

func (c *treeCache) put(text string, tree *pg_query.Node) {
	if len(text) > maximumCachedTextBytes {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	// The text is cloned so that the cache does not hold the message it was cut from.
	c.add(string([]byte(text)), tree)
}

func (c *treeCache) add(text string, tree *pg_query.Node) {
	if c.younger == nil || len(c.younger) >= maximumGenerationTexts || c.youngerBytes+len(text) > maximumGenerationBytes {
		c.older, c.younger, c.youngerBytes = c.younger, make(map[string]*pg_query.Node), 0
	}
	c.younger[text] = tree
	c.youngerBytes += len(text)
}
