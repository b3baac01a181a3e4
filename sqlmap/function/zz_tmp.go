package function

func textFunctions() evaluates                       { return nil }
func byteFunctions() evaluates                       { return nil }
func patternFunctions() evaluates                    { return nil }
func datetimeFunctions() evaluates                   { return nil }
func intervalFunctions() evaluates                   { return nil }
func extractFunctions() evaluates                    { return nil }
func formatFunctions() evaluates                     { return nil }
func bitFunctions() evaluates                        { return nil }
func jsonFunctions() evaluates                       { return nil }
func jsonbFunctions() evaluates                      { return nil }
func castFunctions() evaluates                       { return nil }
func systemFunctions() evaluates                     { return nil }
func describeFunctions() evaluates                   { return nil }
func privilegeFunctions() evaluates                  { return nil }
func inputOutputFunctions() evaluates                { return nil }
func aggregateSupport() evaluates                    { return nil }
func arrayFunctions() specialises                    { return nil }
func polymorphicFunctions() specialises              { return nil }
func jsonBuilders() specialises                      { return nil }
func recordFunctions() specialises                   { return nil }
func allAccumulators() map[string]accumulatorFactory { return nil }
func allSetFunctions() map[string]setFunction        { return nil }
func QuoteIdentifier(name string) string             { return name }
