package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/payload"
	"handoff/cmd/handoff/internal/textformat"
	"handoff/schemas"
	"handoff/schemas/respell"
	"handoff/tools/platform"
)

// maxInput is the largest size of input from a file or standard input, in bytes. It keeps handoff from reading a very
// large wrong file. The limits of the mailbox are lower.
const maxInput = 8 << 20

// ReadMessage reads the arguments of a tool from a file ("--file MSG.json"), or from standard input for "-". The file
// may have any format of package textformat, and may use the field names of another protocol. The result is in
// canonical form, so that flags of the command line can override its values. Id is the id on the command line, or "".
func (a *App) ReadMessage(ctx context.Context, tool, id, path string) (Arguments, error) {
	if path == "" {
		return Arguments{}, nil
	}
	content, err := a.ReadInput(ctx, "--file", path)
	if err != nil {
		return nil, err
	}
	object, markdown, err := textformat.ParseMessage(path, string(content))
	if err != nil {
		return nil, schemas.Invalidf("--file", "%s: %w", path, err).
			WithHint("A message is JSON, YAML, text, Markdown, or Markdown below front matter. --detail @FILE and --ref FILE take a file as it is.")
	}
	args, err := respell.NormaliseWhole(tool, id, object, markdown != "")
	if err == nil {
		textformat.AddMarkdown(args, markdown, bodyArguments[tool].body, bodyArguments[tool].rest)
	}
	return args, err
}

// bodyArguments are the arguments that take the text of a Markdown message, see [textformat.AddMarkdown].
var bodyArguments = map[string]struct{ body, rest string }{
	"send_handoff": {"task", "detail"}, "complete_handoff": {"summary", "detail"},
	"fail_handoff": {"description", "origin.extra.detail"},
}

// fromLog is the flag that names a log.
const fromLog = "from-log"

// resultPaths are the arguments that take the results of a run from a log. A tool that is not in the map takes no
// payload from a log.
var resultPaths = map[string]string{"send_handoff": "context.results", "complete_handoff": "results"}

// readPayloadArguments reads the payload that an agent left in a log, as arguments of a tool. Without a payload it takes
// the last result of the tool handoff of kernl. It adds the results of the run. A log with neither causes a warning and
// no error, because an agent may have nothing to hand on.
func (a *App) readPayloadArguments(ctx context.Context, tool, id, path string) (Arguments, error) {
	log, err := a.ReadLog(ctx, path)
	if err != nil {
		return nil, err
	}
	args := Arguments{}
	if log.Text != nil {
		said, _, err := textformat.ParseMessage("", string(log.Text))
		if log.Pairs > 0 {
			said, err = payload.Parse(log.Text)
		}
		if err != nil {
			return nil, err
		}
		if args, err = respell.NormaliseWhole(tool, id, said, true); err != nil {
			return nil, err
		}
	}
	if len(log.Outputs) > 0 {
		if err := args.SetPath(resultPaths[tool], log.Results()); err != nil {
			return nil, schemas.Invalidf("--"+fromLog, "%w", err)
		}
		if tool == "complete_handoff" {
			args["outputs"] = log.Outputs
		}
	}
	return args, nil
}

// ReadLog reads the log of --from-log as a stream, so the log may have any length. It prints warnings about unusual
// content.
func (a *App) ReadLog(ctx context.Context, path string) (payload.LogBlocks, error) {
	log, err := readSource(ctx, a, "--"+fromLog, path, payload.Scan)
	if odd := log.Warning(); odd != "" && err == nil {
		fmt.Fprintln(a.Stderr, "warning:", odd)
	}
	return log, err
}

