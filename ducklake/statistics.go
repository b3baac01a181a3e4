package ducklake

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"moraine/keyspace"
	"moraine/store"
)

// Limits of the images of file statistics.
const (
	// imageMemory bounds the bytes of all images of a lake; the least recently used go first.
	imageMemory = 128 << 20
	// imageRows is how many rows an image has at least: fewer are read as fast from the store.
	imageRows = 64
	// imageMarks is how many commits an image remembers the length of.
	imageMarks = 256
	// entryMemory is what an entry takes beside its value.
	entryMemory = 24
)

// statisticsColumn is what DuckDB asks for in every filtered query: one column of one table, in all files. The records lie
// file by file, so that the store has to seek once for each file.
type statisticsColumn struct {
	table, column uint64
}

// statisticsImages keep such columns in memory, as they were last read. They are derived: a commit that does more than add
// files behind the others drops the images that it concerns.
type statisticsImages struct {
	mutex  sync.Mutex
	images map[statisticsColumn]*statisticsImage
	// readers are the scans that are collecting an image.
	readers map[*imageCollector]bool
	memory  int
	clock   uint64
	// last is the batch of the newest commit that changed file statistics since the lake was opened.
	last uint64
}

// statisticsImage is the records of one column, ascending by file. What is there never changes, so that a scan may read
// without the lock as far as the image went when the scan started.
type statisticsImage struct {
	files  []uint64
	values []string
	memory int
	used   uint64
	// marks say how long the image was after which batch (sys/head). Before the first one nothing is known.
	marks []imageMark
}

type imageMark struct {
	batch  uint64
	length int
}

// statisticsChange is a record that a commit has put or deleted.
type statisticsChange struct {
	key     statisticsColumn
	file    uint64
	value   string
	deleted bool
}

func (s *statisticsImages) init() {
	s.images, s.readers = map[statisticsColumn]*statisticsImage{}, map[*imageCollector]bool{}
}

// find gives the image as a state with that many batches has it; false when there is none.
func (s *statisticsImages) find(key statisticsColumn, batch uint64) (files []uint64, values []string, found bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	image := s.images[key]
	if image == nil {
		return nil, nil, false
	}
	at := len(image.marks) - 1
	for ; at >= 0 && image.marks[at].batch > batch; at-- {
	}
	if at < 0 {
		return nil, nil, false
	}
	s.clock++
	image.used = s.clock
	length := image.marks[at].length
	return image.files[:length:length], image.values[:length:length], true
}

// imageCollector gathers an image from a scan of the store.
type imageCollector struct {
	images *statisticsImages
	key    statisticsColumn
	image  statisticsImage
	// pending are the changes of commits since the scan started.
	pending []pendingChanges
}

type pendingChanges struct {
	batch   uint64
	changes []statisticsChange
}

// collect starts an image of the state with that many batches, at the start of a scan of it. It gives nil when later
// commits have changed file statistics already: they would be missing.
func (s *statisticsImages) collect(key statisticsColumn, batch uint64) *imageCollector {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if batch < s.last {
		return nil
	}
	collector := &imageCollector{images: s, key: key}
	collector.image.marks = []imageMark{{batch: batch}}
	s.readers[collector] = true
	return collector
}

// add takes a record; value must never change. An image that grows too large is given up.
func (c *imageCollector) add(file uint64, value []byte) bool {
	c.image.append(file, aliased(value))
	return c.image.memory <= imageMemory/2
}

func (i *statisticsImage) append(file uint64, value string) {
	i.files, i.values = append(i.files, file), append(i.values, value)
	i.memory += len(value) + entryMemory
}

// cancel ends the collection of a scan that was not read to its end.
func (c *imageCollector) cancel() {
	c.images.mutex.Lock()
	defer c.images.mutex.Unlock()
	delete(c.images.readers, c)
}

// publish makes the image of a scan that was read to its end known.
func (c *imageCollector) publish() {
	c.images.mutex.Lock()
	defer c.images.mutex.Unlock()
	if !c.images.readers[c] {
		return // all images were dropped meanwhile
	}
	delete(c.images.readers, c)
	if len(c.image.files) < imageRows {
		return
	}
	c.image.marks[0].length = len(c.image.files)
	for _, pending := range c.pending {
		if !c.image.apply(c.key, pending.batch, pending.changes) {
			return
		}
	}
	c.images.put(c.key, &c.image)
}

func (s *statisticsImages) put(key statisticsColumn, image *statisticsImage) {
	s.remove(key)
	s.clock++
	image.used = s.clock
	s.images[key] = image
	s.memory += image.memory
	for s.memory > imageMemory {
		oldest, found := key, false
		for other, candidate := range s.images {
			if other != key && (!found || candidate.used < s.images[oldest].used) {
				oldest, found = other, true
			}
		}
		if !found {
			return
		}
		s.remove(oldest)
	}
}

