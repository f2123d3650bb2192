import {randomUUID} from 'node:crypto';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {SessionInfo} from '../actions/agent-event.ts';
import {noVictims, type ActionPorts} from '../actions/ports.ts';
import {failed} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import {createEngine} from '../agent/create-engine.ts';
import type {Engine} from '../agent/engine.ts';
import type {ModelPort, SessionsPort} from '../agent/ports.ts';
import type {PromptLimits} from '../agent/run-prompt.ts';
import {messageId, todoId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {PermissionMode} from '../domain/risk.ts';
import {deniedReads} from '../safety/denied-reads.ts';
import {makeJudge} from '../safety/judge.ts';
import type {PermissionRules} from '../safety/rules.ts';
import {makeFiles} from '../workspace/files.ts';
import {makeOutputFolder} from '../workspace/output-folder.ts';
import {makeSearch} from '../workspace/search.ts';
import {makeShell} from '../workspace/shell.ts';

export interface EngineParts {
  readonly model: ModelPort;
  readonly modelId: string;
  readonly session: OpenSession;
  readonly origin: SessionInfo['origin'];
  readonly sessions: SessionsPort;
  /** The first is where commands start and relative paths begin. */
  readonly roots: readonly [string, ...string[]];
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Variables that the user wants commands to have. */
  readonly ownVariables: Readonly<Record<string, string>>;
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
  readonly systemPrompt: string;
  readonly limits: PromptLimits;
  readonly asking: 'somebody' | 'nobody';
}

/** Wires the engine to this machine: the one place where ports meet what implements them. */
export function composeEngine(parts: EngineParts): Engine {
  const {roots, home, environment, rules} = parts;
  const [directory] = roots;
  const outputs = makeOutputFolder({parent: join(tmpdir(), `weft-output-${process.getuid?.() ?? 'user'}`)});
  const files = makeFiles({roots, home, alsoReadable: outputs.folders});
  const ground = {roots, home, resolve: (path: string) => files.resolve(path)};
  const machine: Pick<ActionPorts, 'shell' | 'files' | 'search' | 'blocks'> = {
    blocks: {start: async () => noBlocks, read: async () => noBlocks, write: async () => noBlocks},
    shell: makeShell({directory, environment, ownVariables: parts.ownVariables, outputs}),
    files,
    search: makeSearch({roots, home, environment, excluded: deniedReads({...ground, rules})}),
  };
  return createEngine({
    ports: {
      machine,
      victims: {find: async () => noVictims},
      secrets: {conceal: text => text},
      model: parts.model,
      judge: {...makeJudge({...ground, rules}), allow: async () => failed(rejected('Rules cannot be kept yet.'))},
      sessions: parts.sessions,
      clock: {now: () => Date.now()},
      ids: {message: () => messageId(randomUUID()), todo: () => todoId(randomUUID())},
    },
    session: parts.session,
    directory,
    origin: parts.origin,
    model: parts.modelId,
    mode: parts.mode,
    systemPrompt: parts.systemPrompt,
    limits: parts.limits,
    asking: parts.asking,
  });
}

const noBlocks = failed(rejected('Blocks are not built yet.'));
