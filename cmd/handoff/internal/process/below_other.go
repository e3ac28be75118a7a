//go:build !linux

package process

// Adopt does nothing here.
func Adopt() error { return nil }

// Below finds none here.
func Below(int) []int { return nil }

// KillBelow does nothing here.
func KillBelow(int) {}

// KillMarked does nothing here.
func KillMarked(string) {}
