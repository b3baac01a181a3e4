package pgwire

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// discard is a client that takes everything.
type discard struct{ net.Conn }

func (discard) Write(bytes []byte) (int, error)  { return len(bytes), nil }
func (discard) SetWriteDeadline(time.Time) error { return nil }

// rowOfFive appends the values that a catalog row of 60 bytes has.
func rowOfFive(buffer []byte) ([]byte, error) {
	buffer = binary.BigEndian.AppendUint16(buffer, 5)
	for range 4 {
		buffer = binary.BigEndian.AppendUint32(buffer, 8)
		buffer = binary.BigEndian.AppendUint64(buffer, 42)
	}
	return binary.BigEndian.AppendUint32(buffer, 0xffffffff), nil
}

func BenchmarkRow(b *testing.B) {
	output := newOutput(discard{}, time.Minute)
	b.ReportAllocs()
	b.SetBytes(5 + 2 + 4*12 + 4)
	for b.Loop() {
		if err := output.Row(rowOfFive); err != nil {
			b.Fatal(err)
		}
	}
}

func TestRowsAndCopyDataDoNotAllocate(t *testing.T) {
	output := newOutput(discard{}, time.Minute)
	for name, write := range map[string]func(func([]byte) ([]byte, error)) error{"Row": output.Row, "CopyData": output.CopyData} {
		allocations := testing.AllocsPerRun(10_000, func() {
			if err := write(rowOfFive); err != nil {
				t.Fatal(err)
			}
		})
		if allocations != 0 {
			t.Errorf("%s allocates %v times", name, allocations)
		}
	}
}

// endless gives the same bytes again and again.
type endless struct {
	net.Conn
	bytes    []byte
	position int
}

func (e *endless) Read(into []byte) (int, error) {
	n := copy(into, e.bytes[e.position:])
	e.position = (e.position + n) % len(e.bytes)
	return n, nil
}

func BenchmarkNextMessage(b *testing.B) {
	message, err := (&pgproto3.CopyData{Data: make([]byte, 200)}).Encode(nil)
	if err != nil {
		b.Fatal(err)
	}
	input := newInput(&endless{bytes: message}, func() {})
	b.ReportAllocs()
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		if _, _, err := input.next(func(byte) int { return 1 << 20 }); err != nil && err != io.EOF {
			b.Fatal(err)
		}
	}
}
