import {mkdtempSync, rmSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {confines} from '../../../../src/domain/sandbox.ts';
import {bwrap} from '../../../../src/workspace/sandbox/bwrap.ts';
import {probeHosts} from '../../../../src/workspace/sandbox/probe.ts';
import type {SandboxProvider} from '../../../../src/workspace/sandbox/sandbox.ts';
import {needs} from '../../../support/programs.ts';
import {never} from '../temporary-folder.ts';
import {sandboxPlace} from './sandbox-place.ts';

beforeEach(needs('bwrap', 'git'));

const onDisk = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));

/** bubblewrap with other arguments. */
const changed = (change: (args: readonly string[]) => readonly string[]): SandboxProvider => ({
  ...bwrap,
  async enclose(request) {
    const start = await bwrap.enclose(request);
    return start.tag === 'ok' ? {...start, value: {...start.value, args: change(start.value.args)}} : start;
  },
});

test.each([
  {name: 'as it is', provider: bwrap, proof: {proven: true, reason: ''}},
  {
    name: 'on the network of the machine',
    provider: changed(args => args.filter(word => word !== '--unshare-net')),
    proof: {proven: false, reason: expect.stringMatching(/accepts connections that bypass the proxy/u)},
  },
  {
    name: 'without the socket of the proxy',
    provider: changed(args => {
      const at = args.findIndex((word, index) => word === '--ro-bind' && args[index + 2] === '/run/weft/proxy.sock');
      return args.toSpliced(at, 3);
    }),
    proof: {proven: false, reason: 'a host that a rule allows cannot be reached'},
  },
])('the proxy of a sandbox $name', {tags: 'long'}, async ({provider, proof}) => {
  await using place = await sandboxPlace('bwrap');
  const works = await place.sandbox.proof();
  if (!confines(works)) return;
  const folder = mkdtempSync(join(onDisk, '.weft-probe-'));
  try {
    expect(await probeHosts(provider, {folder}, never)).toEqual(proof);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
});
