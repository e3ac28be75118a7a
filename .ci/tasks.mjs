// Waits with a built handoff as a client of other authors does: @modelcontextprotocol/ext-tasks, on stdio.
//
// usage: node tasks.mjs HANDOFF HOME PACKAGE, where PACKAGE is the folder of @modelcontextprotocol/ext-tasks
//
// Mail ends a wait, a cancelled wait takes no mail, a wait goes on at another process after the first was killed, and a
// person approves by a form.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [handoff, home, folder] = process.argv.slice(2);
const { createApplicationInputHandler, withTasks } = await import(pathToFileURL(`${folder}/dist/client/index.js`));
const REVISION = "2026-07-28", KEY = "io.modelcontextprotocol";
const project = mkdtempSync(`${tmpdir()}/tasks-`); // not the home, where the person's own settings are
const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: `${home}/.config` };

// A server of an agent, and a session of the package with it.
class Agent {
  constructor(name) {
    this.server = spawn(handoff, ["mcp", "--workspace", "ci", "--agent", name], { env, cwd: project, stdio: ["pipe", "pipe", "inherit"] });
    this.waiting = new Map();
    this.asked = 0;
    createInterface({ input: this.server.stdout }).on("line", (line) => {
      const { id, result, error } = JSON.parse(line);
      this.waiting.get(id)?.(error ? { kind: "error", error } : { kind: "result", result });
    });
    this.session = withTasks({
      endpointId: "handoff",
      taskCapabilities: { generation: "v2", capabilities: {} },
      dispatch: (request) => this.dispatch(request),
      onServerRequest: () => () => {},
      onNotification: () => () => {},
      onInvalidated: () => () => {},
      invalidated: false,
    }, {
      onInputRequest: createApplicationInputHandler({
        elicitation: async () => { this.asked++; return { action: "accept", content: { answer: "approve" } }; },
      }),
      onError: (error) => { throw error; },
    });
  }

  dispatch({ method, params }) {
    const id = this.waiting.size;
    const _meta = {
      ...params?._meta,
      [`${KEY}/protocolVersion`]: REVISION, [`${KEY}/clientInfo`]: { name: "ext-tasks", version: "1" },
      [`${KEY}/clientCapabilities`]: { elicitation: {}, extensions: { [`${KEY}/tasks`]: {} } },
    };
    this.server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } })}\n`);
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }

  // The result of a call.
  async call(tool, args) {
    const settled = await (await this.session.callTool(tool, args)).settle();
    return this.read(settled);
  }

  // A call that has to wait.
  async wait(tool, args) {
    const execution = await this.session.callTool(tool, { ...args, wait_seconds: 50 });
    assert.equal(execution.kind, "task");
    return execution;
  }

  read({ outcome }) {
    assert.equal(outcome.state ?? outcome.status ?? outcome.kind, "completed", JSON.stringify(outcome));
    return outcome.result.structuredContent;
  }

  async end(signal) {
    const ended = new Promise((resolve) => this.server.on("exit", resolve));
    if (signal) this.server.kill(signal); else this.server.stdin.end();
    await ended;
  }
}

const boss = new Agent("boss");
let dev = new Agent("dev");

const mail = await dev.wait("claim_handoff", {});
await boss.call("send_handoff", { to: "dev", task: "first" });
assert.equal(dev.read(await mail.settle()).handoff_id, "ho_1");
console.log("mail ends a wait");

const given = await dev.wait("claim_handoff", {});
await given.cancel();
await boss.call("send_handoff", { to: "dev", task: "second" });
assert.equal((await dev.call("list_handoffs", { status: "pending" })).items.length, 1);
const there = await dev.wait("claim_handoff", {});
assert.equal(dev.read(await there.settle()).handoff_id, "ho_2");
for (const handoff_id of ["ho_1", "ho_2"]) await dev.call("complete_handoff", { handoff_id, summary: "done" });
console.log("a cancelled wait takes no mail, and a wait for mail that is there is a task, too");

let reference;
await (await dev.wait("claim_handoff", {})).handoff((saved) => { reference = saved; });
await dev.end("SIGKILL");
await boss.call("send_handoff", { to: "dev", task: "third" });
dev = new Agent("dev");
const resumed = await dev.session.resumeTask(reference, {});
assert.equal(dev.read(await resumed.settle()).handoff_id, "ho_3");
await dev.call("complete_handoff", { handoff_id: "ho_3", summary: "done" });
console.log("a wait goes on at another process");

await boss.call("send_handoff", { to: "dev", task: "fourth", options: { needs_approval: true } });
const outcome = await boss.wait("get_handoff", { handoff_id: "ho_4", view: "outcome" });
const settled = outcome.settle();
const work = await dev.wait("claim_handoff", {});
assert.equal(dev.read(await work.settle()).handoff_id, "ho_4");
await dev.call("complete_handoff", { handoff_id: "ho_4", summary: "done" });
assert.equal(boss.read(await settled).status, "completed");
assert.equal(boss.asked, 1);
console.log("a person approves by a form, and the outcome ends the wait");

await Promise.all([boss.end(), dev.end()]);
rmSync(project, { recursive: true });
