package plugin

import "handoff/cmd/handoff/internal/clients/client"

// extension is how Gemini CLI knows an extension. It finds the hooks and the rest by their places.
type extension struct {
	Name        string                   `json:"name"`
	Version     string                   `json:"version"`
	Description string                   `json:"description"`
	Servers     map[string]client.Object `json:"mcpServers"`
	Context     string                   `json:"contextFileName"`
}

const geminiContext = "GEMINI.md"

func gemini(s Source) []File {
	c := named("gemini-cli")
	m := extension{name, s.Version, about, map[string]client.Object{client.ServerName: c.Entry(started())}, geminiContext}
	guide := newGuide(s, c, "/"+name+":")
	files := []File{
		{geminiDir + "/gemini-extension.json", object(m)},
		{geminiDir + "/" + geminiContext, written("context.md", guide)},
		hooks(geminiDir, c),
		skill(geminiDir),
		{geminiDir + "/LICENSE", s.License},
		{geminiDir + "/README.md", written("gemini.md", guide)},
	}
	for _, command := range commands(s.Prompts) {
		files = append(files, geminiCommand(command))
	}
	return files
}

// geminiCommand is in a directory of the plugin's name, which makes it /handoff:next: the bare name may be one of the
// client's own.
func geminiCommand(c command) File {
	return File{
		geminiDir + "/commands/" + name + "/" + c.Name + ".toml",
		"description = " + quoted(c.Description) + "\nprompt = '''\n" + c.body(`"{{args}}"`) + "'''\n",
	}
}