// ReadInput reads the file that a flag or an argument names, or standard input for "-". Only one flag or argument of a
// command may be "-". The content must be UTF-8. If a pipe has no writer, ReadInput waits until ctx is done.
func (a *App) ReadInput(ctx context.Context, flag, path string) ([]byte, error) {
	content, err := readSource(ctx, a, flag, path, func(source io.Reader) ([]byte, error) {
		return io.ReadAll(io.LimitReader(source, maxInput+1))
	})
	switch {
	case err != nil:
		return nil, err
	case len(content) > maxInput:
		return nil, schemas.Errorf(schemas.Limit, "%s is larger than %d bytes", path, maxInput)
	case !utf8.Valid(content):
		return nil, schemas.Invalidf(flag, "%s is not UTF-8", path).WithHint("Convert it, or name its path in the text.")
	}
	return content, nil
}

// readSource applies read to the file or standard input that a flag or an argument names.
func readSource[T any](ctx context.Context, a *App, flag, path string, read func(io.Reader) (T, error)) (T, error) {
	got, err := RunInterruptible(ctx, func() (got T, err error) {
		source, err := a.openSource(flag, path)
		if err != nil {
			return got, err
		}
		defer source.Close()
		if got, err = read(source); err != nil {
			err = schemas.Invalidf(flag, "read %s: %w", path, err)
		}
		return got, err
	})
	if err != nil && ctx.Err() != nil {
		err = schemas.Errorf(schemas.Unavailable, "interrupted while reading %s for %s", path, flag).
			WithHint("Nothing was done.")
	}
	return got, err
}

// AbsolutePath returns the absolute path of a file that the command line names.
func (a *App) AbsolutePath(named string) string {
	if filepath.IsAbs(named) {
		return named
	}
	return filepath.Join(a.Cwd, named)
}

// OpenFile opens a file that the command line names. It refuses a named pipe, because a pipe may never get a writer. It
// accepts a pipe that a shell has opened, as in <(COMMAND).
func (a *App) OpenFile(named string) (*os.File, error) {
	if path := a.AbsolutePath(named); !strings.HasPrefix(path, "/dev/fd/") && path != "/dev/stdin" {
		return platform.OpenRegular(path)
	}
	return os.Open(named)
}

// openSource opens the file that a flag or an argument names, or standard input.
func (a *App) openSource(flag, path string) (io.ReadCloser, error) {
	if path == "-" {
		if a.stdinFlag != "" {
			return nil, schemas.Invalidf(flag, "standard input was read for %s already", a.stdinFlag).
				WithHint("Give one of them as a file.")
		}
		a.stdinFlag = flag
		return io.NopCloser(a.Stdin), nil
	}
	f, err := a.OpenFile(path)
	if err != nil {
		return nil, schemas.Invalidf(flag, "%w", err).
			WithHint("A text that begins with @ names a file; @@ begins one that does not.")
	}
	return f, nil
}

// AboutSources belongs into the help of commands that take texts.
const AboutSources = `Each text, flag or argument, may be "-" for standard input or @FILE, also behind the = of NAME=VALUE; @@ begins
a text that begins with @.`

// ReadText returns the text of a flag or an argument. If the text names a file or standard input, the result is the
// content of that source, without a line break at the end. All texts of command lines pass through ReadText, so the
// name of a source is never taken for a text.
func (a *App) ReadText(ctx context.Context, name, said string) (string, error) {
	place := sourceName(said)
	if place == "" {
		return unescape(said), nil
	}
	content, err := a.ReadInput(ctx, name, place)
	return strings.TrimRight(strings.ReplaceAll(string(content), "\r\n", "\n"), "\r\n"), err
}

// readFlagTexts reads the texts of flags that name places.
func (a *App) readFlagTexts(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if f, ok := flag.Value.(*flagValue); ok && f.namesPlace && err == nil {
			err = f.readFiles(cmd.Context(), a, "--"+flag.Name)
		}
	})
	return err
}

// sourceName returns the place that a text names, or "".
func sourceName(said string) string {
	if said == "-" {
		return said
	}
	if path, ok := strings.CutPrefix(said, "@"); ok && !strings.HasPrefix(path, "@") {
		return path
	}
	return ""
}

// unescape removes the first @ of a text that begins with @@. So a text that begins with @ can be given without naming
// a file.
func unescape(said string) string {
	if strings.HasPrefix(said, "@@") {
		return said[1:]
	}
	return said
}
