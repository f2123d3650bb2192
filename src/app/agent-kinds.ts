import type {AgentKindsPort} from '../agent/ports.ts';
import {type AgentKind, usualTurns} from '../agent/sub-agents/agent-kind.ts';
import {permissionModes} from '../domain/risk.ts';
import type {AgentFile} from '../extensions/skills/load-extensions.ts';
import {mayCall, promptWithSkills, serversOf, toolsOf, turnsOf, unheededNotes} from './agent-fields.ts';
import type {RunContext} from './run-context.ts';

/** The kinds of sub-agents that files, plugins and `--agents` define. Nothing is read before the first request to the model. */
export function agentKinds(context: RunContext, systemPromptOf: (prompt: string) => string): AgentKindsPort {
  let kinds: readonly AgentKind[] = [];
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    const {agents} = await context.extensions().found(new AbortController().signal);
    const offered = agents.filter(({offer}) => offer.offered === 'yes');
    kinds = await Promise.all(
      offered.map(async agent => {
        const {prompt, notes} = await promptWithSkills(agent, context.extensions());
        return kindOf({...agent, prompt}, {notes, systemPromptOf});
      }),
    );
  };
  return {ready: () => (reading ??= read()), list: () => kinds};
}

function kindOf(
  agent: AgentFile,
  {notes, systemPromptOf}: {readonly notes: readonly string[]; readonly systemPromptOf: (prompt: string) => string},
): AgentKind {
  const {name, description, prompt, model, fields} = agent;
  const tools = toolsOf(agent);
  const {permissionMode} = fields;
  // A server that only the file defines runs for `--agent`, not yet for a sub-agent.
  const also = [...(Object.keys(serversOf(agent).defined).length === 0 ? ['mcpServers'] : []), 'isolation'];
  return {
    name,
    description,
    systemPrompt: {kind: 'own', text: systemPromptOf(prompt)},
    brief: '',
    model,
    mode: permissionModes.find(mode => mode === permissionMode) ?? 'inherit',
    maxTurns: turnsOf(agent) ?? usualTurns,
    isolation: fields['isolation'] === 'worktree' ? 'worktree' : 'none',
    mayCall: tool => mayCall(tools, tool),
    notes: [...unheededNotes(agent, also), ...notes],
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
