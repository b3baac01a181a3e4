package function

import (
	_ "embed" // the recorded catalogue
	"fmt"
	"strconv"
	"strings"
)

// The rows of PostgreSQL's catalogue, recorded by catalog/record.sh: a header line, then tab-separated fields.
var (
	//go:embed catalog/types.tsv
	typeRows string
	//go:embed catalog/functions.tsv
	functionRows string
	//go:embed catalog/operators.tsv
	operatorRows string
	//go:embed catalog/casts.tsv
	castRows string
	//go:embed catalog/aggregates.tsv
	aggregateRows string
)

// FunctionKind is pg_proc.prokind.
type FunctionKind byte

// Kinds of functions.
const (
	PlainFunction     FunctionKind = 'f'
	AggregateFunction FunctionKind = 'a'
	WindowFunction    FunctionKind = 'w'
	Procedure         FunctionKind = 'p'
)

// FunctionInfo is a row of pg_proc.
type FunctionInfo struct {
	OID          uint32
	Name         string
	Source       string // prosrc; of SQL functions and aggregates name(argument types)
	Kind         FunctionKind
	ReturnsSet   bool
	Strict       bool
	Volatility   Volatility
	Result       uint32
	Arguments    []uint32 // proargtypes
	Variadic     uint32   // element type of the variadic parameter, 0 for none
	DefaultCount int
	Defaults     string   // SQL text of the defaults of the last DefaultCount parameters
	Modes        string   // proargmodes, one letter for each of AllArguments; "" when all are IN
	AllArguments []uint32 // proallargtypes; nil when all are IN
	Names        []string // proargnames; nil when there are none
	Language     uint32
	Leakproof    bool
	Parallel     byte
	Cost         float64
	Rows         float64
}

// OperatorInfo is a row of pg_operator.
type OperatorInfo struct {
	OID         uint32
	Name        string
	Kind        byte // 'b' binary, 'l' prefix
	Merges      bool
	Hashes      bool
	Left        uint32 // 0 for a prefix operator
	Right       uint32
	Result      uint32
	Commutator  uint32
	Negator     uint32
	Function    uint32
	Restriction uint32
	Join        uint32
}

// CastInfo is a row of pg_cast.
type CastInfo struct {
	OID      uint32
	Source   uint32
	Target   uint32
	Function uint32      // 0 when Method is not 'f'
	Context  CastContext // the widest context that may use the cast
	Method   byte        // 'f' function, 'b' binary coercible, 'i' text input and output
}

// AggregateInfo is a row of pg_aggregate.
type AggregateInfo struct {
	Function        uint32
	Kind            byte // 'n' normal, 'o' ordered set, 'h' hypothetical set
	DirectArguments int
	Transition      uint32
	Final           uint32
	State           uint32
	SortOperator    uint32
}

type castKey struct{ source, target uint32 }

// catalogue holds the recorded rows and the ways to look them up. It is filled when the program starts and never changes.
var catalogue struct {
	types           []*TypeInfo
	typesByOID      map[uint32]*TypeInfo
	typesByName     map[string]*TypeInfo
	functions       []*FunctionInfo
	functionsByOID  map[uint32]*FunctionInfo
	functionsByName map[string][]*FunctionInfo
	operators       []*OperatorInfo
	operatorsByOID  map[uint32]*OperatorInfo
	operatorsByName map[string][]*OperatorInfo
	casts           []*CastInfo
	castsByKey      map[castKey]*CastInfo
	aggregates      []*AggregateInfo
	aggregatesByOID map[uint32]*AggregateInfo
	codecs          map[uint32]*codec
	implementations map[string]implementation
	accumulators    map[string]accumulatorFactory
	windows         map[string]windowFunction
	sets            map[string]setFunction
}

// Functions gives the rows of pg_proc by ascending OID; functions without an implementation are among them (see
// FunctionInfo.Supported). The slice is shared: do not change it.
func Functions() []*FunctionInfo { return catalogue.functions }

// FunctionByOID gives a function; nil when there is none.
func FunctionByOID(oid uint32) *FunctionInfo { return catalogue.functionsByOID[oid] }

// FunctionsByName gives the overloads of a name.
func FunctionsByName(name string) []*FunctionInfo { return catalogue.functionsByName[name] }

// Operators gives the rows of pg_operator by ascending OID.
func Operators() []*OperatorInfo { return catalogue.operators }

// OperatorByOID gives an operator; nil when there is none.
func OperatorByOID(oid uint32) *OperatorInfo { return catalogue.operatorsByOID[oid] }

// Casts gives the rows of pg_cast.
func Casts() []*CastInfo { return catalogue.casts }

// Aggregates gives the rows of pg_aggregate.
func Aggregates() []*AggregateInfo { return catalogue.aggregates }

func init() {
	loadTypes()
	loadFunctions()
	loadOperators()
	loadCasts()
	loadAggregates()
	loadKeywords()
	loadTimeZones()
	catalogue.codecs = allCodecs()
	catalogue.implementations = allImplementations()
	catalogue.accumulators = allAccumulators()
	catalogue.windows = allWindowFunctions()
	catalogue.sets = allSetFunctions()
}

