package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// addImage makes one container image for each processor that the release supports on Linux. All images are in one
// archive in the OCI format. The result equals the result of examples/container, but needs no container engine.
func (r *release) addImage(ctx context.Context) error {
	linux := slices.DeleteFunc(slices.Clone(r.Platforms), func(b *build) bool { return b.OS != "linux" })
	if len(linux) == 0 {
		return nil
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range linux {
		img, err := b.platformImage()
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: b.OS, Architecture: b.Arch}},
		})
	}
	ref := map[string]string{"org.opencontainers.image.ref.name": r.Image + ":" + r.Version}
	dir := filepath.Join(r.work, "image")
	_, err := layout.Write(dir, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
		Add: index, Descriptor: v1.Descriptor{Annotations: ref},
	}))
	files, unread := readFiles(os.DirFS(dir))
	if err = errors.Join(err, unread); err != nil {
		return err
	}
	return r.addPacked(ctx, "image", platform{}, "handoff_"+r.Version+"_oci.tar", "", files)
}

// A number, because the image has no file with user names.
const nobody = 65532

// platformImage returns an image of two layers. The first has the private state folder and the root certificates. The
// program needs the certificates for its calls to the issuer of access tokens and to the collector of traces.
func (b *build) platformImage() (v1.Image, error) {
	text, err := b.fillTemplate("image.json.tmpl", b)
	config, unfit := v1.ParseConfigFile(bytes.NewReader(text)) // how a container engine runs the image
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, unset := mutate.ConfigFile(img, config)
	if err = errors.Join(err, unfit, unset); err != nil {
		return nil, err
	}
	for _, files := range [][]file{
		{{"state", fs.ModeDir | 0o700, nil}, {"etc/ssl/certs/ca-certificates.crt", modeText, rootCertificates()}},
		{b.programFile("handoff")},
	} {
		content, err := pack("layer.tar", "", files, b.Date)
		layer, unread := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(content)), nil
		}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
		if err = errors.Join(err, unread); err != nil {
			return nil, err
		}
		if img, err = mutate.AppendLayers(img, layer); err != nil {
			return nil, err
		}
	}
	return img, nil
}

func rootCertificates() (roots []byte) {
	for root := range bundle.Roots() {
		if root.Constraint == nil { // a file cannot say how far the others are trusted
			roots = append(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
		}
	}
	return roots
}
