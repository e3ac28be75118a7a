package agentsfile

// Template is the text of a new file with declarations. It declares no agents.
const Template = `# Who takes which work in this project. handoff reads this file again when it changes:
# no restart is needed. handoff agents check says what is wrong with it, by line.

# Agents by name. A send to a name that is neither here nor registered is refused.
# agents:
#   qa:
#     accepts: [code, test_request]     # types of work; "*" for any
#     produces: [test_results]
#     skills: [go, sql]
#     max_session_minutes: 60           # the longest that it works at a stretch
#     max_open: 3                       # handoffs at once
#     description: Runs the tests and says what fails.

# Roles. One holds for all agents whose names begin with it, as testing-specialist-RedStone,
# and work for role:testing or role:testing-specialist goes to them.
# agent_roles:
#   testing-specialist:
#     skills: [testing, validation]
#     typical_tasks: [testing, verification]
#     max_session_duration: 60          # minutes
#     responsibilities: Run tests, document failures.
`
