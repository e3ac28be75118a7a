package plugin

import "handoff/tools"

// when tells a model for what it should read the skill.
const when = "Take, do, give back and pass on work with handoff. Use it when a handoff or mail waits, when told to delegate, " +
	"assign, hand over, hand off, ask another agent or the human, request a review, tests or a fix, resume what an earlier " +
	"session left, or when you are stuck on work that you claimed."

// skill teaches how work is taken and given back.
func skill(dir string) File {
	body := written("skill.md", struct{ Tools []tools.Tool }{tools.Table})
	return File{dir + "/skills/" + name + "/SKILL.md", headed(body, key{"name", name}, key{"description", quoted(when)})}
}