func (s *statisticsImages) remove(key statisticsColumn) {
	if image := s.images[key]; image != nil {
		s.memory -= image.memory
		delete(s.images, key)
	}
}

// commit brings the images up to date with a commit, before it can be seen. changes ascend by key of the store.
func (s *statisticsImages) commit(batch uint64, changes []statisticsChange) {
	if len(changes) == 0 {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.last = batch
	for collector := range s.readers {
		collector.pending = append(collector.pending, pendingChanges{batch: batch, changes: changes})
	}
	for key, image := range s.images {
		s.memory -= image.memory
		kept := image.apply(key, batch, changes)
		s.memory += image.memory
		if !kept {
			s.remove(key)
		}
	}
}

// apply appends the records that a commit adds; false when it does anything else to the column.
func (i *statisticsImage) apply(key statisticsColumn, batch uint64, changes []statisticsChange) bool {
	before := len(i.files)
	for _, change := range changes {
		if change.key != key {
			continue
		}
		if last := len(i.files) - 1; change.deleted || last >= 0 && i.files[last] >= change.file {
			return false
		}
		i.append(change.file, change.value)
	}
	if len(i.files) == before {
		return true
	}
	if len(i.marks) == imageMarks {
		i.marks = slices.Delete(i.marks, 0, imageMarks/2)
	}
	i.marks = append(i.marks, imageMark{batch: batch, length: len(i.files)})
	return i.memory <= imageMemory/2
}

// statisticsChanges reads the changes of file statistics off a batch.
func statisticsChanges(operations []store.Operation) (changes []statisticsChange) {
	prefix := keyspace.Prefix(keyspace.KindCurrentFileColumnStats)
	size := len(prefix) + fileColumnStatistics.components()*idSize
	for _, operation := range operations {
		if len(operation.Key) != size || string(operation.Key[:len(prefix)]) != string(prefix) {
			continue
		}
		ids := idsOf(operation.Key[len(prefix):])
		changes = append(changes, statisticsChange{
			key: statisticsColumn{table: ids[0], column: ids[2]}, file: ids[1],
			value: string(operation.Value), deleted: operation.Delete,
		})
	}
	slices.SortStableFunc(changes, func(a, b statisticsChange) int { return compareIDs(a.file, b.file) })
	return changes
}

// statisticsOf tells whether a scan is for one column of file statistics, of all files of one table.
func (c *recordCursor) statisticsOf() (statisticsColumn, bool) {
	if c.base.table != fileColumnStatistics.parent || !c.plan.skipped || c.withKeys || len(c.plan.ranges) != 1 ||
		len(c.plan.ranges[0].lower) != idSize {
		return statisticsColumn{}, false
	}
	return statisticsColumn{table: binary.BigEndian.Uint64(c.plan.ranges[0].lower), column: c.plan.skip}, true
}

// useImage makes the cursor read an image, or collect one.
func (c *recordCursor) useImage(ctx context.Context, reader store.Reader) error {
	key, ok := c.statisticsOf()
	if !ok {
		return nil
	}
	batch, err := batchCount(ctx, reader)
	if err != nil {
		return c.base.transaction.corrupt(err)
	}
	images := &c.base.transaction.catalog.statistics
	if files, values, found := images.find(key, batch); found {
		c.image = &imageScan{table: key.table, column: key.column, files: files, values: values}
		c.plan.ranges = nil
		return nil
	}
	c.collector, c.textual = images.collect(key, batch), true
	return nil
}

// collect adds the record that was just copied to the image, if one is being made.
func (c *recordCursor) collect(value []byte) {
	if c.collector != nil && !c.collector.add(c.scratchID[1], value) {
		c.collector.cancel()
		c.collector = nil
	}
}

// finishImage publishes the image of a scan that has come to its end.
func (c *recordCursor) finishImage() {
	if c.collector != nil {
		c.collector.publish()
		c.collector = nil
	}
}

// imageScan is a scan of an image.
type imageScan struct {
	table, column uint64
	files         []uint64
	values        []string
	next          int
}

// stepImage takes the next record of the image; false at the end.
func (c *recordCursor) stepImage() (bool, error) {
	scan := c.image
	if scan.next == len(scan.files) {
		return false, nil
	}
	c.scratchID = [maxComponents]uint64{scan.table, scan.files[scan.next], scan.column}
	value := scan.values[scan.next]
	scan.next++
	c.record.ids = c.scratchID[:]
	if err := keyspace.DecodeMessageAliased(bytesOf(value), c.record.message); err != nil {
		key := keyspace.FileColumnStatsEntity(scan.table, c.scratchID[1], scan.column).Current()
		return false, c.base.corrupt(key.Bytes(), err)
	}
	return true, c.emit()
}
