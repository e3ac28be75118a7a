package look

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/tools/platform"
)

func agentsListCommand(a *cli.App) *cobra.Command {
	return newAgentsCommand(a, printOrigins).Configure(a, &cobra.Command{Use: "list"})
}

func printOrigins(p *cli.Page, cards []schemas.Card) {
	rows := schemas.Map(cards, func(c schemas.Card) []string {
		from := cmp.Or(c.DeclaredIn, "what it did")
		if c.Registered && c.DeclaredIn == "" {
			from = "registration"
		}
		return []string{string(c.Name), cli.Presence(c, p.Now), from, strings.Join(c.AllRoles(), ", ")}
	})
	p.AddTable("no agent yet", []string{"AGENT", "SEEN", "FROM", "ROLE"}, rows)
}

func agentsInitCommand(a *cli.App) *cobra.Command {
	var user bool
	cmd := &cobra.Command{
		Use:  "init",
		RunE: func(*cobra.Command, []string) error { return writeAgentsFile(a, user, agentsfile.Template, false) },
	}
	cmd.Flags().BoolVar(&user, "user", false, "the user's own file, which applies in all projects; the project's file comes first")
	return cmd
}

func agentsImportCommand(a *cli.App) *cobra.Command {
	var user bool
	cmd := &cobra.Command{
		Use:  "import FILE",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			text, err := a.ReadInput(cmd.Context(), "FILE", given[0])
			if err != nil {
				return err
			}
			if said, problems := (agentsfile.File{Name: given[0]}).Parse(text, true); len(problems) > 0 || len(said.Agents) == 0 {
				problem := append(problems, given[0]+" declares nobody.")[0]
				return schemas.Invalidf("FILE", "%s", problem).WithHint("handoff agents check %s shows all. Nothing was written.", given[0])
			}
			return writeAgentsFile(a, user, string(text), true)
		},
	}
	cmd.Flags().BoolVar(&user, "user", false, "into the user's own file, which holds in all projects")
	return cmd
}

// writeAgentsFile writes a file. If the file exists, it adds the text to it if add is true, and refuses if not.
func writeAgentsFile(a *cli.App, user bool, text string, add bool) error {
	files := a.AgentsFiles()
	if _, err := a.WorkspaceConfig().Root(); err != nil && !user {
		return err
	}
	if len(files) == 0 {
		return schemas.Errorf(schemas.Unavailable, "there is no home directory: HOME is not set").WithHint("Set HOME.")
	}
	path := files[len(files)-1].Path
	if user {
		path = files[0].Path
	}
	if before, err := os.ReadFile(path); err == nil && add {
		return addToAgentsFile(a, path, before, text)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755) //nolint:gosec // of the project, as its other directories
	if err == nil {
		var file *os.File
		if file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil { //nolint:gosec // it is to be committed
			_, err = file.WriteString(text)
			err = errors.Join(err, file.Close())
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return schemas.Errorf(schemas.Conflict, "%s is there already", path).WithHint("Edit it, or move it away. Nothing was written.")
	case err != nil:
		return schemas.Errorf(schemas.Unavailable, "write the file: %w", err)
	}
	return a.Write(fmt.Sprintf("wrote %s\n", path))
}

// addToAgentsFile adds declarations below those of a file. It changes nothing if the file could not be read afterwards,
// for example because both declare the same agent or have a list of the same name.
func addToAgentsFile(a *cli.App, path string, before []byte, more string) error {
	whole := append(bytes.TrimRight(before, "\n"), "\n\n"+more...)
	if _, problems := (agentsfile.File{Name: path}).Parse(whole, true); len(problems) > 0 {
		return schemas.Errorf(schemas.Conflict, "%s is there already, and this cannot be added to it: %s", path, problems[0]).
			WithHint("Write the new lines into it, or move it away. Nothing was written.")
	}
	readable := func(f *os.File) error { return f.Chmod(0o644) } // it is to be committed
	if err := platform.ReplaceFile(path, ".agents-*", whole, readable); err != nil {
		return schemas.Errorf(schemas.Unavailable, "write the file: %w", err)
	}
	return a.Write(fmt.Sprintf("added to %s\n", path))
}

// fileCheckResult holds the number of declarations in a file, and the faults of the file.
type fileCheckResult struct {
	File     string   `json:"file"`
	Agents   int      `json:"agents"`
	Routes   int      `json:"routes,omitempty"`
	Plans    int      `json:"workflows,omitempty"`
	Waits    string   `json:"waits,omitempty"` // why its rules send nothing
	Problems []string `json:"problems,omitempty"`
}

func agentsCheckCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:  "check [FILE]",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, given []string) error {
			files := a.AgentsFiles()
			for _, path := range given {
				if _, err := os.Stat(path); err != nil {
					return schemas.Invalidf("FILE", "it cannot be read: %w", err)
				}
				files = []agentsfile.File{{Path: path, Name: path}}
			}
			return checkAgentsFiles(a, files)
		},
	}
}

func checkAgentsFiles(a *cli.App, files []agentsfile.File) error {
	var all []fileCheckResult
	well := true
	for _, f := range files {
		said, problems := f.Read()
		waits, _ := f.LacksPermission(said, a.Permissions())
		all = append(all, fileCheckResult{f.Name, len(said.Agents), len(said.Routes), len(said.Plans), waits, problems})
		well = well && len(problems) == 0
	}
	err := a.PrintValue(all, func(p *cli.Page) {
		for _, f := range all {
			p.AddProblems(f.Problems)
			if len(f.Problems) == 0 {
				p.AddLine("%s %s: %s", p.Green("ok"), schemas.EscapeHidden(f.File), schemas.CountNoun(f.Agents, "agent"))
				p.AddField("leave", f.Waits)
			}
		}
	})
	return cli.ExitErrorUnless(well, schemas.Invalid, err)
}
