import {tryOr} from '../base/outcome.ts';
import {type Proof, confines} from '../domain/sandbox.ts';
import type {RunContext} from './run-context.ts';
import {readdirSync} from 'node:fs';
import {pluralize} from '../base/clip.ts';
import {realPath} from '../workspace/files/resolve-path.ts';
import {changesFolder, journalsIn} from '../config/places.ts';
import {note} from './output.ts';

/** Returns what the configured sandbox stops on this machine. Tests it if there is no result since the machine started. */
export async function proveSandbox(context: RunContext): Promise<Proof> {
  const {commandSandbox} = await import('./command-sandbox.ts');
  const sandbox = commandSandbox(context, context.settings.sandbox);
  try {
    return await sandbox.proof();
  } finally {
    await sandbox.close();
  }
}

/**
 * Throws an error if the user chose a sandbox that does not pass its probe. In that case no command may run, because it
 * would not be confined.
 */
export async function requireNamedSandbox(context: RunContext): Promise<void> {
  const {sandbox} = context.settings;
  if (sandbox === 'auto' || sandbox === 'native') return;
  const proof = await proveSandbox(context);
  if (confines(proof)) return;
  throw new Error(
    `the sandbox ${sandbox} does not confine commands here: ${proof.reason}. Choose another one (weft sandbox test), or --sandbox auto.`,
  );
}

/** Finishes applying changes in this workspace if a weft process was killed while it applied them. Otherwise it only reads one folder. */
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
    note(`weft was killed while it applied the changes of ${pluralize(count, 'command')}. They are applied now`);
}

/** True if the folder is there and not empty. */
export const hasEntries = (folder: string): boolean => tryOr(() => readdirSync(folder).length > 0, false);
