import type {AgentKindsPort} from '../../agent/ports.ts';
import {type AgentKind, usualTurns} from '../../agent/sub-agents/agent-kind.ts';
import {permissionModes} from '../../domain/risk.ts';
import type {AgentFile} from '../../extensions/skills/load-extensions.ts';
import {mayCall, toolsOf} from './agent-tools.ts';
import type {RunContext} from './run-context.ts';

/** The fields of an agent's file that count, or that say nothing to weft. */
const heeded: ReadonlySet<string> = new Set([
  'name',
  'description',
  'prompt',
  'tools',
  'disallowedTools',
  'model',
  'permissionMode',
  'maxTurns',
  'color',
]);

/** The kinds of sub-agents that files, plugins and `--agents` define. Nothing is read before the first request to the model. */
export function agentKinds(context: RunContext, systemPromptOf: (prompt: string) => string): AgentKindsPort {
  let kinds: readonly AgentKind[] = [];
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    const {agents} = await context.extensions().found(new AbortController().signal);
    kinds = agents.flatMap(agent => (agent.offer.offered === 'yes' ? [kindOf(agent, systemPromptOf)] : []));
  };
  return {ready: () => (reading ??= read()), list: () => kinds};
}

function kindOf(agent: AgentFile, systemPromptOf: (prompt: string) => string): AgentKind {
  const {name, description, prompt, model, fields} = agent;
  const tools = toolsOf(agent);
  const {permissionMode, maxTurns} = fields;
  const turns = typeof maxTurns === 'number' && maxTurns >= 1 ? Math.floor(maxTurns) : usualTurns;
  const unheeded = Object.keys(fields).filter(field => !heeded.has(field));
  return {
    name,
    description,
    systemPrompt: {kind: 'own', text: systemPromptOf(prompt)},
    brief: '',
    model,
    mode: permissionModes.find(mode => mode === permissionMode) ?? 'inherit',
    maxTurns: turns,
    mayCall: tool => mayCall(tools, tool),
    notes: unheeded.length === 0 ? [] : [`Not heeded of what defines ${name}: ${unheeded.join(', ')}.`],
  };
}

/** The same kinds without the secrets that their files may hold. */
export function redactedKinds(kinds: AgentKindsPort, redact: (text: string) => string): AgentKindsPort {
  let known: {readonly of: readonly AgentKind[]; readonly list: readonly AgentKind[]} | undefined;
  const redacted = (kind: AgentKind): AgentKind =>
    kind.systemPrompt.kind === 'same'
      ? kind
      : {...kind, systemPrompt: {kind: 'own', text: redact(kind.systemPrompt.text)}};
  return {
    ready: signal => kinds.ready(signal),
    list() {
      const of = kinds.list();
      if (known?.of !== of) known = {of, list: of.map(redacted)};
      return known.list;
    },
  };
}
