package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const container = examples + "/container"

// composed is the tested part of a compose file.
type composed struct {
	Services map[string]struct {
		Environment map[string]string
		Networks    []string
		Ports       []string
		Secrets     []string
	}
	Networks map[string]struct{ Internal bool }
	Secrets  map[string]struct{ File string }
	Volumes  map[string]struct{}
}

func TestComposeFile_PublishesOnLoopbackOnly(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(container, "compose.yaml"))
	require.NoError(t, err)
	var file composed
	require.NoError(t, yaml.Unmarshal(content, &file))
	server := file.Services["server"]
	require.Equal(t, "true", server.Environment["HANDOFF_INSECURE"])
	require.Equal(t, "server", server.Environment["HANDOFF_HOST"])
	require.Empty(t, server.Ports, "without TLS nothing is published")
	require.Len(t, file.Services, 3)
	for _, network := range server.Networks {
		require.True(t, file.Networks[network].Internal, "without TLS it is on no other network")
	}
	for name, agent := range file.Services {
		if name == "server" {
			continue
		}
		require.Equal(t, "http://server"+server.Environment["HANDOFF_HTTP"]+"/mcp", agent.Environment["HANDOFF_URL"])
		require.Equal(t, []string{name}, agent.Secrets, "each has its own token")
		require.Equal(t, "./secrets/"+name, file.Secrets[name].File)
		require.Contains(t, agent.Networks, server.Networks[0])
	}
}

func TestComposeFile_IsValidForDocker(t *testing.T) {
	docker, err := exec.LookPath("docker")
	if err != nil || exec.CommandContext(t.Context(), docker, "compose", "version").Run() != nil {
		t.Skip("docker compose is not installed: its opinion of the file was not asked for")
	}
	cmd := exec.CommandContext(t.Context(), docker, "compose", "--file", filepath.Join(container, "compose.yaml"), "config", "--quiet")
	cmd.Env = append(os.Environ(), "AGENT_IMAGE=agent")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// The image starts only the server, and not as root, as the README of the examples says.
func TestContainerfile_StartsOnlyTheServer(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(container, "Containerfile"))
	require.NoError(t, err)
	_, image, ok := strings.Cut(string(content), "\nFROM scratch\n")
	require.True(t, ok)
	require.Contains(t, image, "\nUSER 65532:65532\n")
	require.NotRegexp(t, `(?m)^(RUN|SHELL|HEALTHCHECK|FROM)\b`, image)
	state := regexp.MustCompile(`(?m)^ENV XDG_STATE_HOME=(\S+)`).FindStringSubmatch(image)
	require.Len(t, state, 2)
	require.Contains(t, image, "\nVOLUME "+state[1]+"\n")
	require.Regexp(t, `(?m)^COPY --from=build --chown=65532:65532 \S+ `+state[1]+`$`, image)
	require.Contains(t, image, `ENTRYPOINT ["/handoff"]`)
}
