package demo

// The longer messages of the story.

var project = object{"name": "TaskManager", "tech_stack": list{"Node.js", "TypeScript", "PostgreSQL"}}

var implement = object{
	"to": "auto-code", "title": "Implement auth module",
	"task":    "Implement the authentication module as TODO/auth-module.md specifies.",
	"options": object{"phase": "design_complete", "reason": "Implementation of authentication module"},
	"context": object{
		"project": project,
		"artifacts": list{
			object{"type": "specification", "path": "TODO/auth-module.md", "description": "Authentication module specification"},
		},
		"decisions": list{
			object{"decision": "JWT with refresh tokens", "rationale": "Stateless auth for API consumers"},
			object{"decision": "Refresh tokens are rotated", "rationale": "A stolen one is noticed"},
			object{"decision": "bcrypt for passwords", "rationale": "Already a dependency"},
		},
	},
	"expectations": object{
		"deliverables": list{object{
			"type": "code", "description": "Authentication module implementation", "files": list{"src/auth/*.ts"},
			"acceptance_criteria": list{"Implements all spec requirements", "Includes unit tests", "Passes type checking"},
		}},
		"constraints":        list{"Must use existing database schema", "No breaking changes to API"},
		"estimated_duration": "30 minutes",
	},
	"rollback": object{"on_failure": "architect"},
}

var implemented = object{
	"handoff_id": "ho_2", "summary": "Login, logout and refresh work; routes are rate limited.",
	"deliverables": list{object{
		"type":           "code",
		"files_created":  list{"src/auth/jwt.ts", "src/auth/middleware.ts", "src/auth/routes.ts", "src/auth/refresh.ts"},
		"files_modified": list{"src/app.ts"},
		"tests_created":  list{"tests/auth.test.ts"},
	}},
	"verification": object{
		"tests_passing": true, "type_check_passing": true, "lint_passing": true,
		"criteria": list{
			object{"criterion": "1", "met": true, "evidence": "All 9 requirements are ticked off in the specification"},
			object{"criterion": "2", "met": true, "evidence": "tests/auth.test.ts"},
			object{"criterion": "3", "met": true, "evidence": "tsc --noEmit ends with 0"},
		},
		"commands": list{object{"command": "npm test", "exit_code": 0}},
	},
	"notes": list{"Added refresh token rotation for security", "Included rate limiting on auth endpoints"},
	"continuation": object{
		"to": "qa", "title": "Test auth implementation", "type": "task_handoff",
		"task":         "Test the authentication module end to end.",
		"context":      object{"test_command": "npm test", "files": list{object{"path": "src/auth", "note": "new"}}},
		"expectations": object{"success_criteria": list{"Login, logout and refresh are tested"}},
		"rollback":     object{"on_failure": "auto-code", "failure_context": list{"Which tests could not run"}},
	},
}

var missingFixtures = object{
	"handoff_id": "ho_3", "description": "Missing test fixtures", "type": "blocker",
	"blockers": list{object{
		"type": "missing_information", "description": "No users and no expired tokens to test with", "required_to_proceed": true,
	}},
	"partial_progress": object{"completed": list{"Login with a fresh token"}, "incomplete": list{"Refresh", "Expired tokens"}},
	"questions":        list{"Which user has no password set?"},
}

// met answers the only criterion of a handoff.
func met(evidence string) object {
	return object{"criteria": list{object{"criterion": "1", "met": true, "evidence": evidence}}}
}
