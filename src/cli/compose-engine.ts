import {randomUUID} from 'node:crypto';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {SessionInfo} from '../actions/agent-event.ts';
import type {ActionPorts} from '../actions/ports.ts';
import {createEngine} from '../agent/create-engine.ts';
import type {Engine} from '../agent/engine.ts';
import type {ModelPort, SessionsPort} from '../agent/ports.ts';
import type {PromptLimits} from '../agent/run-prompt.ts';
import {messageId, todoId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {PermissionMode} from '../domain/risk.ts';
import {makeJudge} from '../safety/judge.ts';
import type {PermissionRules} from '../safety/rules.ts';
import {makeFiles} from '../workspace/files.ts';
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
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
  readonly systemPrompt: string;
  readonly limits: PromptLimits;
  readonly asking: 'somebody' | 'nobody';
}

/** Wires the engine to this machine: the one place where ports meet what implements them. */
export function composeEngine(parts: EngineParts): Engine {
  const {roots, home, environment} = parts;
  const [directory] = roots;
  const machine: Pick<ActionPorts, 'shell' | 'files' | 'search'> = {
    shell: makeShell({
      directory,
      environment,
      outputDirectory: join(tmpdir(), `weft-output-${process.getuid?.() ?? 0}`),
    }),
    files: makeFiles({roots, home}),
    search: makeSearch({roots, home, environment}),
  };
  return createEngine({
    ports: {
      machine,
      model: parts.model,
      judge: makeJudge({rules: parts.rules, resolve: path => machine.files.resolve(path)}),
      sessions: parts.sessions,
      clock: {now: () => Date.now()},
      ids: {message: () => messageId(randomUUID()), todo: () => todoId(randomUUID())},
    },
    session: parts.session,
    origin: parts.origin,
    model: parts.modelId,
    mode: parts.mode,
    systemPrompt: parts.systemPrompt,
    tools: 'all',
    limits: parts.limits,
    asking: parts.asking,
  });
}
