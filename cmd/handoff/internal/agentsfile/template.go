package agentsfile

import _ "embed"

// Template is the text of a new file with declarations. It declares no agents.
//
//go:embed template.yaml
var Template string
