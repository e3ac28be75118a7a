package demo

// story is the chain of work. Its workspace is new, so the handoffs are ho_1 to ho_6.
var story = []step{
	{
		agent: "planner", tool: "send_handoff", about: "to architect: Design authentication module",
		args: object{
			"to": "architect", "title": "Design authentication module", "workflow": "auth", "priority": "high",
			"task":         "Design the authentication module of TaskManager. Write the specification to TODO/auth-module.md.",
			"expectations": object{"success_criteria": list{"The specification covers login, logout and refresh"}},
			"context":      object{"original_request": "Users must be able to log in", "project": project},
		},
		want: results{{"handoff_id", "ho_1"}, {"status", "pending"}},
	},
	{
		agent: "architect", tool: "claim_handoff", about: "the next one",
		want: results{{"handoff_id", "ho_1"}, {"title", "Design authentication module"}},
	},
	{
		agent: "architect", tool: "complete_handoff", about: "ho_1, and pass on to auto-code",
		args: object{
			"handoff_id": "ho_1", "summary": "Specified JWT with refresh tokens; passwords are hashed with bcrypt.",
			"verification": met("Sections 2 to 4"),
			"deliverables": list{object{"type": "specification", "files_created": list{"TODO/auth-module.md"}}},
			"continuation": implement,
		},
		want: results{{"status", "completed"}, {"outcome", "success"}, {"forwarded.handoff_id", "ho_2"}, {"forwarded.to", "auto-code"}},
	},
	{
		agent: "auto-code", tool: "claim_handoff", about: "the next one",
		want: results{{"handoff_id", "ho_2"}, {"title", "Implement auth module"}, {"from", "architect"}},
	},
	{
		agent: "auto-code", tool: "update_handoff", about: "ho_2: progress, 60 %",
		args: object{"handoff_id": "ho_2", "action": "progress", "note": "Tokens and middleware are done", "percent": 60},
		want: results{{"status", "working"}},
	},
	{
		agent: "auto-code", tool: "complete_handoff", about: "ho_2 with evidence, and pass on to qa",
		args: implemented,
		want: results{{"status", "completed"}, {"outcome", "success"}, {"forwarded.handoff_id", "ho_3"}, {"forwarded.to", "qa"}},
	},
	{
		agent: "qa", tool: "claim_handoff", about: "the next one",
		want: results{{"handoff_id", "ho_3"}, {"title", "Test auth implementation"}},
	},
	{
		agent: "qa", tool: "fail_handoff", about: "ho_3: Missing test fixtures",
		args: missingFixtures,
		want: results{{"status", "failed"}, {"then", "rollback"}, {"rollback_handoff", "ho_4"}, {"to", "auto-code"}},
	},
	{
		agent: "qa", tool: "update_handoff", about: "ho_4: a title that says what is to be done",
		args: object{"handoff_id": "ho_4", "action": "amend", "changes": object{"title": "Add test fixtures"}},
		want: results{{"status", "pending"}},
	},
	{
		agent: "auto-code", tool: "claim_handoff", about: "the next one",
		want: results{{"handoff_id", "ho_4"}, {"title", "Add test fixtures"}},
	},
	{
		agent: "auto-code", tool: "complete_handoff", about: "ho_4, and pass back to qa",
		args: object{
			"handoff_id": "ho_4", "summary": "Added users and expired tokens as fixtures.",
			"deliverables": list{object{"type": "tests", "files_created": list{"tests/fixtures/users.json", "tests/fixtures/tokens.json"}}},
			"continuation": object{
				"to": "qa", "title": "Retest auth implementation", "task": "Run the suite again; the fixtures are in tests/fixtures.",
			},
		},
		want: results{{"status", "completed"}, {"forwarded.handoff_id", "ho_5"}, {"forwarded.to", "qa"}},
	},
	{
		agent: "qa", tool: "claim_handoff", about: "the next one",
		want: results{{"handoff_id", "ho_5"}, {"title", "Retest auth implementation"}},
	},
	{
		agent: "qa", tool: "complete_handoff", about: "ho_5: 12 tests passed, and pass on to ciso",
		args: object{
			"handoff_id": "ho_5", "summary": "12 tests passed.",
			"verification": object{
				"tests_passing": true, "tests_passed": 12,
				"commands": list{object{"command": "npm test", "exit_code": 0, "output": "12 passed"}},
			},
			"continuation": object{
				"to": "ciso", "title": "Security review", "task": "Review src/auth before the release.", "priority": "high",
			},
		},
		want: results{{"status", "completed"}, {"outcome", "success"}, {"forwarded.handoff_id", "ho_6"}, {"forwarded.to", "ciso"}},
	},
	{
		agent: "ciso", tool: "claim_handoff", about: "the next one",
		want: results{{"handoff_id", "ho_6"}, {"title", "Security review"}},
	},
	{
		agent: "ciso", tool: "update_handoff", about: "ho_6: progress",
		args: object{"handoff_id": "ho_6", "action": "progress", "note": "Token rotation looks right; checking rate limits"},
		want: results{{"status", "working"}},
	},
}
