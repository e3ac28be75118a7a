package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"path"
	"time"
)

// archives are what a person unpacks: the program, and what belongs beside it.
func (r *release) archives(context.Context) error {
	for _, p := range r.platforms {
		program, err := r.program(p, p.Program())
		if err != nil {
			return err
		}
		folder := r.base(p)
		files := append([]file{program}, r.inside...)
		name, pack := folder+".tar.gz", tarGz
		if p.OS == "windows" {
			name, pack = folder+".zip", zipped
		}
		packed, err := pack(folder, files, r.Date)
		if err != nil {
			return err
		}
		if err := r.add("archive", p, name, packed); err != nil {
			return err
		}
	}
	return nil
}

// base begins the names of what is for one platform.
func (r *release) base(p platform) string { return "handoff_" + r.Version + "_" + p.OS + "_" + p.Arch }

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
	err := w.Close() // before the bytes are taken
	return b.Bytes(), err
}

func gzipped(data []byte, level int) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close() // before the bytes are taken
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
	err := w.Close() // before the bytes are taken
	return b.Bytes(), err
}
