package overlay

import "moraine/relation"

// FunctionSource is a Domain that offers functions.
type FunctionSource interface {
	Domain
	// Function gives the function of that name; nil when the domain has none.
	Function(name string) *relation.TableFunction
}
