import type {Access} from '../domain/access.ts';
import type {Obligation} from '../domain/obligation.ts';
import {confines, type Proof} from '../domain/sandbox.ts';
import {pathsOutside} from './access-finding.ts';
import type {CommandAnalysis} from './commands/analyze-command.ts';
import {certainWrites, type CommandMachine} from './commands/certain-writes.ts';
import type {Finding} from './commands/command-finding.ts';
import {accessedPaths} from './paths/accessed-paths.ts';
import type {PathContext} from './paths/path-context.ts';

/**
 * How a dry run holds changes back. In a view, commands can change nothing outside the workspace. In a copy, they can, unless the
 * sandbox confines them.
 */
export type HeldBack = 'view' | (CommandMachine & {readonly sandboxed: 'all-commands' | 'some-commands'});

interface DryAction {
  readonly access: Access;
  readonly finding: Finding;
  readonly context: PathContext;
  readonly analysis: CommandAnalysis | undefined;
  readonly obligations: readonly Obligation[];
  readonly sandbox: () => Promise<Proof | 'none'>;
}

/** The kinds of actions that reach other machines or programs. Commands have no network. */
const leavesMachine: ReadonlySet<Access['kind']> = new Set([
  'mcp-tool',
  'web-page',
  'web-query',
  'computer-request',
  'computer-steps',
]);

/** Whether an action of a dry run can change nothing outside the workspace. */
export async function staysInside(
  {access, finding, context, analysis, obligations, sandbox}: DryAction,
  heldBack: HeldBack,
): Promise<boolean> {
  if (access.kind === 'edit') return pathsOutside(accessedPaths(access), context).length === 0;
  if (leavesMachine.has(access.kind)) return false;
  if (heldBack === 'view') return true;
  if (access.kind === 'terminal-input') return false;
  if (access.kind !== 'command' || analysis === undefined || finding.decision === 'allow') return true;
  const written = await certainWrites(analysis, heldBack);
  if (written !== 'any' && pathsOutside(written, context).length === 0) return true;
  if (heldBack.sandboxed === 'some-commands' || obligations.some(({kind}) => kind === 'confined')) return false;
  const proof = await sandbox();
  return proof !== 'none' && confines(proof);
}
