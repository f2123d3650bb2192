import {homedir} from 'node:os';
import type {Proof} from '../../domain/sandbox.ts';
import {confines} from '../../domain/sandbox.ts';
import {isProtectedBelow} from '../../safety/paths/protected-paths.ts';
import {isSecretFile} from '../../safety/secrets/secret-files.ts';
import {lazyNetwork} from './lazy-ports.ts';
import type {RunContext} from './run-context.ts';

/** What the sandbox of the settings stops on this machine: found out where that is not known since it started. */
export async function proveSandbox({settings, roots, places}: RunContext): Promise<Proof> {
  const {makeSandbox} = await import('../../workspace/sandbox/make-sandbox.ts');
  const sandbox = makeSandbox({
    choice: settings.sandbox,
    roots,
    home: homedir(),
    environment: process.env,
    ownFolders: [],
    proofFolder: places.data,
    deniedReads: () => [],
    readable: () => [],
    isProtected: isProtectedBelow,
    isSecret: isSecretFile,
    network: lazyNetwork({rules: settings.rules, loopback: settings.loopback, asking: 'by-rule'}),
  });
  try {
    return await sandbox.proof();
  } finally {
    await sandbox.close();
  }
}

/** Throws where the user has named a sandbox that cannot prove itself: nothing may run then, as nothing would confine it. */
export async function requireNamedSandbox(context: RunContext): Promise<void> {
  const {sandbox} = context.settings;
  if (sandbox === 'auto' || sandbox === 'native') return;
  const proof = await proveSandbox(context);
  if (confines(proof)) return;
  throw new Error(
    `the sandbox ${sandbox} does not confine commands here: ${proof.reason}. Choose another one (weft sandbox test), or --sandbox auto.`,
  );
}
