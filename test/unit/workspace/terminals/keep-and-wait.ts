import {blockIds} from '../../../support/block-ids.ts';
import {plainSandbox} from '../../../support/plain-sandbox.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {readBlockRegistry} from '../../../../src/workspace/terminals/block-registry.ts';
import {makeCommands} from '../../../../src/workspace/exec/make-commands.ts';
import {makeOutputFolder} from '../../../../src/workspace/exec/output-folder.ts';
import {never} from '../temporary-folder.ts';

/** A process of its own for a test: starts two blocks in the folder it is given, keeps the first, says so and waits to be killed. */
const [folder = ''] = process.argv.slice(2);
const commands = makeCommands({
  roots: [folder],
  environment: process.env,
  ownVariables: {},
  passedVariables: [],
  outputs: makeOutputFolder({parent: `${folder}/outputs`}),
  filter: () => ({push: bytes => bytes, pause: () => new Uint8Array(), end: () => new Uint8Array()}),
  redact: text => text,
  registryFolder: `${folder}/blocks`,
  waits: 'usual',
  newId: blockIds(),
  sandbox: plainSandbox,
});
const kept = await commands.blocks.start(
  {
    command: 'while sleep 0.1; do echo tick; done; sleep 7401',
    directory: folder,
    environment: 'inherited',
    confinement: 'chosen',
  },
  never,
);
await commands.blocks.start(
  {command: 'sleep 7402', directory: folder, environment: 'inherited', confinement: 'chosen'},
  never,
);
await commands.shell.run(
  {
    command: 'setsid -f sleep 7402 >/dev/null 2>&1; sleep 7402 &',
    directory: folder,
    timeoutMs: 5000,
    paging: 'unexpected',
    changes: 'none',
    environment: 'inherited',
    confinement: 'chosen',
    ...onPipes,
  },
  () => {},
  never,
);
if (kept.tag === 'ok') commands.control.keep(kept.value.id);
// That it is kept is written down last, when whoever keeps it is there.
const timer = setInterval(() => {
  if (!readBlockRegistry(`${folder}/blocks`).some(({life}) => life === 'kept')) return;
  clearInterval(timer);
  process.stdout.write('ready');
}, 20);
setInterval(() => {}, 1000);
