package main

import (
	"context"
	"os"
	"path/filepath"
)

// bundle is for desktop clients (MCPB): its form tells systems apart, but not processors.
func (b *build) bundle(ctx context.Context) error {
	manifest, err := b.fill("bundle.json.tmpl", b)
	if err != nil {
		return err
	}
	files := []file{{"manifest.json", modeText, manifest}, b.named("server/" + b.Program())}
	packed, err := zipped("", append(files, picked(b.beside(), "LICENSE", "NOTICES")...), b.Date)
	if err != nil {
		return err
	}
	name := b.base() + ".mcpb"
	if packed, err = b.signedBundle(ctx, name, packed); err != nil {
		return err
	}
	return b.add("bundle", b.platform, name, packed)
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
