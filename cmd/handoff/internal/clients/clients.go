// Package clients has the commands setup and doctor, and all knowledge about clients: the programs that agents run in,
// such as Claude Code and Codex.
//
// Package client is the table of clients. Package edit changes the text of a configuration file. Package installed
// finds the entries and hooks of handoff in these files. Package setup writes handoff into the files and removes it
// again. Package doctor examines clients, store and project for faults.
//
// The folder examples has plugins, which clients install without setup. The tests of this package compare the plugins
// with the table.
package clients

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"embed"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/git"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/relay"
)

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.HelpText].
//
//go:embed help_*.txt
var helpTexts embed.FS

// describeMachine returns the facts about this machine that the table of clients needs. The project is the working tree
// of git. Outside of git it is the current directory.
func describeMachine(a *cli.App) (client.Machine, error) {
	m := client.Machine{Getenv: a.Getenv, Home: workspace.Home(a.Getenv)}
	if !filepath.IsAbs(m.Home) {
		return m, schemas.Errorf(schemas.Unavailable, "there is no home directory: HOME is not set").WithHint("Set HOME.")
	}
	dir, err := a.WorkspaceConfig().ProjectDir()
	if err != nil {
		return m, err
	}
	m.Project = dir
	atHome := func(dir string) bool { return dir == m.Home || dir == filepath.Dir(dir) }
	if repository, ok := git.FindRepository(dir, atHome); ok && repository.Root != "" {
		m.Project = repository.Root
	}
	return m, nil
}

// selectClients returns the clients with the given names. Without names it returns all clients if all is true, and
// otherwise the clients that it finds on the machine.
func selectClients(m client.Machine, names []string, all bool) (clients []client.Client, err error) {
	for _, name := range names {
		c, ok := client.ByName(name)
		if !ok {
			return nil, schemas.Invalidf("CLIENT", "%q is no client that is known here", schemas.EscapeHidden(name)).
				WithChoices(client.Names()...).WithHint("handoff setup --print cursor shows an entry that other clients understand as well.")
		}
		if !slices.ContainsFunc(clients, func(other client.Client) bool { return other.Name == c.Name }) {
			clients = append(clients, c)
		}
	}
	if len(names) > 0 {
		return clients, nil
	}
	clients = slices.DeleteFunc(client.All(), func(c client.Client) bool { return !all && !c.IsFoundOn(m) })
	if len(clients) == 0 {
		return nil, schemas.Errorf(schemas.NotFound, "no client was found on this machine").
			WithHint("Name one, as in handoff setup claude-code, or write the files of all with --all.").
			WithChoices(client.Names()...)
	}
	return clients, nil
}

// newHTTPClient returns an HTTP client that follows no redirects and keeps no connection open. It trusts the
// certificates that c trusts: those of the system, and those in the file of CertVariable.
func newHTTPClient(m client.Machine, c client.Client) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	roots, err := x509.SystemCertPool()
	if text, unread := os.ReadFile(m.Getenv(c.CertVariable)); err == nil && unread == nil && roots.AppendCertsFromPEM(text) {
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// openWorkspace connects doctor with a workspace. The workspace is in the database of node. If node is nil, it is in
// files.
func openWorkspace(ctx context.Context, a *cli.App, ws workspace.Workspace, node *cluster.Node) (*relay.Relay, error) {
	return open.Mailboxes(ctx, open.Config{
		Name: ws.Name, Dir: ws.Dir, Cluster: node, Runtime: a.Getenv("XDG_RUNTIME_DIR"), Version: a.Release.Version,
		Now: a.Now, Awake: a.Awake, Logger: slog.New(slog.DiscardHandler),
	})
}
