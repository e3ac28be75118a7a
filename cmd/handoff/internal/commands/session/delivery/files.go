package delivery

// Files tells an agent that can write a file, and needs nothing else, how it hands its work on: the agent's part of
// the Kelos TaskHandoff proposal. It is for a prompt or for AGENTS.md.
const Files = `## Handing work on

When your work is done, or when you stop before that, write what the next agent has to know to the file that the
environment variable HANDOFF_PATH names, else KELOS_HANDOFF_PATH, else to /tmp/kelos-handoff.json. It is one JSON
object:

    {
      "version": 1,
      "summary": "What you did and what comes next, so that nobody has to find it out again.",
      "detail": "Optional: reasons, what you tried, what is left.",
      "data": {"root_cause_file": "internal/login.go", "root_cause_line": "42", "severity": "high"}
    }

- summary is required, at most 4,096 bytes. detail and data together take at most 65,536 bytes.
- data holds texts under names, for whoever reads it by program.
- Write no secrets. Write the whole file at once, at the end; a file that is too long or no JSON is refused.
- Whoever runs you reads it: handoff does not collect it by itself yet. Without the file nothing is handed on, and
  nothing breaks.
`
