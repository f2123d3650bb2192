import type {Proof} from '../domain/sandbox.ts';
import {confines} from '../domain/sandbox.ts';
import type {RunContext} from './run-context.ts';

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
