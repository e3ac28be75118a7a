package doctor

// Room judges a disk: a full one cannot be had in a test.
func Room(free, all uint64) Finding { return disk{free, all}.judged("/") }
