package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// archive packs the program and its companion files for people.
func (b *build) archive(context.Context) error {
	files := append([]file{b.named(b.Program())}, b.beside()...)
	name, pack := b.base()+".tar.gz", tarGz
	if b.OS == "windows" {
		name, pack = b.base()+".zip", zipped
	}
	packed, err := pack(b.base(), files, b.Date)
	if err != nil {
		return err
	}
	return b.add("archive", b.platform, name, packed)
}

// bundle makes a bundle for desktop clients (MCPB). The format of these bundles can name a system, but no processor.
func (b *build) bundle(ctx context.Context) error {
	manifest, err := b.fill("bundle.json.tmpl", b)
	if err != nil {
		return err
	}
	files := []file{{"manifest.json", modeText, manifest}, b.named("server/" + b.Program())}
	packed, err := zipped("", append(files, pick(b.beside(), "LICENSE", "NOTICES")...), b.Date)
	if err != nil {
		return err
	}
	name := b.base() + ".mcpb"
	if packed, err = b.signedBundle(ctx, name, packed); err != nil {
		return err
	}
	return b.add("bundle", b.platform, name, packed)
}

// signedBundle signs a bundle in the work folder, since its signature is within the bundle.
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

// extensions are for Gemini CLI, which has no marketplace file: it looks among the files of a release for one that
// begins with the word of Node for its system. The program is not in it.
func (r *release) extensions(context.Context) error {
	files, err := filesIn(r.src("examples/gemini-extension"))
	if err != nil {
		return err
	}
	packed, err := tarGz("", files, r.Date)
	if err != nil {
		return err
	}
	for _, system := range []string{"linux", "darwin", "win32"} {
		if err := r.add("extension", platform{}, system+".handoff-extension.tar.gz", packed); err != nil {
			return err
		}
	}
	return nil
}

// base is the beginning of file names for one platform.
func (b *build) base() string { return "handoff_" + b.Version + "_" + b.OS + "_" + b.Arch }

func tarGz(folder string, files []file, date time.Time) ([]byte, error) {
	plain, err := tarred(folder, files, date)
	if err != nil {
		return nil, err
	}
	return gzipped(plain, gzip.DefaultCompression)
}

func tarred(folder string, files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: path.Join(folder, f.name), Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: date}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close() // before the bytes are used
	return b.Bytes(), err
}

func gzipped(data []byte, level int) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close()) // before the bytes are used
	return b.Bytes(), err
}

func zipped(folder string, files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		member, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := member.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close() // before the bytes are used
	return b.Bytes(), err
}

// filesIn returns the files below a directory, none of them a program.
func filesIn(dir string) (found []file, err error) {
	tree := os.DirFS(dir)
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		found = append(found, file{name, modeText, data})
		return err
	})
	return found, err
}
