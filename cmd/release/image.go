package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
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
func (r *release) addImage(context.Context) error {
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
	dir := filepath.Join(r.work, "image")
	at, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	ref := map[string]string{"org.opencontainers.image.ref.name": r.Image + ":" + r.Version}
	if err := at.AppendIndex(index, layout.WithAnnotations(ref)); err != nil {
		return err
	}
	files, err := readFiles(dir)
	if err != nil {
		return err
	}
	data, err := makeTar("", files, r.Date)
	if err != nil {
		return err
	}
	return r.addArtifact("image", platform{}, "handoff_"+r.Version+"_oci.tar", data)
}

// A number, because the image has no file with user names.
const nobody = 65532

func (b *build) platformImage() (v1.Image, error) {
	config, unfilled := b.imageConfig()
	state, unfit := b.stateLayer()
	binary, err := makeTar("", []file{b.programFile("handoff")}, b.Date)
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, unset := mutate.ConfigFile(img, config)
	if err = errors.Join(unfilled, unfit, err, unset); err != nil {
		return nil, err
	}
	for _, content := range [][]byte{state, binary} {
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(content)), nil
		}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
		if err != nil {
			return nil, err
		}
		img, err = mutate.AppendLayers(img, layer)
		if err != nil {
			return nil, err
		}
	}
	return img, nil
}

// imageConfig returns how a container engine runs the image.
func (b *build) imageConfig() (*v1.ConfigFile, error) {
	text, err := b.fillTemplate("image.json.tmpl", b)
	if err != nil {
		return nil, err
	}
	return v1.ParseConfigFile(bytes.NewReader(text))
}

// stateLayer returns the layer with the private state folder and the root certificates. The program needs the
// certificates for its calls to the issuer of access tokens and to the collector of traces.
func (r *release) stateLayer() ([]byte, error) {
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue // a file cannot say how far it is trusted
		}
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "state/", Mode: 0o700, Uid: nobody, Gid: nobody, ModTime: r.Date})
	err = errors.Join(err, w.Flush()) // the end of an archive comes once
	rest, unpacked := makeTar("etc/ssl/certs", []file{{"ca-certificates.crt", modeText, roots.Bytes()}}, r.Date)
	return append(b.Bytes(), rest...), errors.Join(err, unpacked)
}
