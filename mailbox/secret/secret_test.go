package secret_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/secret"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// The samples are split into parts here, so that no secret scanner finds them in this file.
var sampleToken = "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"

func TestMask_ReplacesSecrets(t *testing.T) {
	const hex = "8ebb62a969e65fa3" + "9689dd2e7bb7b024"
	block := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0B\n", 9) + "-----END RSA " + "PRIVATE KEY-----"
	for _, c := range []struct{ name, text, want string }{
		{"a token of an issuer", "use " + sampleToken + ".", "use [secret: github-token]."},
		{"in an address", "https://" + sampleToken + "@github.com/a/b", "https://[secret: github-token]@github.com/a/b"},
		{"in a line of JSON", `"a\n` + sampleToken + `\n"`, `"a\n[secret: github-token]\n"`},
		{"behind a colour", "\x1b[31m" + sampleToken + "\x1b[0m", "\x1b[31m[secret: github-token]\x1b[0m"},
		{"behind an escape", "?a=%20" + sampleToken + "&b", "?a=%20[secret: github-token]&b"},
		{"at the end of a name", "deploy-_" + sampleToken, "deploy-_[secret: github-token]"},
		{"twice", sampleToken + " " + sampleToken, "[secret: github-token] [secret: github-token]"},
		{"a bearer token of handoff", "hoff" + "_" + "Zk3x9Qv7LmP2sT8wRb5Yc1Nd", "[secret: handoff-token]"},
		{"a variable", "export VENDOR_API_KEY=" + hex + "\nls", "export VENDOR_API_KEY=[secret: key]\nls"},
		{"a field", `{"vendor_token": "` + hex + `"}`, `{"vendor_token": "[secret: token]"}`},
		{"a declaration", `var vendorSecret string = "` + hex + `"`, `var vendorSecret string = "[secret: secret]"`},
		{"an option", "psql --password Tr0ub4dor&3 -h db", "psql --password [secret: password] -h db"},
		{"a header", "Authorization: Bearer " + hex, "Authorization: Bearer [secret: token]"},
		{"an element", "<vendorToken>\n  " + hex + "\n</vendorToken>", "<vendorToken>\n  [secret: token]\n</vendorToken>"},
		{"an address with a password", "postgres://app:s3cr3tW0rd" + "@db:5432/x", "postgres://app:[secret: password]@db:5432/x"},
		{"a private key", "a\n" + block + "\nb", "a\n[secret: private-key]\nb"},
		{"a long token", "ey" + "J" + strings.Repeat("a1B2c", 50) + "X2a.." + strings.Repeat("a1B2c", 90) + " end", "[secret: jwt] end"},
		{"a private key that is cut off", "a\n" + block[:140], "a\n[secret: private-key]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			masked, kinds := secret.Mask(c.text)
			require.Equal(t, c.want, masked)
			require.Len(t, kinds, 1)
		})
	}
}

func TestMask_KeepsOtherText(t *testing.T) {
	for _, text := range []string{
		"", "password: required", "token := c.Token(ctx)", "api_key: ${API_KEY}", "secret=xxxxxxxxxxxxxxxxxxxx", "the key: release-2026-11-22",
		"ghp_" + strings.Repeat("x", 36), "claim_token: ct_k3v9abcd1234efgh", "commit 8c21e49ff0", "max_tokens: 15000", "PASSWORD=hunter",
		"http://user:$PASSWORD@host", "Authorization: Bearer <token>", "[secret: github-token]", "password: [secret: password]",
		"-----BEGIN " + "PRIVATE KEY-----\n...\n-----END " + "PRIVATE KEY-----",
	} {
		masked, kinds := secret.Mask(text)
		require.Equal(t, text, masked)
		require.Nil(t, kinds)
	}
}

func TestMaskNamed_RecognisesNames(t *testing.T) {
	masked, _ := secret.MaskNamed("db_password", "Tr0ub4dor&3")
	require.Equal(t, "[secret: password]", masked)
	masked, _ = secret.MaskNamed("colour", "Tr0ub4dor&3")
	require.Equal(t, "Tr0ub4dor&3", masked)
}

// plantedFiles matches the tests that contain texts which look like secrets. An alarm in these files is right.
var plantedFiles = regexp.MustCompile(`(^|/)(secret\w*_test\.go|quiet_test\.go|script/audit\.txtar|docs/security\.md)$`)

// One false alarm in 10,000 lines is acceptable. HANDOFF_CORPUS names a directory of other documents.
func TestMask_RarelyRaisesFalseAlarms(t *testing.T) {
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skip("no checkout: ", err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	for i, file := range files {
		files[i] = filepath.Join(list.Dir, file)
	}
	var more []string
	if corpus := os.Getenv("HANDOFF_CORPUS"); corpus != "" {
		more, err = filepath.Glob(filepath.Join(corpus, "*.*"))
		require.NoError(t, err)
	}
	lines, alarms := 0, 0
	for _, file := range append(files, more...) {
		if plantedFiles.MatchString(file) {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			continue // a link, or removed
		}
		for line := range strings.Lines(string(b)) {
			lines++
			if masked, kinds := secret.Mask(line); kinds != nil {
				alarms++
				t.Logf("%s: %s", file, masked)
			}
		}
	}
	t.Logf("%d in %d lines", alarms, lines)
	require.LessOrEqual(t, alarms*10_000, lines)
}

func FuzzMaskedTextHoldsNoSecret(f *testing.F) {
	f.Add("token=" + sampleToken + "\nhttps://a:b@c -----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		masked, kinds := secret.Mask(text)
		require.Equal(t, masked == text, kinds == nil)
		again, _ := secret.Mask(masked)
		require.Equal(t, masked, again)
	})
}
