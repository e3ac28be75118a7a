package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// bundles are for desktop clients (MCPB), one for each platform: the form tells systems apart, but not processors.
func (r *release) bundles(ctx context.Context) error {
	for _, f := range r.Platforms() {
		program, err := r.program(f.platform, "server/"+f.Program())
		if err != nil {
			return err
		}
		manifest, err := r.fill("bundle.json.tmpl", f)
		if err != nil {
			return err
		}
		files := []file{{"manifest.json", modeText, manifest}, program}
		for _, beside := range r.beside(f.platform) {
			if beside.name == "LICENSE" || beside.name == "NOTICES" {
				files = append(files, beside)
			}
		}
		packed, err := zipped("", files, r.Date)
		if err != nil {
			return err
		}
		name := r.base(f.platform) + ".mcpb"
		if packed, err = r.signedBundle(ctx, name, packed); err != nil {
			return err
		}
		if err := r.add("bundle", f.platform, name, packed); err != nil {
			return err
		}
	}
	if r.Sign.Bundle == "" {
		fmt.Fprintln(os.Stderr, "bundles are not signed: settings.yaml names no command for it")
	}
	return nil
}

// signedBundle signs what lies in the folder of work, since a signature stands in the bundle itself.
func (r *release) signedBundle(ctx context.Context, name string, packed []byte) ([]byte, error) {
	name = filepath.Join(r.work, name)
	if err := write(name, packed, modeText); err != nil || r.Sign.Bundle == "" {
		return packed, err
	}
	if err := sign(ctx, r.Sign.Bundle, name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

func sign(ctx context.Context, command, name string) error {
	_, err := output(ctx, ".", []string{"FILE=" + name}, "sh", "-c", command)
	return err
}
