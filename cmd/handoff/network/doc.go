// Package network tests that the server serves agents on other machines. Every server is the real program, and every
// client uses a real socket. Many clients run at a time: usual, slow, hostile and disappearing ones. Then the tests
// compare the answers with the content of the workspace, and search the server's log for secrets.
package network
