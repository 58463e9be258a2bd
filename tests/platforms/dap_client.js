// SPDX-License-Identifier: Apache-2.0
// A debug session of examples/csl/gemv by a client that is not ours, @vscode/debugadapter-testsupport of npm, which must be in
// NODE_PATH. dap_client_test.py installs and runs it.
//
//     node dap_client.js TESSERA ROOT
const assert = require('assert');
const fs = require('fs');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const [tessera, root] = process.argv.slice(2);
const source = `${root}/examples/csl/gemv/pe.csl`;
const lineOf = (text) => fs.readFileSync(source, 'utf8').split('\n').findIndex((line) => line.includes(text)) + 1;
const adds = lineOf('@fmacs(y_dsr');
const counts = lineOf('left -= 1');

// The client attaches its listener before the request is sent: an event may come together with the answer.
async function moveTo(client, request, reason, line) {
  const [, stop] = await Promise.all([request, client.assertStoppedLocation(reason, { path: source, line })]);
  return stop.body.stackFrames[0];
}

async function valuesIn(client, frame, scopeName) {
  const { scopes } = (await client.scopesRequest({ frameId: frame.id })).body;
  const scope = scopes.find(({ name }) => name === scopeName);
  const { variables } = (await client.variablesRequest({ variablesReference: scope.variablesReference })).body;
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}

async function session(client, structure) {
  const outputs = [];
  client.on('output', (event) => outputs.push(event.body.output));
  await Promise.all([
    client.configurationSequence(),
    client.launch({
      program: `${root}/examples/csl/gemv/layout.csl`,
      args: ['--params', 'width:4,height:3,M:12,N:16', '--launch', 'compute', '--structure', structure],
      stopOnEntry: true,
    }),
    client.waitForEvent('stopped'),
  ]);
  const { threads } = (await client.threadsRequest()).body;
  const threadId = threads[0].id;

  // Without the condition a step of one PE ends where another PE comes to the line.
  const wanted = [{ line: adds, condition: 'pe=(0,0)' }];
  const { breakpoints } = (await client.setBreakpointsRequest({ source: { path: source }, breakpoints: wanted })).body;
  assert.deepStrictEqual(breakpoints.map(({ verified, line }) => [verified, line]), [[true, adds]]);
  let frame = await moveTo(client, client.continueRequest({ threadId }), 'breakpoint', adds);
  assert.strictEqual(frame.name, 'task on_x');
  const globals = await valuesIn(client, frame, 'Globals');
  assert.match(globals.y, /^\[0\.0, /);
  assert.ok('value' in (await valuesIn(client, frame, 'Locals')));
  assert.strictEqual((await valuesIn(client, frame, 'Tasks')).on_x.split(',')[0], 'runs');
  assert.strictEqual((await client.evaluateRequest({ expression: 'left', frameId: frame.id })).body.result, '4');

  frame = await moveTo(client, client.nextRequest({ threadId }), 'step', counts);
  await assert.rejects(client.evaluateRequest({ expression: 'no_such_name', frameId: frame.id }));

  await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
  const [exited] = await Promise.all([client.waitForEvent('exited'), client.waitForEvent('terminated'), client.continueRequest({ threadId })]);
  assert.strictEqual(exited.body.exitCode, 0);
  assert.match(outputs.join(''), /digest +[0-9a-f]{16}/);
}

(async () => {
  for (const structure of ['modules', 'dense']) {
    const client = new DebugClient(tessera, 'dap', 'tessera', { cwd: root });
    client.defaultTimeout = 120000;
    await client.start();
    await session(client, structure);
    await client.stop();
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
