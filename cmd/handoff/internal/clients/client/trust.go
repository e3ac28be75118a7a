package client

// A TrustObstacle is a reason why a client does not run the servers or hooks in its files until a person changes
// something.
type TrustObstacle struct {
	Ahead   bool     // the person has not decided yet, as after each first setup: that is a step to do, and no fault
	OfHooks bool     // it keeps the client from running the hooks only
	Refused bool     // a person told the client not to run anything, and it does not ask again
	Text    string   // what the client does or was told, as a sentence that begins after its title
	Command []string // the client's command by which a person changes it, in the directory of the project; nil: none
}

// A MachineView lets a row of the table read the machine and its files, to find obstacles.
type MachineView struct {
	Machine

	Client Client

	// Read returns the value at a path of keys in a configuration file. It returns nil if the file cannot be read, or
	// has no value at this path.
	Read func(syntax Syntax, file Path, keys ...any) any

	Project bool       // files of the project have entries or hooks of handoff
	Plugin  bool       // the client has a plugin of ours
	Hooks   []HookFile // the files with our hooks, without the hooks of a plugin
}
