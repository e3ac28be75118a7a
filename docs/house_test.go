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
	{level: 0, path: "schemas/sandbox", about: "where tests run, and which are left out"},
	{
		level: 0, path: "schemas/golden", about: "what tests hold to files",
		owns: []string{"github.com/stretchr/testify"},
	},
	{level: 0, path: "schemas", about: "what is said", owns: []string{"github.com/go-json-experiment/json"}},
	{level: 0, path: "schemas/closest", about: "which name was meant"},
	{level: 0, path: "schemas/respell/respelltest", about: "whether all that was said is kept"},
	{
		level: 0, path: "schemas/respell", about: "what others say, in our words",
		imports: []string{"schemas"},
	},
	{
		level: 0, path: "schemas/display", about: "how texts are shown to people",
		imports: []string{"schemas"},
	},
	// It has no folder of its own at the top of the repository, which is fixed, and stands on the ground all the same: it
	// imports nothing of ours, and tools/relay is one of many rooms that need it.
	{
		level: 0, path: "tools/platform", about: "files, locks and processes of each operating system",
		owns: []string{"golang.org/x/sys"},
	},
	{level: 0, path: "tools/platform/platformtest", about: "whether a process ended with its program"},
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
		level: 1, path: "store/audit", about: "whether the rows are what was written",
		imports: []string{"schemas", "store/ledger", "store"},
	},
	{
		level: 1, path: "store/travel", about: "rows taken to another store",
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
		level: 2, path: "store/storetest", about: "what every store must do, and stores for tests",
		imports: []string{"schemas", "store", "store/audit", "store/memory", "store/bolt"},
		owns:    []string{"github.com/stretchr/testify"},
	},
	{
		level: 2, path: "mailbox/roster", about: "who qualifies",
		imports: []string{"schemas", "schemas/closest"},
	},
	{
		level: 2, path: "mailbox/rules", about: "what the rules of files send",
		imports: []string{"schemas"},
		owns:    []string{"cel.dev/cel-go", "google.golang.org/protobuf"},
	},
	{level: 2, path: "mailbox/secret", about: "what must not be kept"},
	{
		level: 2, path: "mailbox/content", about: "parts of long texts",
		imports: []string{"schemas"},
		owns:    []string{"github.com/tiktoken-go/tokenizer"},
	},
	{
		level: 2, path: "mailbox/brief", about: "what a receiver reads",
		imports: []string{"schemas", "mailbox/content"},
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
		level: 2, path: "mailbox/longpoll", about: "long polls of a mailbox, in the order of arrival",
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
		level: 2, path: "mailbox/compose", about: "what a handoff says",
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
		level: 2, path: "mailbox/reading", about: "what is kept of a handoff, put together",
		imports: []string{
			"schemas", "schemas/closest", "store", "store/audit", "mailbox/content", "mailbox/brief", "mailbox/contract", "mailbox/life",
			"mailbox/compose", "mailbox/draw", "schemas/display", "mailbox/listing",
		},
	},
	{
		level: 2, path: "mailbox/sessions", about: "which session acts under which name",
		imports: []string{"schemas", "store", "mailbox/presence", "mailbox/names"},
	},
	{
		level: 2, path: "mailbox/offer", about: "what an agent may take",
		imports: []string{
			"schemas", "store", "mailbox/roster", "mailbox/names", "mailbox/compose", "mailbox/listing", "mailbox/reading",
			"mailbox/sessions",
		},
	},
	{
		level: 2, path: "mailbox/overview", about: "what needs a person, runs or is stuck",
		imports: []string{"schemas", "store", "mailbox/reading", "mailbox/offer"},
	},
	{
		level: 2, path: "mailbox/delivery", about: "what a session is to know",
		imports: []string{
			"schemas", "store", "mailbox/presence", "mailbox/listing", "mailbox/reading", "mailbox/sessions", "mailbox/offer",
		},
	},
	{
		level: 2, path: "mailbox/registry", about: "what happened, read back and proved",
		imports: []string{"schemas", "store", "store/audit", "store/travel", "mailbox/life", "mailbox/longpoll", "mailbox/reading"},
	},
	{
		level: 2, path: "mailbox/card", about: "what agents and files declare",
		imports: []string{
			"schemas", "store", "mailbox/roster", "mailbox/rules", "mailbox/compose", "mailbox/listing", "mailbox/sessions",
		},
	},
	{
		level: 2, path: "mailbox/draft", about: "what a sender wrote, checked",
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
		level: 2, path: "mailbox/overlap", about: "files that two works touch",
		imports: []string{"schemas", "store", "mailbox/life", "mailbox/reading", "mailbox/operation"},
	},
	{
		level: 2, path: "mailbox/tokens", about: "who may call over a network",
		imports: []string{"schemas", "store", "mailbox/life", "mailbox/names", "mailbox/operation"},
	},
	{
		level: 2, path: "mailbox/keeping", about: "what is kept of work that is done",
		imports: []string{
			"schemas", "store", "store/travel", "mailbox/contract", "mailbox/life", "mailbox/compose", "mailbox/reading",
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
		level: 2, path: "mailbox", about: "what is allowed",
		imports: []string{
			"schemas", "schemas/closest", "store",
			"mailbox/roster", "mailbox/rules", "mailbox/content", "mailbox/contract", "mailbox/overlap", "mailbox/life", "mailbox/longpoll",
			"mailbox/presence", "mailbox/names", "mailbox/compose", "mailbox/listing", "mailbox/reading", "mailbox/overview",
			"mailbox/sessions", "mailbox/offer", "mailbox/delivery", "mailbox/registry", "mailbox/keeping", "mailbox/tokens", "mailbox/connections", "mailbox/card", "mailbox/draft",
			"mailbox/operation",
		},
	},
	{
		level: 2, path: "mailbox/simulation", about: "proof that the rules hold whatever happens",
		imports: everythingBelow,
	},
	{
		level: 2, path: "mailbox/mailboxtest", about: "a workspace for tests",
		imports: []string{"schemas", "store", "store/audit", "store/memory", "store/storetest", "mailbox/reading", "mailbox"},
		owns:    []string{"github.com/stretchr/testify"},
	},

	{
		level: 3, path: "tools", about: "what is offered",
		imports: []string{"schemas", "schemas/closest", "schemas/respell", "mailbox/secret", "mailbox"},
		owns:    []string{"github.com/go-json-experiment/json", "github.com/tiktoken-go/tokenizer"},
	},

	{
		level: 3, path: "tools/toolstest", about: "what advice has to be",
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
		level: 4, path: "mcp/jsonrpc", about: "envelopes of messages, and which requests are open",
		imports: []string{"tools/platform"},
		owns:    []string{"github.com/go-json-experiment/json", "github.com/mark3labs/mcp-go"},
	},
	{
		level: 4, path: "mcp", about: "how it is spoken",
		imports: []string{"schemas", "tools", "tools/platform", "mcp/jsonrpc"},
		owns:    []string{"github.com/mark3labs/mcp-go"},
	},

	{
		level: 4, path: "mcp/auth", about: "who calls over HTTP",
		imports: []string{"schemas", "tools"},
		owns:    []string{"github.com/coreos/go-oidc/v3", "github.com/go-jose/go-jose/v4", "golang.org/x/time"},
	},

	{level: 5, path: "cmd/handoff/internal/shell", about: "command lines, as a shell reads them"},
	{
		level: 5, path: "cmd/handoff/internal/git", about: "what a repository says of itself",
		imports: []string{"tools/platform"},
	},
	{
		level: 5, path: "cmd/handoff/internal/outlet", about: "output until nobody reads it",
		imports: []string{"tools/platform"},
		owns:    []string{"golang.org/x/sys"},
	},
	{
		level: 5, path: "cmd/handoff/internal/terminal", about: "how a command writes",
		imports: []string{"schemas", "schemas/display"},
		owns:    []string{"golang.org/x/term"},
	},
	{level: 5, path: "cmd/handoff/internal/journal", about: "the log of the owner"},
	{
		level: 5, path: "cmd/handoff/internal/project", about: "what only the process beside a project knows",
		imports: []string{"schemas", "tools", "cmd/handoff/internal/git"},
	},
	{
		level: 5, path: "cmd/handoff/internal/leave", about: "what a person allowed in a repository",
		imports: []string{"tools/platform"},
	},
	{
		level: 5, path: "cmd/handoff/internal/agentsfile", about: "agents and rules that files declare",
		imports: []string{"schemas", "schemas/closest", "mailbox/rules", "tools", "cmd/handoff/internal/leave"},
		owns:    []string{"go.yaml.in/yaml/v3"},
	},
	{
		level: 5, path: "cmd/handoff/internal/checks", about: "whether work holds what its repository asks for",
		imports: []string{
			"schemas", "mailbox/secret", "mailbox/contract", "tools/platform", "cmd/handoff/internal/git",
			"cmd/handoff/internal/agentsfile", "cmd/handoff/internal/shell", "cmd/handoff/internal/leave",
		},
		owns: []string{"go.yaml.in/yaml/v3"},
	},
	{
		level: 5, path: "cmd/handoff/internal/checking", about: "checks of work that is completed",
		imports: []string{"schemas", "tools", "tools/platform", "cmd/handoff/internal/git", "cmd/handoff/internal/checks"},
	},
	{
		level: 5, path: "cmd/handoff/internal/web", about: "what listens", imports: []string{"schemas"},
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
		level: 5, path: "cmd/handoff/internal/clients/installed", about: "what files of clients say of handoff",
		imports: []string{
			"schemas", "tools/platform", "cmd/handoff/internal/clients/client", "cmd/handoff/internal/clients/edit",
		},
	},
	{
		level: 5, path: "cmd/handoff/internal/workspace", about: "which workspace, and its files",
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
		level: 5, path: "cmd/handoff/internal/open", about: "a workspace opened",
		imports: []string{
			"schemas", "store", "store/audit", "store/travel", "store/memory", "store/bolt", "mailbox/reading", "mailbox/keeping", "mailbox", "tools", "tools/relay",
			"tools/platform", "cmd/handoff/internal/cluster", "cmd/handoff/internal/journal", "cmd/handoff/internal/workspace",
		},
	},
	{
		level: 5, path: "cmd/handoff/internal/identity", about: "who acts, by the surroundings",
		imports: []string{"schemas", "cmd/handoff/internal/clients/client"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/setup/live", about: "a server, asked as its client would",
		imports: []string{"tools/platform", "cmd/handoff/internal/clients/client"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/setup", about: "clients configured, and as before",
		imports: []string{
			"schemas", "cmd/handoff/internal/shell", "cmd/handoff/internal/clients/client",
			"cmd/handoff/internal/clients/edit", "cmd/handoff/internal/clients/installed", "cmd/handoff/internal/workspace",
			"tools/platform",
		},
		owns: []string{"github.com/aymanbagabas/go-udiff"},
	},
	{
		level: 5, path: "cmd/handoff/internal/clients/doctor", about: "what is wrong, and what mends it",
		imports: []string{
			"schemas", "tools", "tools/relay", "cmd/handoff/internal/shell", "tools/platform",
			"cmd/handoff/internal/terminal", "cmd/handoff/internal/clients/client", "cmd/handoff/internal/clients/edit",
			"cmd/handoff/internal/clients/installed", "cmd/handoff/internal/workspace",
			"cmd/handoff/internal/identity", "cmd/handoff/internal/clients/setup/live", "cmd/handoff/internal/clients/setup",
			"cmd/handoff/internal/agentsfile", "cmd/handoff/internal/cluster", "cmd/handoff/internal/leave",
		},
	},
	{
		level: 5, path: "cmd/handoff/internal/written", about: "messages as people write them",
		owns: []string{"github.com/tailscale/hujson", "go.yaml.in/yaml/v3"},
	},
	{
		level: 5, path: "cmd/handoff/internal/payload", about: "what agents hand on in files and logs",
		imports: []string{"schemas", "cmd/handoff/internal/written"},
	},
	{
		level: 5, path: "cmd/handoff/internal/cli", about: "what every command stands on",
		imports: []string{
			"schemas", "schemas/closest", "schemas/respell", "schemas/display", "tools", "tools/relay", "tools/platform",
			"cmd/handoff/internal/cluster", "cmd/handoff/internal/identity", "cmd/handoff/internal/open", "cmd/handoff/internal/shell", "cmd/handoff/internal/terminal",
			"cmd/handoff/internal/workspace", "cmd/handoff/internal/written", "cmd/handoff/internal/payload",
			"cmd/handoff/internal/project", "cmd/handoff/internal/agentsfile", "cmd/handoff/internal/checks", "cmd/handoff/internal/checking",
			"cmd/handoff/internal/git", "cmd/handoff/internal/leave",
		},
		owns: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
	},
	{
		level: 5, path: "cmd/handoff/internal/show", about: "a handoff for people",
		imports: []string{"schemas", "mailbox/contract", "schemas/display", "cmd/handoff/internal/cli"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/work", about: "work moves",
		imports: []string{
			"schemas", "cmd/handoff/internal/project", "cmd/handoff/internal/written", "cmd/handoff/internal/cli",
			"cmd/handoff/internal/show",
		},
		owns: []string{"github.com/spf13/cobra"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/look", about: "what there is to see",
		imports: []string{
			"schemas", "schemas/closest", "schemas/display", "mailbox/draw", "mailbox/life", "tools", "tools/platform",
			"cmd/handoff/internal/identity",
			"cmd/handoff/internal/outlet", "cmd/handoff/internal/terminal", "cmd/handoff/internal/workspace",
			"cmd/handoff/internal/cli", "cmd/handoff/internal/show", "cmd/handoff/internal/agentsfile",
		},
		owns: []string{"github.com/spf13/cobra", "golang.org/x/mod/module", "golang.org/x/mod/semver"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/serve", about: "servers, and what looks after them",
		imports: []string{
			"schemas", "tools", "tools/relay", "tools/telemetry", "mcp", "mcp/auth", "cmd/handoff/internal/identity",
			"cmd/handoff/internal/journal", "cmd/handoff/internal/outlet", "tools/platform",
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
		level: 5, path: "cmd/handoff/internal/commands/place", about: "workspaces as such: files, copies, backups",
		imports: []string{
			"schemas", "store", "store/audit", "store/travel", "tools/relay", "tools/platform", "cmd/handoff/internal/clients/client",
			"cmd/handoff/internal/cluster", "cmd/handoff/internal/open", "cmd/handoff/internal/outlet", "cmd/handoff/internal/terminal",
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
		level: 5, path: "cmd/handoff/internal/commands/checks", about: "checks listed, allowed and run",
		imports: []string{
			"schemas", "cmd/handoff/internal/git", "cmd/handoff/internal/checks", "cmd/handoff/internal/checking",
			"cmd/handoff/internal/cli", "cmd/handoff/internal/agentsfile",
			"cmd/handoff/internal/leave",
		},
		owns: []string{"github.com/spf13/cobra"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/audit", about: "the registry checked, and its heads signed",
		imports: []string{
			"schemas", "store/ledger", "tools/platform", "cmd/handoff/internal/git", "cmd/handoff/internal/workspace",
			"cmd/handoff/internal/cli",
		},
		owns: []string{"github.com/spf13/cobra", "github.com/transparency-dev/formats", "golang.org/x/mod/sumdb"},
	},
	{
		level: 5, path: "cmd/handoff/internal/commands/completion", about: "what a shell offers",
		imports: []string{
			"schemas", "tools", "cmd/handoff/internal/clients/client", "cmd/handoff/internal/identity",
			"cmd/handoff/internal/workspace", "cmd/handoff/internal/cli",
		},
		owns: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
	},
	{
		level: 5, path: "cmd/handoff/internal/...", about: "what else the command line needs",
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
		level: 5, path: "cmd/handoff/internal/root", about: "the commands put together",
		imports: []string{
			"schemas", "cmd/handoff/internal/cli", "cmd/handoff/internal/commands/work", "cmd/handoff/internal/commands/look",
			"cmd/handoff/internal/commands/serve", "cmd/handoff/internal/commands/session",
			"cmd/handoff/internal/commands/place", "cmd/handoff/internal/commands/completion",
			"cmd/handoff/internal/commands/files", "cmd/handoff/internal/commands/checks", "cmd/handoff/internal/commands/audit",
			"cmd/handoff/internal/clients", "cmd/handoff/internal/demo",
			"cmd/handoff/internal/outlet", "tools/platform", "cmd/handoff/internal/workspace",
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
		level: 5, path: "cmd/handoff/proof", about: "proof of what is hardest to keep",
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
		level: 5, path: "cmd/handoff/faults", about: "proof that what was answered survives the system below",
		imports: everythingBelow,
	},
	{
		level: 5, path: "cmd/handoff/figures", about: "how near the program is to what it cannot be faster than",
		imports: everythingBelow,
	},
	{
		level: 5, path: "cmd/handoff", about: "commands, wiring",
		imports: everythingBelow,
		owns:    []string{"github.com/rogpeppe/go-internal", "go.yaml.in/yaml/v3"},
	},
}

// proving may be imported by every test: the stores, because tests run on real things, and what judges and copies their
// rows; what shows that processes have ended; and what runs the program.
var proving = []string{
	"schemas/sandbox", "schemas/golden", "schemas/respell/respelltest",
	"store/audit", "store/travel", "store/memory", "store/bolt", "store/storetest", "store/postgres",
	"store/postgres/postgrestest",
	"mailbox/mailboxtest", "tools/toolstest", "tools/platform/platformtest", "cmd/handoff/internal/commandtest",
}
