package doctor

import (
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
)

// pluginOf gives the file that says that a client has our plugin, which brings the server and the hooks by itself.
func pluginOf(c client.Client, m client.Machine) string {
	all := installed.Plugins(c, m)
	if len(all) == 0 {
		return ""
	}
	return all[0].Path
}
