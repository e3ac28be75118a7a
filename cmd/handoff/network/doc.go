// Package network is the proof that agents on other machines are served.
//
// It has only tests, and nothing in them is played: every server is the real program, every client comes over a
// real socket. They are many at a time, hostile, slow and gone; what each was told is then compared with what
// the workspace holds, and what the server logged with what it must keep to itself.
package network
