package postgrestest

import (
	"syscall"
	"testing"
)

func serverUser(testing.TB, string) *syscall.SysProcAttr { return nil }
