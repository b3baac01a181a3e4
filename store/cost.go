package store

// FollowCost is what it takes to follow a lake.
type FollowCost struct {
	// TailBytes and TailEntries are what is kept in memory of the writer's log.
	TailBytes, TailEntries int64
	// LogFiles and Bases are how many log files were read, and how often the tables under them were opened anew.
	LogFiles, Bases int64
}

// CostlyFollower is a [Follower] that can tell what it takes.
type CostlyFollower interface {
	Follower
	// Cost tells it as of the last Refresh.
	Cost() FollowCost
}
