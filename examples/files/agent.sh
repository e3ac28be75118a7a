#!/bin/sh
# Stands for a coding agent.
set -eu
case $(cat) in
*"Do NOT fix the issue"*)
  cat > "$KELOS_HANDOFF_PATH" <<'END'
{
  "version": 1,
  "summary": "Root cause: null pointer in auth.go:142 when session cookie is expired. The middleware skips validation but the handler assumes non-nil session.",
  "detail": "Full stack trace:\n  auth.go:142 → session.Validate()\n  middleware.go:89 → next.ServeHTTP()\n\nReproduction:\n  curl -H 'Cookie: session=expired' https://api.example.com/protected\n\nThe fix requires a nil check before accessing session fields in the auth handler.",
  "data": {
    "root_cause_file": "pkg/auth/auth.go",
    "root_cause_line": "142",
    "severity": "critical",
    "issue_key": "LIN-423"
  }
}
END
  ;;
*"Fix the issue"*"in pkg/auth/auth.go"*) echo '{"version": 1, "summary": "A nil check, and a test of an expired cookie"}' >"$KELOS_HANDOFF_PATH" ;;
*"on branch fix/lin-423"*) echo '{"version": 1, "summary": "Opened as pull request 7"}' >"$KELOS_HANDOFF_PATH" ;;
esac
