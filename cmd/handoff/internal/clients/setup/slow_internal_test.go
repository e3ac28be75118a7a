package setup

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Only here the clock can be set: a client's command is another process.
func TestSlowStepIsTold(t *testing.T) {
	for took, told := range map[time.Duration]int{0: 0, time.Second: 0, 3 * time.Second: 1, time.Minute: 1} {
		synctest.Test(t, func(t *testing.T) {
			times, failed := 0, errors.New("failed")
			err := toldOf(func() error { time.Sleep(took); return failed }, func() { times++ })
			require.ErrorIs(t, err, failed)
			require.Equal(t, told, times, took)
		})
	}
}