func loadTypes() {
	catalogue.typesByOID = map[uint32]*TypeInfo{}
	catalogue.typesByName = map[string]*TypeInfo{}
	eachRow(typeRows, func(r *fieldReader) {
		t := &TypeInfo{OID: r.oid(), Name: r.text(), Length: int16(r.int()), ByValue: r.bool(), Kind: TypeKind(r.byte()),
			Category: r.byte(), Preferred: r.bool(), Delimiter: r.byte(), Element: r.oid(), Array: r.oid(), Input: r.oid(),
			Output: r.oid(), Receive: r.oid(), Send: r.oid(), ModifierInput: r.oid(), ModifierOutput: r.oid(),
			Align: r.byte(), Storage: r.byte(), Collation: r.oid(), Subscript: r.oid()}
		catalogue.types = append(catalogue.types, t)
		catalogue.typesByOID[t.OID] = t
		catalogue.typesByName[t.Name] = t
	})
}

func loadFunctions() {
	catalogue.functionsByOID = map[uint32]*FunctionInfo{}
	catalogue.functionsByName = map[string][]*FunctionInfo{}
	eachRow(functionRows, func(r *fieldReader) {
		f := &FunctionInfo{OID: r.oid(), Name: r.text(), Source: r.text(), Kind: FunctionKind(r.byte()), ReturnsSet: r.bool(),
			Strict: r.bool(), Volatility: Volatility(r.byte()), Result: r.oid(), Arguments: r.oids(), Variadic: r.oid(),
			DefaultCount: r.int(), Defaults: r.text(), Modes: r.text(), AllArguments: r.oids(), Names: r.names(),
			Language: r.oid(), Leakproof: r.bool(), Parallel: r.byte(), Cost: r.float(), Rows: r.float()}
		catalogue.functions = append(catalogue.functions, f)
		catalogue.functionsByOID[f.OID] = f
		catalogue.functionsByName[f.Name] = append(catalogue.functionsByName[f.Name], f)
	})
}

func loadOperators() {
	catalogue.operatorsByOID = map[uint32]*OperatorInfo{}
	catalogue.operatorsByName = map[string][]*OperatorInfo{}
	eachRow(operatorRows, func(r *fieldReader) {
		o := &OperatorInfo{OID: r.oid(), Name: r.text(), Kind: r.byte(), Merges: r.bool(), Hashes: r.bool(), Left: r.oid(),
			Right: r.oid(), Result: r.oid(), Commutator: r.oid(), Negator: r.oid(), Function: r.oid(), Restriction: r.oid(),
			Join: r.oid()}
		catalogue.operators = append(catalogue.operators, o)
		catalogue.operatorsByOID[o.OID] = o
		catalogue.operatorsByName[o.Name] = append(catalogue.operatorsByName[o.Name], o)
	})
}

func loadCasts() {
	catalogue.castsByKey = map[castKey]*CastInfo{}
	eachRow(castRows, func(r *fieldReader) {
		c := &CastInfo{OID: r.oid(), Source: r.oid(), Target: r.oid(), Function: r.oid(), Context: CastContext(r.byte()),
			Method: r.byte()}
		catalogue.casts = append(catalogue.casts, c)
		catalogue.castsByKey[castKey{c.Source, c.Target}] = c
	})
}

func loadAggregates() {
	catalogue.aggregatesByOID = map[uint32]*AggregateInfo{}
	eachRow(aggregateRows, func(r *fieldReader) {
		a := &AggregateInfo{Function: r.oid(), Kind: r.byte(), DirectArguments: r.int(), Transition: r.oid(), Final: r.oid(),
			State: r.oid(), SortOperator: r.oid()}
		catalogue.aggregates = append(catalogue.aggregates, a)
		catalogue.aggregatesByOID[a.Function] = a
	})
}

// eachRow calls row for each line after the header. The rows are part of the program, so a malformed one is a defect of
// the build and panics at start.
func eachRow(rows string, row func(*fieldReader)) {
	_, rest, _ := strings.Cut(rows, "\n")
	for line := range strings.Lines(rest) {
		reader := fieldReader{rest: strings.TrimSuffix(line, "\n")}
		row(&reader)
		if reader.rest != "" {
			panic("recorded catalogue: fields left in " + line)
		}
	}
}

// fieldReader reads the fields of one recorded row in order.
type fieldReader struct{ rest string }

func (r *fieldReader) text() string {
	field, rest, _ := strings.Cut(r.rest, "\t")
	r.rest = rest
	return field
}

func (r *fieldReader) int() int {
	field := r.text()
	value, err := strconv.Atoi(field)
	if err != nil {
		panic(fmt.Sprintf("recorded catalogue: %v", err))
	}
	return value
}

func (r *fieldReader) oid() uint32 { return uint32(r.int()) }

func (r *fieldReader) float() float64 {
	value, err := strconv.ParseFloat(r.text(), 64)
	if err != nil {
		panic(fmt.Sprintf("recorded catalogue: %v", err))
	}
	return value
}

func (r *fieldReader) bool() bool { return r.text() == "t" }

func (r *fieldReader) byte() byte {
	field := r.text()
	if field == "" {
		return 0
	}
	return field[0]
}

func (r *fieldReader) names() []string {
	field := r.text()
	if field == "" {
		return nil
	}
	return strings.Split(field, " ")
}

func (r *fieldReader) oids() []uint32 {
	var oids []uint32
	for _, field := range r.names() {
		value, err := strconv.ParseUint(field, 10, 32)
		if err != nil {
			panic(fmt.Sprintf("recorded catalogue: %v", err))
		}
		oids = append(oids, uint32(value))
	}
	return oids
}
