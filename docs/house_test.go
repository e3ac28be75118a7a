// Package docs_test checks the documents and the structure of the repository. The table house lists each package with
// the packages that it may import. ARCHITECTURE.md shows a picture of this table. Tests also run the commands that
// the documents show, and compare the output with the documents.
package docs_test

// room is a row of the table house: one of our packages, or all packages below a folder if its path ends in "/...".
type room struct {
	level   int
	path    string
	about   string
	imports []string // the exact list of our packages that it imports, or everythingBelow
	owns    []string // third-party packages that only this room and tests may import, so that they can be replaced
}

// everythingBelow is the list of imports of a room that may import all rows before its own row.
var everythingBelow = []string{"everything below"}

// house lists all packages, from the lowest level to the highest. A row imports only rows before it.
var house = []room{
	{level: 0, path: "schemas/sandbox", about: "a home and PATH for tests, and the switch for proofs"},
	{
		level: 0, path: "schemas/golden", about: "comparison of output with golden files",
		owns: []string{"github.com/stretchr/testify"},
	},
	{level: 0, path: "schemas", about: "messages, statuses, limits and error codes", owns: []string{"github.com/go-json-experiment/json"}},
	{level: 0, path: "schemas/closest", about: "the closest known name"},
	{level: 0, path: "schemas/respell/respelltest", about: "tests that no field of a message is lost"},
	{
		level: 0, path: "schemas/respell", about: "foreign and misspelt messages, normalised",
		imports: []string{"schemas", "schemas/closest"},
	},
	{
		level: 0, path: "schemas/display", about: "texts for people: columns, colours, words",
		imports: []string{"schemas"},
	},
	// This package is on the lowest level, because it imports none of our packages. It is in the folder tools, because
	// the folders at the top of the repository are fixed.
	{
		level: 0, path: "tools/platform", about: "files, locks and processes of each operating system",
		owns: []string{"golang.org/x/sys"},
	},
	{level: 0, path: "tools/platform/platformtest", about: "tests that a process ended with its program"},
	{
		level: 0, path: "schemas/generate", about: "generates the JSON Schemas from the types",
		imports: []string{"schemas"},
		owns:    []string{"github.com/invopop/jsonschema"},
	},

	{
		level: 1, path: "store/ledger", about: "Merkle tree of the events",
		owns: []string{"golang.org/x/mod/sumdb"},
	},
	{
		level: 1, path: "store", about: "typed rows: records, events, mail",
		imports: []string{"schemas", "store/ledger"},
	},
	{
		level: 1, path: "store/audit", about: "verification of rows",
		imports: []string{"schemas", "store/ledger", "store"},
	},
	{
		level: 1, path: "store/travel", about: "rows moved to another store",
		imports: []string{"schemas", "store/ledger", "store", "store/audit"},
	},

	{
		level: 2, path: "store/memory", about: "rows in memory",
		imports: []string{"store"},
		owns:    []string{"github.com/tidwall/btree"},
	},
	{
		level: 2, path: "store/calls", about: "calls that wait for one writer",
		imports: []string{"store"},
	},
	{
		level: 2, path: "store/bolt", about: "rows in one file",
		imports: []string{"tools/platform", "store", "store/calls"},
		owns:    []string{"go.etcd.io/bbolt"},
	},
	{
		level: 2, path: "store/postgres", about: "rows in a database",
		imports: []string{"store", "store/calls"},
		owns:    []string{"github.com/jackc/pgx", "github.com/tidwall/btree"},
	},
	{
		level: 2, path: "store/postgres/postgrestest", about: "a database server for tests",
		imports: []string{"schemas/sandbox", "store", "store/postgres"},
		owns:    []string{"github.com/jackc/pgx", "github.com/stretchr/testify"},
	},
	{
		level: 2, path: "store/storetest", about: "the contract of a store as tests, and stores for tests",
		imports: []string{"schemas", "store", "store/audit", "store/memory", "store/bolt"},
		owns:    []string{"github.com/stretchr/testify"},
	},
	{
		level: 2, path: "mailbox/roster", about: "agents that fit a handoff, and the best of them",
		imports: []string{"schemas", "schemas/closest"},
	},
	{
		level: 2, path: "mailbox/rules", about: "routing rules and workflows of files",
		imports: []string{"schemas"},
		owns:    []string{"cel.dev/cel-go", "google.golang.org/protobuf"},
	},
	{level: 2, path: "mailbox/secret", about: "secrets in texts"},
	{
		level: 2, path: "mailbox/content", about: "parts of long texts",
		imports: []string{"schemas"},
		owns:    []string{"github.com/tiktoken-go/tokenizer"},
	},
	{
		level: 2, path: "mailbox/brief", about: "the Markdown that a holder reads",
		imports: []string{"schemas", "mailbox/content"},
	},
	{
		level: 2, path: "mailbox/contract", about: "criteria compared with a completion",
		imports: []string{"schemas"},
		owns:    []string{"github.com/santhosh-tekuri/jsonschema/v6"},
	},
	{
		level: 2, path: "mailbox/life", about: "tables of states, actions and consequences",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/longpoll", about: "long polls of a mailbox, in the order of arrival",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/presence", about: "open connections, present agents, sleep of the machine",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/names", about: "tables of numbered names of sessions",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/compose", about: "body of a handoff, from a send and its amendments",
		imports: []string{"schemas"},
	},
	{
		level: 2, path: "mailbox/draw", about: "workflows as pictures",
		imports: []string{"schemas", "schemas/display"},
	},
	{
		level: 2, path: "mailbox/listing", about: "rows of a list",
		imports: []string{"schemas", "store", "mailbox/life", "mailbox/compose"},
	},
	{
		level: 2, path: "mailbox/reading", about: "views of a handoff, read from the store",
		imports: []string{
			"schemas", "schemas/closest", "store", "store/audit", "mailbox/content", "mailbox/brief", "mailbox/contract", "mailbox/life",
			"mailbox/compose", "mailbox/draw", "schemas/display", "mailbox/listing",
		},
	},
	{
		level: 2, path: "mailbox/sessions", about: "the agent name of each session",
		imports: []string{"schemas", "store", "mailbox/presence", "mailbox/names"},
	},
	{
		level: 2, path: "mailbox/offer", about: "the verdict whether an agent may take a handoff",
		imports: []string{
			"schemas", "store", "mailbox/roster", "mailbox/names", "mailbox/compose", "mailbox/listing", "mailbox/reading",
			"mailbox/sessions",
		},
	},
	{
		level: 2, path: "mailbox/overview", about: "handoffs that need a person, run or are stuck",
		imports: []string{"schemas", "store", "mailbox/reading", "mailbox/offer", "mailbox/life", "schemas/display"},
	},
	{
		level: 2, path: "mailbox/delivery", about: "new handoffs, notices and answers for a session",
		imports: []string{
			"schemas", "store", "mailbox/presence", "mailbox/listing", "mailbox/reading", "mailbox/sessions", "mailbox/offer",
		},
	},
	{
		level: 2, path: "mailbox/registry", about: "the event log, read and verified",
		imports: []string{"schemas", "store", "store/audit", "store/travel", "mailbox/life", "mailbox/longpoll", "mailbox/reading"},
	},
	{
		level: 2, path: "mailbox/card", about: "cards of agents, declared by calls and files",
		imports: []string{
			"schemas", "store", "mailbox/roster", "mailbox/rules", "mailbox/compose", "mailbox/listing", "mailbox/sessions",
		},
	},
	{
		level: 2, path: "mailbox/draft", about: "sends, checked and encoded",
		imports: []string{"schemas", "store", "mailbox/content", "mailbox/contract", "mailbox/compose", "mailbox/reading"},
	},
	{
		level: 2, path: "mailbox/operation", about: "one transaction: find, check, commit, follow",
		imports: []string{
			"schemas", "store", "mailbox/life", "mailbox/longpoll", "mailbox/presence", "mailbox/sessions", "mailbox/reading",
			"mailbox/offer", "mailbox/draft", "mailbox/rules",
		},
	},
	{
		level: 2, path: "mailbox/overlap", about: "files that two handoffs touch",
		imports: []string{"schemas", "store", "mailbox/life", "mailbox/reading", "mailbox/operation"},
	},
	{
		level: 2, path: "mailbox/tokens", about: "bearer tokens of callers over a network",
		imports: []string{"schemas", "store", "mailbox/life", "mailbox/names", "mailbox/operation", "mailbox/reading"},
	},
	{
		level: 2, path: "mailbox/keeping", about: "redaction, retention and corrected outcomes",
		imports: []string{
			"schemas", "store", "store/ledger", "store/travel", "mailbox/contract", "mailbox/life", "mailbox/compose", "mailbox/reading",
			"mailbox/operation",
		},
	},
	{
		level: 2, path: "mailbox/connections", about: "connections, and the names of their sessions",
		imports: []string{
			"schemas", "store", "mailbox/life", "mailbox/longpoll", "mailbox/presence", "mailbox/names", "mailbox/sessions",
			"mailbox/operation",
		},
	},
	{
		level: 2, path: "mailbox", about: "the operations and rules",
		imports: []string{
			"schemas", "schemas/closest", "store",
			"mailbox/roster", "mailbox/rules", "mailbox/content", "mailbox/contract", "mailbox/overlap", "mailbox/life", "mailbox/longpoll",
			"mailbox/presence", "mailbox/names", "mailbox/compose", "mailbox/listing", "mailbox/reading", "mailbox/overview",
			"mailbox/sessions", "mailbox/offer", "mailbox/delivery", "mailbox/registry", "mailbox/keeping", "mailbox/tokens", "mailbox/connections", "mailbox/card", "mailbox/draft",
			"mailbox/operation",
		},
	},
	{
		level: 2, path: "mailbox/simulation", about: "random lives by a seed, checked against the rules",
		imports: everythingBelow,
	},
	{
		level: 2, path: "mailbox/mailboxtest", about: "a workspace for tests",
		imports: []string{"schemas", "store", "store/audit", "store/memory", "store/storetest", "mailbox/reading", "mailbox"},
		owns:    []string{"github.com/stretchr/testify"},
	},

	{
		level: 3, path: "tools", about: "the table of tools, decoding, advice",
		imports: []string{"schemas", "schemas/closest", "schemas/respell", "store", "mailbox/secret", "mailbox"},
		owns:    []string{"github.com/go-json-experiment/json", "github.com/tiktoken-go/tokenizer"},
	},

	{
		level: 3, path: "tools/toolstest", about: "tests of advice",
		imports: []string{"schemas", "tools"},
	},

	{
		level: 3, path: "tools/relay", about: "many processes, one store",
		imports: []string{"schemas", "tools", "tools/platform"},
		owns:    []string{"golang.org/x/mod/semver"},
	},

	{
		level: 3, path: "tools/telemetry", about: "metrics and traces",
		imports: []string{"schemas", "tools", "tools/platform"},
		owns:    []string{"github.com/VictoriaMetrics/metrics", "go.opentelemetry.io", "google.golang.org/protobuf"},
	},

	{
		level: 4, path: "mcp/jsonrpc", about: "envelopes of messages, and open requests",
		imports: []string{"tools/platform"},
		owns:    []string{"github.com/go-json-experiment/json", "github.com/mark3labs/mcp-go"},
	},
	{
		level: 4, path: "mcp", about: "MCP over stdio and HTTP",
		imports: []string{"schemas", "tools", "tools/platform", "mcp/jsonrpc"},
		owns:    []string{"github.com/mark3labs/mcp-go"},
	},

	{
		level: 4, path: "mcp/auth", about: "identity of callers over HTTP",
		imports: []string{"schemas", "tools"},
		owns:    []string{"github.com/coreos/go-oidc/v3", "github.com/go-jose/go-jose/v4", "golang.org/x/time"},
	},

	{level: 5, path: "cmd/handoff/internal/shell", about: "command lines, as a shell reads them"},
	{
		level: 5, path: "cmd/handoff/internal/git", about: "branch and commit of a git repository",
		imports: []string{"tools/platform"},
	},
	{
		level: 5, path: "cmd/handoff/internal/output", about: "output that ends when its reader leaves",
		imports: []string{"tools/platform"},
		owns:    []string{"golang.org/x/sys"},
	},
	{
		level: 5, path: "cmd/handoff/internal/terminal", about: "output format: terminal or plain",
		imports: []string{"schemas", "schemas/display"},
		owns:    []string{"golang.org/x/term"},
	},
	{level: 5, path: "cmd/handoff/internal/journal", about: "the log of the owner"},
	{
		level: 5, path: "cmd/handoff/internal/project", about: "files and git of the project, added to calls",
		imports: []string{"schemas", "tools", "cmd/handoff/internal/git"},
	},
	{
		level: 5, path: "cmd/handoff/internal/consent", about: "permissions that a person gave to a repository",
		imports: []string{"tools/platform"},
	},
	{
		level: 5, path: "cmd/handoff/internal/agentsfile", about: "agents and rules that files declare",
		imports: []string{"schemas", "schemas/closest", "mailbox/rules", "tools", "cmd/handoff/internal/consent"},
		owns:    []string{"go.yaml.in/yaml/v3"},
	},
	{
		level: 5, path: "cmd/handoff/internal/checks", about: "checks of a repository, run at a commit",
		imports: []string{
			"schemas", "mailbox/secret", "mailbox/contract", "tools/platform", "cmd/handoff/internal/git",
			"cmd/handoff/internal/agentsfile", "cmd/handoff/internal/shell", "cmd/handoff/internal/consent",
		},
		owns: []string{"go.yaml.in/yaml/v3"},
	},
	{
		level: 5, path: "cmd/handoff/internal/checking", about: "runs checks when work is completed",
		imports: []string{"schemas", "tools", "tools/platform", "cmd/handoff/internal/git", "cmd/handoff/internal/checks"},
	},
	{
		level: 5, path: "cmd/handoff/internal/web", about: "the HTTP server", imports: []string{"schemas"},
		owns: []string{"golang.org/x/sync"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/client", about: "the table of clients",
		imports: []string{"tools/platform", "cmd/handoff/internal/shell", "cmd/handoff/internal/git"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/edit", about: "text of configuration files",
		imports: []string{"schemas", "cmd/handoff/internal/clients/client"},
		owns:    []string{"github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/installed", about: "entries of handoff in files of clients",
		imports: []string{
			"schemas", "tools/platform", "cmd/handoff/internal/clients/client", "cmd/handoff/internal/clients/edit",
		},
	},
	{
		level: 5, path: "cmd/handoff/internal/workspace", about: "the workspace of a process, and its files",
		imports: []string{
			"schemas", "tools/relay", "tools/platform", "cmd/handoff/internal/git", "cmd/handoff/internal/clients/client",
			"cmd/handoff/internal/shell",
		},
	},
	{
		level: 5, path: "cmd/handoff/internal/cluster", about: "many machines, one database",
		imports: []string{"schemas", "store", "store/postgres", "tools/relay", "tools/platform"},
	},
	{
		level: 5, path: "cmd/handoff/internal/open", about: "opens the store and rules of a workspace",
		imports: []string{
			"schemas", "store", "store/audit", "store/travel", "store/memory", "store/bolt", "mailbox/reading", "mailbox/keeping", "mailbox", "tools", "tools/relay",
			"tools/platform", "cmd/handoff/internal/cluster", "cmd/handoff/internal/journal", "cmd/handoff/internal/shell", "cmd/handoff/internal/workspace",
		},
	},
	{
		level: 5, path: "cmd/handoff/internal/identity", about: "the name under which a command acts",
		imports: []string{"schemas", "tools/platform", "cmd/handoff/internal/clients/client"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/setup/live", about: "a trial of a server, as a client would start it",
		imports: []string{"tools/platform", "cmd/handoff/internal/clients/client", "cmd/handoff/internal/workspace"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/setup", about: "writes client configurations, and undoes it",
		imports: []string{
			"schemas", "cmd/handoff/internal/shell", "cmd/handoff/internal/clients/client",
			"cmd/handoff/internal/clients/edit", "cmd/handoff/internal/clients/installed", "cmd/handoff/internal/workspace",
			"tools/platform",
		},
		owns: []string{"github.com/aymanbagabas/go-udiff"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/doctor", about: "finds faults, and names a command against each",
		imports: []string{
			"schemas", "store", "tools", "tools/relay", "cmd/handoff/internal/shell", "tools/platform",
			"cmd/handoff/internal/terminal", "cmd/handoff/internal/clients/client", "cmd/handoff/internal/clients/edit",
			"cmd/handoff/internal/clients/installed", "cmd/handoff/internal/workspace",
			"cmd/handoff/internal/identity", "cmd/handoff/internal/clients/setup/live", "cmd/handoff/internal/clients/setup",
			"cmd/handoff/internal/agentsfile", "cmd/handoff/internal/cluster", "cmd/handoff/internal/consent",
		},
	},
	{
		level: 5, path: "cmd/handoff/internal/textformat", about: "messages as people write them",
		owns: []string{"github.com/tailscale/hujson", "go.yaml.in/yaml/v3"},
	},
	{
		level: 5, path: "cmd/handoff/internal/payload", about: "messages of agents in files and logs",
		imports: []string{"schemas", "cmd/handoff/internal/textformat"},
	},
	{
		level: 5, path: "cmd/handoff/internal/cli", about: "the base of all commands",
		imports: []string{
			"schemas", "schemas/closest", "schemas/respell", "schemas/display", "tools", "tools/relay", "tools/platform",
			"cmd/handoff/internal/cluster", "cmd/handoff/internal/identity", "cmd/handoff/internal/open", "cmd/handoff/internal/shell", "cmd/handoff/internal/terminal",
			"cmd/handoff/internal/workspace", "cmd/handoff/internal/textformat", "cmd/handoff/internal/payload",
			"cmd/handoff/internal/project", "cmd/handoff/internal/agentsfile", "cmd/handoff/internal/checks", "cmd/handoff/internal/checking",
			"cmd/handoff/internal/git", "cmd/handoff/internal/consent",
		},
		owns: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
	},
	{
		level: 5, path: "cmd/handoff/internal/render", about: "a handoff for people",
		imports: []string{"schemas", "mailbox/contract", "schemas/display", "cmd/handoff/internal/cli"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/work", about: "send, claim, complete and other actions",
		imports: []string{
			"schemas", "cmd/handoff/internal/project", "cmd/handoff/internal/textformat", "cmd/handoff/internal/cli",
			"cmd/handoff/internal/render", "mailbox/draw", "schemas/display",
		},
		owns: []string{"github.com/spf13/cobra"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/look", about: "status, list, show, history, watch",
		imports: []string{
			"schemas", "schemas/closest", "schemas/display", "mailbox/draw", "mailbox/life", "tools", "tools/platform",
			"cmd/handoff/internal/identity",
			"cmd/handoff/internal/output", "cmd/handoff/internal/terminal", "cmd/handoff/internal/workspace",
			"cmd/handoff/internal/cli", "cmd/handoff/internal/render", "cmd/handoff/internal/agentsfile",
			"cmd/handoff/internal/project", "cmd/handoff/internal/git",
		},
		owns: []string{"github.com/spf13/cobra", "golang.org/x/mod/module", "golang.org/x/mod/semver"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/serve", about: "mcp and serve, tokens, logs",
		imports: []string{
			"schemas", "tools", "tools/relay", "tools/telemetry", "mcp", "mcp/auth", "cmd/handoff/internal/identity",
			"cmd/handoff/internal/journal", "cmd/handoff/internal/output", "tools/platform",
			"cmd/handoff/internal/project", "cmd/handoff/internal/checking", "cmd/handoff/internal/web", "cmd/handoff/internal/workspace",
			"cmd/handoff/internal/cluster", "cmd/handoff/internal/cli",
		},
		owns: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/session", about: "hooks of clients",
		imports: []string{
			"schemas", "tools/relay", "tools/platform", "cmd/handoff/internal/clients/client",
			"cmd/handoff/internal/identity", "cmd/handoff/internal/workspace",
			"mailbox/content", "cmd/handoff/internal/cli",
		},
		owns: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/place", about: "workspaces: files, copies, backups",
		imports: []string{
			"schemas", "store", "store/audit", "store/travel", "tools/relay", "tools/platform", "cmd/handoff/internal/clients/client",
			"cmd/handoff/internal/cluster", "cmd/handoff/internal/open", "cmd/handoff/internal/output", "cmd/handoff/internal/terminal",
			"cmd/handoff/internal/workspace", "cmd/handoff/internal/cli",
		},
		owns: []string{"github.com/spf13/cobra"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/files", about: "files and logs of agents",
		imports: []string{
			"schemas", "tools/platform", "cmd/handoff/internal/cli", "cmd/handoff/internal/payload",
		},
		owns: []string{"github.com/spf13/cobra"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/checks", about: "lists, allows and runs checks",
		imports: []string{
			"schemas", "cmd/handoff/internal/git", "cmd/handoff/internal/checks", "cmd/handoff/internal/checking",
			"cmd/handoff/internal/cli", "cmd/handoff/internal/agentsfile",
			"cmd/handoff/internal/consent",
		},
		owns: []string{"github.com/spf13/cobra"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/audit", about: "verifies the registry, signs its heads",
		imports: []string{
			"schemas", "store", "store/ledger", "tools/platform", "cmd/handoff/internal/git", "cmd/handoff/internal/workspace",
			"cmd/handoff/internal/cli",
		},
		owns: []string{"github.com/spf13/cobra", "github.com/transparency-dev/formats", "golang.org/x/mod/sumdb"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/completion", about: "shell completion",
		imports: []string{
			"schemas", "tools", "cmd/handoff/internal/clients/client", "cmd/handoff/internal/identity",
			"cmd/handoff/internal/workspace", "cmd/handoff/internal/cli",
		},
		owns: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
	},
	{
		level: 5, path: "cmd/handoff/internal/...", about: "other packages of the command line",
		imports: everythingBelow,
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
		level: 5, path: "cmd/handoff/internal/root", about: "the tree of commands",
		imports: []string{
			"schemas", "cmd/handoff/internal/cli", "cmd/handoff/internal/commands/work", "cmd/handoff/internal/commands/look",
			"cmd/handoff/internal/commands/serve", "cmd/handoff/internal/commands/session",
			"cmd/handoff/internal/commands/place", "cmd/handoff/internal/commands/completion",
			"cmd/handoff/internal/commands/files", "cmd/handoff/internal/commands/checks", "cmd/handoff/internal/commands/audit",
			"cmd/handoff/internal/clients", "cmd/handoff/internal/demo",
			"cmd/handoff/internal/output", "tools/platform", "cmd/handoff/internal/workspace",
		},
		owns: []string{"github.com/spf13/cobra"},
	},
	{
		level: 5, path: "cmd/handoff/internal/manual", about: "manual pages, written apart from the program",
		imports: []string{"cmd/handoff/internal/cli", "cmd/handoff/internal/root"},
		owns:    []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commandtest", about: "the program in tests",
		imports: []string{"schemas/sandbox", "mailbox/mailboxtest", "cmd/handoff/internal/cli", "cmd/handoff/internal/root"},
		owns: []string{
			"github.com/spf13/cobra", "github.com/stretchr/testify", "github.com/rogpeppe/go-internal", "golang.org/x/sys",
		},
	},
	{
		level: 5, path: "cmd/handoff/proof", about: "proofs of the hardest guarantees",
		imports: everythingBelow,
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
		level: 5, path: "cmd/handoff/faults", about: "proof that acknowledged calls survive faults of the system",
		imports: everythingBelow,
	},
	{
		level: 5, path: "cmd/handoff/figures", about: "measurements next to their floors",
		imports: everythingBelow,
	},
	{
		level: 5, path: "cmd/handoff", about: "commands, wiring",
		imports: everythingBelow,
		owns:    []string{"github.com/rogpeppe/go-internal", "go.yaml.in/yaml/v3"},
	},
}

// testSupport lists packages that every test may import: the stores, because tests use real stores, and packages that
// check and copy rows, find remaining processes, and run the program.
var testSupport = []string{
	"schemas/sandbox", "schemas/golden", "schemas/respell/respelltest",
	"store/audit", "store/travel", "store/memory", "store/bolt", "store/storetest", "store/postgres",
	"store/postgres/postgrestest",
	"mailbox/mailboxtest", "tools/toolstest", "tools/platform/platformtest", "cmd/handoff/internal/commandtest",
}
