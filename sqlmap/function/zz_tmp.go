package function

func formatFunctions() evaluates { return nil }
