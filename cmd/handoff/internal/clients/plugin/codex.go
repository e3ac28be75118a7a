package plugin

import "handoff/cmd/handoff/internal/clients/client"

// codexCatalogDir is where Codex looks for the catalog of a directory. Without it, it would take that of Claude Code.
const codexCatalogDir = ".agents"

// face is what Codex shows of a plugin.
type face struct {
	Title     string   `json:"displayName"`
	About     string   `json:"shortDescription"`
	Developer string   `json:"developerName"`
	Category  string   `json:"category"`
	Can       []string `json:"capabilities"`
}

const category = "Productivity"

func codex(s Source) []File {
	c := named("codex")
	m := newManifest(s, c, started(client.Passed[:]...))
	m.Interface = &face{"Handoff", about, author, category, []string{"Interactive", "Write"}}
	files := []File{
		{codexDir + "/.codex-plugin/plugin.json", object(m)},
		hooks(codexDir, c),
		skill(codexDir),
		{codexDir + "/LICENSE", s.License},
		{codexDir + "/README.md", written("codex.md", newGuide(s, c, "$"+name+":"))},
		{codexCatalogDir + "/plugins/marketplace.json", object(codexCatalog())},
	}
	for _, command := range commands(s.Prompts) {
		files = append(files, codexCommand(command)...)
	}
	return files
}

// codexCommand is a skill that a person asks for. Plugins of Codex have no commands, and it asks no server for its
// prompts.
func codexCommand(c command) []File {
	dir := codexDir + "/skills/" + c.Name
	return []File{
		{dir + "/SKILL.md", headed(c.body("what stands behind its name in my message"),
			key{"name", c.Name}, key{"description", quoted(c.Description)})},
		{dir + "/agents/openai.yaml", "policy:\n  allow_implicit_invocation: false\n"},
	}
}

// codexOffers lists plugins for Codex.
type codexOffers struct {
	Name      string       `json:"name"`
	Interface codexTitle   `json:"interface"`
	Plugins   []codexOffer `json:"plugins"`
}

type codexTitle struct {
	Title string `json:"displayName"`
}

type codexOffer struct {
	Name     string      `json:"name"`
	Source   codexSource `json:"source"`
	Policy   codexPolicy `json:"policy"`
	Category string      `json:"category"`
}

type codexSource struct {
	Kind string `json:"source"`
	Path string `json:"path"`
}

type codexPolicy struct {
	Installation   string `json:"installation"`
	Authentication string `json:"authentication"`
}

func codexCatalog() codexOffers {
	return codexOffers{name, codexTitle{"Handoff"}, []codexOffer{{
		Name: name, Source: codexSource{"local", "./" + codexDir},
		Policy: codexPolicy{"AVAILABLE", "ON_INSTALL"}, Category: category,
	}}}
}
