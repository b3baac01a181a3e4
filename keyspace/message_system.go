package keyspace

// FormatValue is sys/format: the layout of the store, and who stamped it. A store without it was never initialised.
type FormatValue struct {
	FormatVersion uint64
	WriterVersion string // informational
	// Unknown is the fields that this package does not know, as they were: a new stamp keeps them, such as the origin of a
	// catalog with a commit log (RFC 0002).
	Unknown []byte
}

func (*FormatValue) name() string { return "FormatValue" }

// Append implements [Message].
func (v *FormatValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.FormatVersion)
	dst = appendString(dst, 2, v.WriterVersion)
	return append(dst, v.Unknown...)
}

func (v *FormatValue) decode(payload []byte, aliased bool) error {
	*v = FormatValue{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.FormatVersion = p.uint64()
		case 2:
			v.WriterVersion = p.string()
		default:
			v.Unknown = p.keep(v.Unknown)
		}
	}
	return p.err
}

// HeadValue is sys/head: the latest snapshot, and how many batches have changed catalog state.
type HeadValue struct {
	SnapshotID    uint64
	BatchSequence uint64
	Unknown       []byte // as in [FormatValue]
}

func (*HeadValue) name() string { return "HeadValue" }

// Append implements [Message].
func (v *HeadValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.SnapshotID)
	dst = appendUint64(dst, 2, v.BatchSequence)
	return append(dst, v.Unknown...)
}

func (v *HeadValue) decode(payload []byte, aliased bool) error {
	*v = HeadValue{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.SnapshotID = p.uint64()
		case 2:
			v.BatchSequence = p.uint64()
		default:
			v.Unknown = p.keep(v.Unknown)
		}
	}
	return p.err
}

// MigrationValue is sys/migration: present only while the format is being raised by one step.
type MigrationValue struct {
	FromFormat uint64
	ToFormat   uint64
	Cursor     []byte // the last key done, empty at the start
}

func (*MigrationValue) name() string { return "MigrationValue" }

// Append implements [Message].
func (v *MigrationValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.FromFormat)
	dst = appendUint64(dst, 2, v.ToFormat)
	return appendBytes(dst, 3, v.Cursor)
}

func (v *MigrationValue) decode(payload []byte, aliased bool) error {
	*v = MigrationValue{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.FromFormat = p.uint64()
		case 2:
			v.ToFormat = p.uint64()
		case 3:
			v.Cursor = p.bytes()
		default:
			p.skip()
		}
	}
	return p.err
}

// MaintenanceStatusValue is sys/maintenance_status: the latest passes of maintenance, oldest first.
type MaintenanceStatusValue struct {
	Passes []MaintenanceStatusPassValue
}

func (*MaintenanceStatusValue) name() string { return "MaintenanceStatusValue" }

// Append implements [Message].
func (v *MaintenanceStatusValue) Append(dst []byte) []byte {
	return appendEmbeddedList(dst, 1, v.Passes)
}

func (v *MaintenanceStatusValue) decode(payload []byte, aliased bool) error {
	*v = MaintenanceStatusValue{Passes: v.Passes[:0]}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.Passes = parseElement(&p, v.Passes)
		default:
			p.skip()
		}
	}
	return p.err
}

// MaintenanceStatusPassValue is one pass of maintenance.
type MaintenanceStatusPassValue struct {
	StartedAtMicros int64  // microseconds since 1970-01-01 UTC
	Trigger         string // scheduled, manual
	Steps           []MaintenanceStatusStepValue
}

// Append appends the message to dst.
func (v *MaintenanceStatusPassValue) Append(dst []byte) []byte {
	dst = appendInt64(dst, 1, v.StartedAtMicros)
	dst = appendString(dst, 2, v.Trigger)
	return appendEmbeddedList(dst, 3, v.Steps)
}

func (v *MaintenanceStatusPassValue) decode(payload []byte, aliased bool) error {
	*v = MaintenanceStatusPassValue{Steps: v.Steps[:0]}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.StartedAtMicros = p.int64()
		case 2:
			v.Trigger = p.string()
		case 3:
			v.Steps = parseElement(&p, v.Steps)
		default:
			p.skip()
		}
	}
	return p.err
}

// MaintenanceStatusStepValue is what one step of a pass did.
type MaintenanceStatusStepValue struct {
	Step   string
	Status string // ran, skipped, failed
	Detail string
}

// Append appends the message to dst.
func (v *MaintenanceStatusStepValue) Append(dst []byte) []byte {
	dst = appendString(dst, 1, v.Step)
	dst = appendString(dst, 2, v.Status)
	return appendString(dst, 3, v.Detail)
}

func (v *MaintenanceStatusStepValue) decode(payload []byte, aliased bool) error {
	*v = MaintenanceStatusStepValue{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.Step = p.string()
		case 2:
			v.Status = p.string()
		case 3:
			v.Detail = p.string()
		default:
			p.skip()
		}
	}
	return p.err
}
