import {tryOr} from '../base/outcome.ts';
import {type Proof, confines} from '../domain/sandbox.ts';
import type {RunContext} from './run-context.ts';
import {readdirSync} from 'node:fs';
import {pluralize} from '../base/clip.ts';
import {realPath} from '../workspace/files/resolve-path.ts';
import {changesFolder, journalsIn} from '../workspace/sandbox/changes/held-set.ts';
import {note} from './output.ts';

/** What the sandbox of the settings stops on this machine: found out where that is not known since it started. */
export async function proveSandbox(context: RunContext): Promise<Proof> {
  const {commandSandbox} = await import('./command-sandbox.ts');
  const sandbox = commandSandbox(context, context.settings.sandbox);
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

/** Completes what a weft that was killed had begun to apply in this workspace. Costs one look into a folder if there is nothing. */
export async function finishApplies({
  roots: [first, ...others],
  places,
}: Pick<RunContext, 'roots' | 'places'>): Promise<void> {
  const folder = changesFolder(places.data);
  if (!hasEntries(journalsIn(folder))) return;
  const {finishInterruptedApplies} = await import('../workspace/sandbox/changes/journal.ts');
  const roots = [realPath(first), ...others.map(root => realPath(root))] as const;
  const count = await finishInterruptedApplies({roots, folder}, new AbortController().signal);
  if (count > 0)
    note(`weft was killed while it applied the changes of ${pluralize(count, 'command')}; they are applied now`);
}

const hasEntries = (folder: string): boolean => tryOr(() => readdirSync(folder).length > 0, false);
