package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// candidate is an overload that a call with a number of arguments may mean.
type candidate struct {
	info       *FunctionInfo
	parameters []uint32 // declared type for each argument of the call
	result     uint32
	// places gives, for each argument of the call, its parameter; nil when they are in order.
	places    []int
	variadics int // arguments that a typed variadic parameter collects into an array; -1 for none
	spread    bool
	defaults  bool
	index     int
}

// signature is the types of a call after resolution.
type signature struct {
	Arguments []relation.Type
	Result    relation.Type
	// Spread tells that the last argument is an array marked VARIADIC that stands for the arguments of a variadic "any".
	Spread bool
}

// choose finds the overload that a call means among those that the filter accepts.
func choose(call *Call, filter func(*FunctionInfo) bool) (*candidate, error) {
	if len(call.Arguments) > MaximumArguments {
		return nil, pgerror.New(pgerror.TooManyArguments, "cannot pass more than %d arguments to a function", MaximumArguments)
	}
	var candidates []*candidate
	for _, info := range catalogue.functionsByName[call.Name] {
		if filter(info) {
			if c := newCandidate(info, call); c != nil {
				candidates = append(candidates, c)
			}
		}
	}
	actual := make([]uint32, len(call.Arguments))
	for i, argument := range call.Arguments {
		actual[i] = argument.OID
	}
	best, ambiguous := bestCandidate(candidates, actual)
	if best == nil {
		return nil, noFunction(call, ambiguous)
	}
	return best, nil
}

// newCandidate fits the arguments of a call to the parameters of an overload; nil when their number or names do not fit.
func newCandidate(info *FunctionInfo, call *Call) *candidate {
	c := &candidate{info: info, result: info.Result, variadics: -1}
	count, declared := len(call.Arguments), len(info.Arguments)
	if call.Star && count == 0 {
		if declared != 0 {
			return nil
		}
		return c
	}
	if call.ArgumentNames != nil && !c.placeByName(call) {
		return nil
	}
	if call.Variadic && info.Variadic == 0 {
		return nil
	}
	if info.Variadic != 0 && !call.Variadic && c.places == nil && count >= declared {
		c.parameters = append(c.parameters, info.Arguments[:declared-1]...)
		for range count - declared + 1 {
			c.parameters = append(c.parameters, info.Variadic)
		}
		if info.Variadic != AnyOID {
			c.variadics = count - declared + 1
		}
		return c
	}
	if count > declared || count < declared-info.DefaultCount {
		return nil
	}
	c.defaults = count < declared
	c.spread = call.Variadic && info.Variadic == AnyOID
	if c.places == nil {
		c.parameters = info.Arguments[:count]
		return c
	}
	for _, place := range c.places {
		c.parameters = append(c.parameters, info.Arguments[place])
	}
	return c
}

// placeByName finds the parameter of each argument in named notation; false when one has no parameter, or a parameter
// without a default has no argument.
func (c *candidate) placeByName(call *Call) bool {
	given := make([]bool, len(c.info.Arguments))
	for i, name := range call.ArgumentNames {
		place := i
		if name != "" {
			place = -1
			for j := range given {
				if j < len(c.info.Names) && c.info.Names[j] == name {
					place = j
				}
			}
		}
		if place < 0 || place >= len(given) || given[place] {
			return false
		}
		given[place] = true
		c.places = append(c.places, place)
	}
	for i := range given {
		if !given[i] && i < len(given)-c.info.DefaultCount {
			return false
		}
	}
	return true
}

// packs tells whether Evaluate has to see NULL arguments although the function is strict: those of a variadic array.
func (c *candidate) packs() bool { return c.variadics >= 0 }

// signature settles polymorphic types for the types of the arguments.
func (c *candidate) signature(actual []relation.Type) (*signature, error) {
	arguments, result, err := settlePolymorphic(c.parameters, actual, c.result)
	if err != nil {
		return nil, err
	}
	return &signature{Arguments: arguments, Result: result, Spread: c.spread}, nil
}

// adapt makes an Evaluate for the arguments of the call out of one for the parameters of the function.
func (c *candidate) adapt(evaluate Evaluate) Evaluate {
	switch {
	case c.places != nil || c.defaults:
		return c.adaptPlaces(evaluate)
	case c.variadics >= 0:
		return c.adaptVariadic(evaluate)
	}
	return evaluate
}

