package main

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// imageConfig is what an image says about how it is run.
type imageConfig struct {
	User         string              `json:",omitempty"`
	Env          []string            `json:",omitempty"`
	Entrypoint   []string            `json:",omitempty"`
	Cmd          []string            `json:",omitempty"`
	Volumes      map[string]struct{} `json:",omitempty"`
	ExposedPorts map[string]struct{} `json:",omitempty"`
}

// makeImage writes the image that a Dockerfile FROM scratch describes, of the files
// of a folder, as an archive that containerd imports. It knows the instructions that
// deploy/docker/Dockerfile.scratch has and refuses others.
func makeImage(archive, name, dockerfile, folder string) error {
	layer, err := os.CreateTemp(filepath.Dir(archive), "layer")
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(layer.Close(), os.Remove(layer.Name())) }()
	sum := sha256.New()
	l := layerWriter{tar: tar.NewWriter(io.MultiWriter(layer, sum)), made: map[string]bool{".": true, "/": true}}
	var config imageConfig
	for line := range strings.Lines(dockerfile) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := instruct(&config, &l, line, folder); err != nil {
			return fmt.Errorf("%s: %s: %w", name, line, err)
		}
	}
	if err := l.tar.Close(); err != nil {
		return err
	}
	return pack(archive, name, config, layer, fmt.Sprintf("%x", sum.Sum(nil)))
}

func instruct(config *imageConfig, l *layerWriter, line, folder string) error {
	word, rest, _ := strings.Cut(line, " ")
	set := func(all *map[string]struct{}, suffix string) {
		if *all == nil {
			*all = map[string]struct{}{}
		}
		for _, v := range strings.Fields(rest) {
			(*all)[v+suffix] = struct{}{}
		}
	}
	switch word {
	case "FROM":
		if rest != "scratch" {
			return errors.New("no base image can be pulled")
		}
	case "COPY":
		return l.copy(strings.Fields(rest), folder)
	case "USER":
		config.User = rest
	case "ENV":
		config.Env = append(config.Env, rest)
	case "VOLUME":
		set(&config.Volumes, "")
	case "EXPOSE":
		set(&config.ExposedPorts, "/tcp")
	case "HEALTHCHECK": // Kubernetes has probes instead
	case "ENTRYPOINT":
		return json.Unmarshal([]byte(rest), &config.Entrypoint)
	case "CMD":
		return json.Unmarshal([]byte(rest), &config.Cmd)
	default:
		return errors.New("unknown instruction")
	}
	return nil
}

// layerWriter writes a layer and remembers which folders it has.
type layerWriter struct {
	tar  *tar.Writer
	made map[string]bool
}

// copy does COPY [--chown=UID:GID] FROM TO.
func (l *layerWriter) copy(args []string, folder string) error {
	uid, gid := 0, 0
	if len(args) == 0 {
		return errors.New("no path")
	}
	if owner, ok := strings.CutPrefix(args[0], "--chown="); ok {
		if _, err := fmt.Sscanf(owner, "%d:%d", &uid, &gid); err != nil {
			return err
		}
		args = args[1:]
	}
	if len(args) != 2 {
		return errors.New("not two paths")
	}
	from, to := filepath.Join(folder, args[0]), strings.TrimPrefix(path.Clean(args[1]), "/")
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		return l.add(path.Join(to, filepath.ToSlash(rel)), name, info, uid, gid)
	})
}

func (l *layerWriter) add(to, from string, info fs.FileInfo, uid, gid int) error {
	if err := l.folder(path.Dir(to), 0, 0); err != nil {
		return err
	}
	if info.IsDir() {
		return l.folder(to, uid, gid)
	}
	header := &tar.Header{Name: to, Mode: int64(info.Mode().Perm()), Size: info.Size(), Uid: uid, Gid: gid, Typeflag: tar.TypeReg}
	if err := l.tar.WriteHeader(header); err != nil {
		return err
	}
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	_, err = io.Copy(l.tar, f)
	return errors.Join(err, f.Close())
}

func (l *layerWriter) folder(name string, uid, gid int) error {
	if l.made[name] {
		return nil
	}
	l.made[name] = true
	if err := l.folder(path.Dir(name), 0, 0); err != nil {
		return err
	}
	return l.tar.WriteHeader(&tar.Header{Name: name + "/", Mode: 0o755, Uid: uid, Gid: gid, Typeflag: tar.TypeDir})
}

// pack puts an archive together: a list, a configuration and the layer.
func pack(archive, name string, config imageConfig, layer *os.File, sum string) (err error) {
	about, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "config": config,
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + sum}},
	})
	if err != nil {
		return err
	}
	id := fmt.Sprintf("%x.json", sha256.Sum256(about))
	list, err := json.Marshal([]map[string]any{{"Config": id, "RepoTags": []string{name}, "Layers": []string{sum + "/layer.tar"}}})
	if err != nil {
		return err
	}
	out, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := tar.NewWriter(out)
	size, err := layer.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := layer.Seek(0, io.SeekStart); err != nil {
		return err
	}
	put := func(name string, size int64, from io.Reader) {
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: size, Typeflag: tar.TypeReg})
		}
		if err == nil {
			_, err = io.Copy(w, from)
		}
	}
	put(sum+"/layer.tar", size, layer)
	put(id, int64(len(about)), strings.NewReader(string(about)))
	put("manifest.json", int64(len(list)), strings.NewReader(string(list)))
	return errors.Join(err, w.Close())
}

// link puts files into a folder that an image is made of, under other names.
func link(folder string, files map[string]string) error {
	for to, from := range files {
		to = filepath.Join(folder, to)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(from)
		if err != nil {
			return err
		}
		if err := os.Symlink(real, to); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// libraries are the files that a program is linked with, which ldd names.
func libraries(said string) (all []string) {
	for _, word := range strings.Fields(said) {
		if strings.HasPrefix(word, "/") && !slices.Contains(all, word) {
			all = append(all, strings.TrimSuffix(word, ":"))
		}
	}
	return all
}
