package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"
)

// addArchive packs the program and its companion files for people.
func (b *build) addArchive(ctx context.Context) error {
	files := append([]file{b.programFile(b.Program)}, b.beside...)
	return b.addPacked(ctx, "archive", b.platform, b.archiveName()+b.Ending, b.archiveName(), files)
}

// addBundle makes a bundle for desktop clients (MCPB). The format can name an operating system, but no processor.
func (b *build) addBundle(ctx context.Context) error {
	files, err := b.fillFolder("bundle", b)
	if err != nil {
		return err
	}
	files = slices.Concat(files, []file{b.programFile("server/" + b.Program)}, pickFiles(b.beside, "LICENSE", "NOTICES"))
	return b.addPacked(ctx, "bundle", b.platform, b.archiveName()+".mcpb", "", files)
}

// addExtensions makes the extension files for Gemini CLI. From the files of a release, Gemini CLI takes the one whose
// name begins with Node's name of the operating system, such as win32. The program is not in these files.
func (r *release) addExtensions(ctx context.Context) error {
	files, err := readFiles(os.DirFS(r.sourcePath("examples/gemini-extension")))
	for _, system := range []string{"linux", "darwin", "win32"} {
		err = errors.Join(err, r.addPacked(ctx, "extension", platform{}, system+".handoff-extension.tar.gz", "", files))
	}
	return err
}

// archiveName is the beginning of file names for one platform.
func (b *build) archiveName() string { return "handoff_" + b.Version + "_" + b.OS + "_" + b.Arch }

// addPacked packs files, and puts the archive into the release.
func (r *release) addPacked(ctx context.Context, kind string, p platform, name, folder string, files []file) error {
	packed, err := pack(name, folder, files, r.Date)
	if err != nil {
		return err
	}
	return r.addArtifact(ctx, kind, p, name, packed)
}

// pack returns an archive with all files in a folder. The end of its name decides its format.
func pack(name, folder string, files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch path.Ext(name) {
	case ".zip", ".mcpb":
		err = writeZip(&b, folder, files, date)
	case ".tar":
		err = writeTar(&b, folder, files, date)
	default:
		w := gzip.NewWriter(&b)
		err = errors.Join(writeTar(w, folder, files, date), w.Close()) // before the bytes are used
	}
	return b.Bytes(), err
}

// writeTar writes an archive. A directory in it belongs to the user of the container image.
func writeTar(to io.Writer, folder string, files []file, date time.Time) error {
	w := tar.NewWriter(to)
	for _, f := range files {
		h := &tar.Header{Name: path.Join(folder, f.name), Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: date}
		if f.mode.IsDir() {
			h.Typeflag, h.Name, h.Uid, h.Gid = tar.TypeDir, h.Name+"/", nobody, nobody
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}

func writeZip(to io.Writer, folder string, files []file, date time.Time) error {
	w := zip.NewWriter(to)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		member, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := member.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}

// readFiles reads all files of a tree. None of them is marked as a program.
func readFiles(tree fs.FS) (found []file, err error) {
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