func (c *candidate) adaptPlaces(evaluate Evaluate) Evaluate {
	defaults := defaultValues(c.info)
	declared, places := len(c.info.Arguments), c.places
	return func(context *Context, arguments []relation.Value) (relation.Value, error) {
		full := make([]relation.Value, declared)
		copy(full[declared-len(defaults):], defaults)
		for i, argument := range arguments {
			if places == nil {
				full[i] = argument
			} else {
				full[places[i]] = argument
			}
		}
		return evaluate(context, full)
	}
}

func (c *candidate) adaptVariadic(evaluate Evaluate) Evaluate {
	fixed, element, strict := len(c.info.Arguments)-1, c.info.Variadic, c.info.Strict
	return func(context *Context, arguments []relation.Value) (relation.Value, error) {
		full := make([]relation.Value, fixed+1)
		copy(full, arguments[:fixed])
		if strict {
			for _, argument := range full[:fixed] {
				if argument.IsNull() {
					return relation.NULL, nil
				}
			}
		}
		full[fixed] = NewArray(element, arguments[fixed:])
		return evaluate(context, full)
	}
}

// defaultValues reads the defaults of a function's last parameters. PostgreSQL prints them as a list of constants.
func defaultValues(info *FunctionInfo) []relation.Value {
	if info.DefaultCount == 0 {
		return nil
	}
	format := DefaultFormat()
	values := make([]relation.Value, 0, info.DefaultCount)
	types := info.Arguments[len(info.Arguments)-info.DefaultCount:]
	for _, text := range splitDefaults(info.Defaults) {
		if len(values) == len(types) {
			break
		}
		if text == "NULL" {
			values = append(values, relation.NULL)
			continue
		}
		value, err := inputPlain(typeOf(types[len(values)]), text, &format)
		if err != nil {
			value = relation.NULL
		}
		values = append(values, value)
	}
	return values
}

// splitDefaults cuts a list of constants such as 0, 'now'::text, NULL::text[] into the texts of the constants.
func splitDefaults(list string) []string {
	var texts []string
	for list != "" {
		var text string
		if list[0] == '\'' {
			end := 1
			for end < len(list) && list[end] != '\'' {
				end++
			}
			text, list = list[1:end], list[min(end+1, len(list)):]
		} else {
			end := 0
			for end < len(list) && list[end] != ',' && list[end] != ':' {
				end++
			}
			text, list = list[:end], list[end:]
		}
		for list != "" && list[0] != ',' {
			list = list[1:]
		}
		if list != "" {
			list = trimSpace(list[1:])
		}
		texts = append(texts, text)
	}
	return texts
}

// bestCandidate chooses by PostgreSQL's rules ("Operator Type Resolution", "Function Type Resolution"). It gives nil when
// none fits, or when several fit equally well (ambiguous).
func bestCandidate(candidates []*candidate, actual []uint32) (best *candidate, ambiguous bool) {
	for _, c := range candidates {
		if equalTypes(c.parameters, actual) && (best == nil || best.variadics >= 0 || best.defaults) {
			best = c
		}
	}
	if best != nil {
		return best, false
	}
	var fitting []*candidate
	for _, c := range candidates {
		if c.fits(actual) {
			fitting = append(fitting, c)
		}
	}
	fitting = dropShadowed(fitting)
	if len(fitting) <= 1 {
		if len(fitting) == 0 {
			return nil, false
		}
		return fitting[0], false
	}
	best = selectCandidate(fitting, actual)
	return best, best == nil
}

