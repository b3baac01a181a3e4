package bind

// nameDistance is the Levenshtein distance between two names, cut off at limit + 1.
func nameDistance(left, right string, limit int) int {
	if len(left)-len(right) > limit || len(right)-len(left) > limit {
		return limit + 1
	}
	previous, current := make([]int, len(right)+1), make([]int, len(right)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(left); i++ {
		current[0] = i
		for j := 1; j <= len(right); j++ {
			substitution := previous[j-1]
			if left[i-1] != right[j-1] {
				substitution++
			}
			current[j] = min(substitution, previous[j]+1, current[j-1]+1)
		}
		previous, current = current, previous
	}
	return min(previous[len(right)], limit+1)
}
