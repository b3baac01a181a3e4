package store

import (
	"errors"
	"testing"
)

func TestABatchTakesNothingBeyondItsLimit(t *testing.T) {
	for name, fill := range map[string]func(*Batch){
		"put":    func(b *Batch) { b.Put([]byte("key"), []byte("value")) },
		"delete": func(b *Batch) { b.Delete([]byte("long key")) },
		"append": func(b *Batch) {
			other := &Batch{}
			other.Put([]byte("key"), []byte("value"))
			b.Append(other)
		},
	} {
		batch := NewBatch(2*len("key"+"value") + 1)
		fill(batch)
		fill(batch)
		if err := batch.Err(); err != nil || batch.Len() != 2 {
			t.Errorf("%s: %d operations, %v", name, batch.Len(), err)
		}
		fill(batch)
		batch.Delete([]byte("k")) // fits, and would be out of order
		if err := batch.Err(); !errors.Is(err, ErrBatchFull) || batch.Len() != 2 || batch.Size() != 16 {
			t.Errorf("%s: %d operations of %d bytes, %v", name, batch.Len(), batch.Size(), err)
		}
	}
	unlimited := &Batch{}
	unlimited.Put(make([]byte, 1<<20), nil)
	if err := unlimited.Err(); err != nil {
		t.Error(err)
	}
}
