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

// addArchive packs the program and its companion files for people.
func (b *build) addArchive(context.Context) error {
	files := append([]file{b.programFile(b.Program())}, b.filesBesideProgram()...)
	name, pack := b.archiveName()+".tar.gz", makeTarGz
	if b.OS == "windows" {
		name, pack = b.archiveName()+".zip", makeZip
	}
	packed, err := pack(b.archiveName(), files, b.Date)
	if err != nil {
		return err
	}
	return b.addArtifact("archive", b.platform, name, packed)
}

// addBundle makes a bundle for desktop clients (MCPB). The format can name an operating system, but no processor.
func (b *build) addBundle(ctx context.Context) error {
	manifest, err := b.fillTemplate("bundle.json.tmpl", b)
	if err != nil {
		return err
	}
	files := []file{{"manifest.json", modeText, manifest}, b.programFile("server/" + b.Program())}
	packed, err := makeZip("", append(files, pickFiles(b.filesBesideProgram(), "LICENSE", "NOTICES")...), b.Date)
	if err != nil {
		return err
	}
	name := b.archiveName() + ".mcpb"
	if packed, err = b.signBundle(ctx, name, packed); err != nil {
		return err
	}
	return b.addArtifact("bundle", b.platform, name, packed)
}

// signBundle returns a signed bundle. It signs a file in the work folder, because the signature becomes a part of the
// file.
func (r *release) signBundle(ctx context.Context, name string, packed []byte) ([]byte, error) {
	name = filepath.Join(r.work, name)
	if err := writeFile(name, packed, modeText); err != nil || r.Sign.Bundle == "" {
		return packed, err
	}
	if err := signFile(ctx, r.Sign.Bundle, name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

func signFile(ctx context.Context, command, name string) error {
	_, err := runCommand(ctx, ".", []string{"FILE=" + name}, "sh", "-c", command)
	return err
}

// addExtensions makes the extension files for Gemini CLI. From the files of a release, Gemini CLI takes the one whose
// name begins with Node's name of the operating system, such as win32. The program is not in these files.
func (r *release) addExtensions(context.Context) error {
	files, err := readFiles(r.sourcePath("examples/gemini-extension"))
	if err != nil {
		return err
	}
	packed, err := makeTarGz("", files, r.Date)
	if err != nil {
		return err
	}
	for _, system := range []string{"linux", "darwin", "win32"} {
		if err := r.addArtifact("extension", platform{}, system+".handoff-extension.tar.gz", packed); err != nil {
			return err
		}
	}
	return nil
}

// archiveName is the beginning of file names for one platform.
func (b *build) archiveName() string { return "handoff_" + b.Version + "_" + b.OS + "_" + b.Arch }

func makeTarGz(folder string, files []file, date time.Time) ([]byte, error) {
	plain, err := makeTar(folder, files, date)
	if err != nil {
		return nil, err
	}
	return compressGzip(plain, gzip.DefaultCompression)
}

func makeTar(folder string, files []file, date time.Time) ([]byte, error) {
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

func compressGzip(data []byte, level int) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close()) // before the bytes are used
	return b.Bytes(), err
}

func makeZip(folder string, files []file, date time.Time) ([]byte, error) {
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

// readFiles reads all files below a directory. None of them is marked as a program.
func readFiles(dir string) (found []file, err error) {
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
