//go:build unix

package network_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"

	sdk "github.com/mark3labs/mcp-go/mcp"
	sdkserver "github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"
)

// asEmpty in the environment makes this program an empty server: that of the SDK, with one tool that does nothing.
// It is what figures are compared with.
const asEmpty = "HANDOFF_EMPTY_SERVER"

const nothing = "nothing" // the tool

// serveNothing serves until standard input ends, and says where on standard output.
func serveNothing() {
	mcp := sdkserver.NewMCPServer("empty", "1")
	mcp.AddTool(sdk.NewTool(nothing), func(context.Context, sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return sdk.NewToolResultText("{}"), nil
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	server := &http.Server{Handler: sdkserver.NewStreamableHTTPServer(mcp)}
	go func() { _ = server.Serve(listener) }()
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // the end of the test
	_ = server.Close()
}

// serveEmpty starts an empty server in a process of its own, and gives its address.
func (s *site) serveEmpty() (url string) {
	s.t.Helper()
	self, err := os.Executable()
	require.NoError(s.t, err)
	cmd := exec.CommandContext(s.ctx, self)
	cmd.Env = append(os.Environ(), asEmpty+"=1")
	in, err := cmd.StdinPipe()
	require.NoError(s.t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // it was only there to be compared with
	})
	_, err = fmt.Fscanln(out, &url)
	require.NoError(s.t, err)
	return url
}
