package main

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostOfBefore is the share of the bytes of the version in before.tsv that the answers of the scenario may take.
const mostOfBefore = 62

func TestScenario_CostsLessThanBefore(t *testing.T) {
	out := runExample(t, "./scenario/play.sh")
	t.Log("\n" + out)
	all := regexp.MustCompile(`(?m)^all +\d+ +\d+ +(\d+) +(\d+) `).FindStringSubmatch(out)
	require.NotNil(t, all, out)
	before, err := strconv.Atoi(all[1])
	require.NoError(t, err)
	now, err := strconv.Atoi(all[2])
	require.NoError(t, err)
	require.LessOrEqual(t, 100*now/before, mostOfBefore, out)
}
