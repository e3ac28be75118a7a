// Package docs_test keeps the documents true and the house in order: which package may import which, where each
// third-party package lives, and what the repository may contain. One table decides; the picture in ARCHITECTURE.md
// is drawn from it. What the documents show is computed, or executed.
package docs_test

// A room is one of our packages, or every package under a folder when its path
// ends in "/...".
type room struct {
	level   int
	path    string
	about   string
	imports []string // exactly those of our packages it imports, or everythingBelow
	owns    []string // third-party packages at home here: beside tests only rooms that name one import it, so that it can be replaced
}

// everythingBelow lets a room import all the rows before its own.
var everythingBelow = []string{"everything below"}

// house is built from the ground: a row imports only rows before it.
var house = []room{
	{level: 0, path: "schemas", about: "what is said"},
	{level: 0, path: "schemas/closest", about: "which name was meant"},
	{
		level: 0, path: "schemas/respell", about: "what others say, in our words",
		imports: []string{"schemas"},
	},
	{
		level: 0, path: "schemas/generate", about: "the published schemas, from the types",
		imports: []string{"schemas"},
		owns:    []string{"github.com/invopop/jsonschema"},
	},

	{
		level: 1, path: "store/ledger", about: "Merkle tree of the events",
		owns: []string{"golang.org/x/mod/sumdb"},
	},
	{
		level: 1, path: "store", about: "what is kept",
		imports: []string{"schemas", "store/ledger"},
	},

	{
		level: 2, path: "store/memory", about: "rows in memory",
		imports: []string{"store"},
	},
	{
		level: 2, path: "store/bolt", about: "rows in one file",
		imports: []string{"store"},
		owns:    []string{"go.etcd.io/bbolt"},
	},
	{
		level: 2, path: "store/bolt/byhand", about: "what figures are measured against",
		imports: []string{"store"},
		owns:    []string{"go.etcd.io/bbolt"},
	},
	{
		level: 2, path: "store/storetest", about: "what every store must do",
		imports: []string{"store", "store/memory"},
		owns:    []string{"github.com/stretchr/testify"},
	},
	{
		level: 2, path: "mailbox/roster", about: "who qualifies",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/brief", about: "what a receiver reads",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/contract", about: "asked against delivered",
		imports: []string{"schemas"},
		owns:    []string{"github.com/santhosh-tekuri/jsonschema/v6"},
	},
	{
		level: 2, path: "mailbox/life", about: "what may be done, and what follows",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/waiting", about: "who waits, in which order",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/presence", about: "who is here",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/names", about: "who has which name of a session",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/draw", about: "what a person sees",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox", about: "what is allowed",
		imports: []string{
			"schemas", "schemas/closest", "store",
			"mailbox/roster", "mailbox/brief", "mailbox/contract", "mailbox/life",
			"mailbox/waiting", "mailbox/presence", "mailbox/names", "mailbox/draw",
		},
	},
	{
		level: 2, path: "mailbox/mailboxtest", about: "a workspace for tests",
		imports: []string{"store", "store/memory", "store/bolt", "store/storetest", "mailbox"},
		owns:    []string{"github.com/stretchr/testify"},
	},

	{
		level: 3, path: "tools", about: "what is offered",
		imports: []string{"schemas", "schemas/closest", "schemas/respell", "mailbox"},
	},

	{
		level: 3, path: "tools/relay/platform", about: "what each operating system answers in its own way",
		owns: []string{"golang.org/x/sys"},
	},

	{
		level: 3, path: "tools/relay", about: "many processes, one store",
		imports: []string{"schemas", "tools", "tools/relay/platform"},
		owns:    []string{"golang.org/x/mod/semver"},
	},

	{
		level: 3, path: "tools/observe", about: "figures and traces",
		imports: []string{"schemas", "tools"},
		owns:    []string{"github.com/VictoriaMetrics/metrics", "go.opentelemetry.io", "google.golang.org/protobuf"},
	},

	{
		level: 4, path: "mcp/jsonrpc", about: "envelopes of messages, and which requests are open",
		owns: []string{"github.com/mark3labs/mcp-go"},
	},
	{
		level: 4, path: "mcp", about: "how it is spoken",
		imports: []string{"schemas", "tools", "mcp/jsonrpc"},
		owns:    []string{"github.com/mark3labs/mcp-go"},
	},

	{
		level: 4, path: "mcp/auth", about: "who calls over HTTP",
		imports: []string{"schemas", "tools"},
		owns:    []string{"github.com/coreos/go-oidc/v3", "github.com/go-jose/go-jose/v4", "golang.org/x/time"},
	},

	{level: 5, path: "cmd/handoff/internal/shell", about: "command lines, as a shell reads them"},
	{level: 5, path: "cmd/handoff/internal/git", about: "what a repository says of itself"},
	{
		level: 5, path: "cmd/handoff/internal/clients/client", about: "the table of clients",
		imports: []string{"cmd/handoff/internal/shell", "cmd/handoff/internal/git"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/edit", about: "text of configuration files",
		imports: []string{"cmd/handoff/internal/clients/client"},
		owns:    []string{"github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/installed", about: "what files of clients say of handoff",
		imports: []string{"schemas", "cmd/handoff/internal/clients/client", "cmd/handoff/internal/clients/edit"},
	},
	{
		level: 5, path: "cmd/handoff/internal/...", about: "what only the command line needs",
		imports: everythingBelow,
		owns:    []string{"golang.org/x/term", "golang.org/x/sys"},
	},
	{
		level: 5, path: "cmd/handoff/internal/cli", about: "what every command stands on",
		imports: everythingBelow,
		owns:    []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/setup", about: "clients configured, and as before",
		imports: everythingBelow,
		owns:    []string{"github.com/aymanbagabas/go-udiff"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/doctor", about: "what is wrong, and what mends it",
		imports: everythingBelow,
		owns:    []string{"golang.org/x/sys"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients", about: "setup and doctor, the two commands about clients",
		imports: everythingBelow,
		owns:    []string{"github.com/spf13/cobra"},
	},
	{
		level: 5, path: "cmd/handoff/internal/demo", about: "four agents at work, seen by a client",
		imports: everythingBelow,
		owns:    []string{"github.com/mark3labs/mcp-go"},
	},
	{
		level: 5, path: "cmd/handoff/together", about: "proof that processes share a store",
		imports: everythingBelow,
		owns:    []string{"github.com/anishathalye/porcupine"},
	},
	{
		level: 5, path: "cmd/handoff/network", about: "proof that agents elsewhere are served",
		imports: everythingBelow,
	},
	{
		level: 5, path: "cmd/handoff", about: "commands, wiring",
		imports: everythingBelow,
		owns:    []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/rogpeppe/go-internal", "go.yaml.in/yaml/v3"},
	},
}

// proving may be imported by every test: the stores, because tests run on real things, and what shows that processes
// have ended.
var proving = []string{"store/memory", "store/bolt", "store/bolt/byhand", "store/storetest", "mailbox/mailboxtest", "cmd/handoff/internal/process/processtest"}
