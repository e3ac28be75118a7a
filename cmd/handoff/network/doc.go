// Package network proves that agents on other machines are served.
//
// It has only tests, without stubs: every server is the real program, every client comes over a real socket. There
// are many clients at a time, hostile, slow and gone; the tests then compare the answers to each with the content of
// the workspace, and search the server's log for secrets.
package network