func equalTypes(a, b []uint32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// fits tells whether all arguments can be converted implicitly.
func (c *candidate) fits(actual []uint32) bool {
	if len(actual) != len(c.parameters) {
		return false
	}
	polymorphic := isPolymorphic(c.result)
	for i, parameter := range c.parameters {
		if !canCoerce(actual[i], parameter, CastImplicit) {
			return false
		}
		polymorphic = polymorphic || isPolymorphic(parameter)
	}
	return !polymorphic || consistentPolymorphic(c.parameters, actual)
}

// dropShadowed removes overloads whose effective parameters equal those of another that needs no variadic parameter and
// no defaults.
func dropShadowed(candidates []*candidate) []*candidate {
	var kept []*candidate
	for i, c := range candidates {
		shadowed := false
		for j, other := range candidates {
			if i != j && equalTypes(c.parameters, other.parameters) && c.burden() > other.burden() {
				shadowed = true
			}
		}
		if !shadowed {
			kept = append(kept, c)
		}
	}
	return kept
}

func (c *candidate) burden() int {
	burden := 0
	if c.defaults {
		burden++
	}
	if c.info != nil && c.info.Variadic != 0 {
		burden += 2
	}
	return burden
}

// selectCandidate applies the rules for more than one fitting overload, in the order of the manual.
func selectCandidate(candidates []*candidate, actual []uint32) *candidate {
	candidates = keepMost(candidates, func(c *candidate) int { return c.exactMatches(actual, false) })
	if len(candidates) == 1 {
		return candidates[0]
	}
	candidates = keepMost(candidates, func(c *candidate) int { return c.exactMatches(actual, true) })
	if len(candidates) == 1 {
		return candidates[0]
	}
	unknowns := 0
	for _, oid := range actual {
		if oid == relation.UnknownOID {
			unknowns++
		}
	}
	if unknowns == 0 {
		return nil
	}
	candidates = keepByCategory(candidates, actual)
	if len(candidates) == 1 {
		return candidates[0]
	}
	if unknowns == len(actual) {
		return nil
	}
	return assumeSameType(candidates, actual)
}

// exactMatches counts known arguments of the declared type, and with preferred those whose parameter is a preferred type
// of their category.
func (c *candidate) exactMatches(actual []uint32, preferred bool) int {
	count := 0
	for i, oid := range actual {
		if oid == relation.UnknownOID {
			continue
		}
		if c.parameters[i] == oid || (preferred && isPreferred(c.parameters[i], categoryOf(oid))) {
			count++
		}
	}
	return count
}

func keepMost(candidates []*candidate, score func(*candidate) int) []*candidate {
	var kept []*candidate
	most := -1
	for _, c := range candidates {
		switch value := score(c); {
		case value > most:
			most, kept = value, []*candidate{c}
		case value == most:
			kept = append(kept, c)
		}
	}
	return kept
}

func categoryOf(oid uint32) byte {
	if info := TypeByOID(oid); info != nil {
		return info.Category
	}
	return 0
}

func isPreferred(oid uint32, category byte) bool {
	info := TypeByOID(oid)
	return info != nil && info.Preferred && info.Category == category
}

// keepByCategory settles the category of each unknown argument (string if any candidate accepts it) and keeps the
// candidates that agree, those with preferred types if there are any.
func keepByCategory(candidates []*candidate, actual []uint32) []*candidate {
	categories := make([]byte, len(actual))
	preferred := make([]bool, len(actual))
	for i, oid := range actual {
		if oid != relation.UnknownOID {
			continue
		}
		conflict := false
		for j, c := range candidates {
			info := TypeByOID(c.parameters[i])
			if info == nil {
				continue
			}
			switch {
			case j == 0:
				categories[i], preferred[i] = info.Category, info.Preferred
			case info.Category == categories[i]:
				preferred[i] = preferred[i] || info.Preferred
			case info.Category == 'S':
				categories[i], preferred[i] = 'S', info.Preferred
			default:
				conflict = true
			}
		}
		if conflict && categories[i] != 'S' {
			return candidates
		}
	}
	var kept []*candidate
	for _, c := range candidates {
		if c.agrees(actual, categories, preferred) {
			kept = append(kept, c)
		}
	}
	if kept == nil {
		return candidates
	}
	return kept
}

func (c *candidate) agrees(actual []uint32, categories []byte, preferred []bool) bool {
	for i, oid := range actual {
		if oid != relation.UnknownOID {
			continue
		}
		info := TypeByOID(c.parameters[i])
		if info == nil || info.Category != categories[i] || (preferred[i] && !info.Preferred) {
			return false
		}
	}
	return true
}

// assumeSameType takes unknown arguments to have the type of the known ones, when these are all of one type.
func assumeSameType(candidates []*candidate, actual []uint32) *candidate {
	known := uint32(relation.UnknownOID)
	for _, oid := range actual {
		if oid == relation.UnknownOID {
			continue
		}
		if known != relation.UnknownOID && known != oid {
			return nil
		}
		known = oid
	}
	assumed := make([]uint32, len(actual))
	for i := range assumed {
		assumed[i] = known
	}
	var chosen *candidate
	for _, c := range candidates {
		if c.fits(assumed) {
			if chosen != nil {
				return nil
			}
			chosen = c
		}
	}
	return chosen
}
