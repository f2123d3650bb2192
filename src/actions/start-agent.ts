import * as z from 'zod/mini';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {clip, pluralize} from '../base/clip.ts';
import {unreachable} from '../base/unreachable.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import {interrupted, type Settled} from '../domain/settled.ts';
import {type AgentRow, hasEnded, lifecycleEvents} from '../domain/sub-agent.ts';
import type {AgentReport, AgentRequest} from './agents-port.ts';
import {checkedForm, defineAction, textContent, toolForm, unlistedForm} from './define-action.ts';

export interface AgentPartial {
  readonly name: string;
  /** The sub-agent's text so far. Empty if it never started. */
  readonly answer: string;
}

const form = checkedForm(
  toolForm({
    name: 'Agent',
    description:
      'Give a task to a sub-agent with its own context; its final answer comes back. Types: general (default); explore, plan, review, which only read.',
    aliases: {
      name: 'description',
      agent_type: 'subagent_type',
      harness_type: 'harness',
      model_id: 'model',
      skills: 'skill_references',
    },
    // If both are given, people read the description.
    ignoredFields: {
      name: 'any',
      mode: ['default'],
      readonly: [false],
    },
    unlistedFields: [
      'version',
      'title',
      'execution_mode',
      'environment_id',
      'worker_host',
      'skill_references',
      'computer_use_enabled',
      'lifecycle_subscription',
    ],
    schema: () =>
      z.object({
        description: z.string().check(z.describe('3-5 words')),
        prompt: z.string(),
        subagent_type: z.optional(z.string()),
        harness: z.optional(z.string().check(z.describe('weft (default), claude, codex, gemini, opencode, pi'))),
        model: z.optional(z.string()),
        run_in_background: z.optional(z.boolean()),
        isolation: z.optional(z.enum(['worktree'])),
        version: z.optional(z.union([z.string(), z.number()])),
        title: z.optional(z.string()),
        execution_mode: z.optional(z.enum(['local', 'remote'])),
        environment_id: z.optional(z.string()),
        worker_host: z.optional(z.string()),
        skill_references: z.optional(
          z.array(z.union([z.string(), z.strictObject({name: z.string()})])).check(z.maxLength(20)),
        ),
        computer_use_enabled: z.optional(z.boolean()),
        lifecycle_subscription: z.optional(z.array(z.enum(lifecycleEvents))),
      }),
    toInput: raw => raw,
  }),
  ({execution_mode: mode, version = 'v2', ...raw}): Outcome<AgentRequest, string> => {
    // Both versions have these fields.
    if (!/^v?[12]$/iu.test(String(version).trim()))
      return failed(`version is ${version}, and weft knows v1 and v2. Give one of them, or leave version out`);
    const environment = raw.environment_id?.trim() ?? '';
    const host = raw.worker_host?.trim() ?? '';
    if (mode === 'remote' && environment === '')
      return failed('environment_id is missing. Give the name of a weft server in the setting harnesses');
    if (mode === 'local' && environment !== '') return failed('environment_id is for the execution mode remote');
    if (environment === '' && host !== '')
      return failed('worker_host is for a remote agent. Give its environment_id, or leave worker_host out');
    if (environment === '' && raw.computer_use_enabled === true)
      return failed('computer_use_enabled is true, and a sub-agent here can never use the computer. Leave it out');
    const harness = raw.harness?.trim() || 'weft';
    if (environment !== '' && !['weft', 'oz', 'warp'].includes(harness))
      return failed(`an environment runs weft itself, and not ${harness}`);
    const skills = (raw.skill_references ?? []).map(skill => (typeof skill === 'string' ? skill : skill.name));
    const reads = skills.length === 0 ? '' : `Read these skills first: ${skills.join(', ')}.\n\n`;
    return ok({
      name: clip(raw.description.trim(), 80),
      title: clip(raw.title?.trim() ?? '', 80),
      prompt: `${reads}${raw.prompt}`,
      kind: normalizeKind(raw.subagent_type?.trim() ?? ''),
      harness: environment || harness,
      machine: environment === '' ? 'any' : {host},
      computerUse: raw.computer_use_enabled === false ? 'denied' : 'asks',
      model: raw.model?.trim() ?? '',
      place: raw.run_in_background === true ? 'background' : 'foreground',
      isolation: raw.isolation ?? 'none',
      lifecycle: raw.lifecycle_subscription ?? [],
    });
  },
);

/** Models trained with other agents know it as `general-purpose`. */
const normalizeKind = (name: string): string => (name === '' || name === 'general-purpose' ? 'general' : name);

/** Starting a sub-agent needs no approval. weft judges its actions and asks about them as they come. */
export const startAgent = defineAction<AgentRequest, AgentReport, AgentPartial>({
  summary: 'Have a sub-agent do a task.',
  risk: 'read-only',
  scheduling: 'parallel',
  offered: 'agents',
  access: ({kind, harness, prompt}) =>
    harness === 'weft' ? {kind: 'agent', name: kind, task: prompt} : {kind: 'agent', name: harness, task: ''},
  ruleKind: 'named',
  asks: [],
  tools: [form, unlistedForm(form, 'Task')],
  label: ({name}) => `Agent: ${name}`,
  cancelled: ({name}) => ({name, answer: ''}),
  modelContent: report => textContent(reportText(report)),
  partialText: ({answer}) => (answer === '' ? '' : `It had answered: ${answer}`),
  outcome: ({row}) => agentFacts(row),
  past: 'answer-of-agent',
  run: async (input, {ports, signal, background}) =>
    settleAgent(await ports.agents.start(input, {signal, background}), input.name),
});

/** Settles the call: a failed sub-agent is an error, a stopped one a cancelled call. */
export function settleAgent(report: Outcome<AgentReport, Fault>, name: string): Settled<AgentReport, AgentPartial> {
  if (report.tag === 'failed') return {state: 'error', fault: report.error};
  const {row, notes, worktree} = report.value;
  const {status} = row;
  switch (status.kind) {
    case 'failed': {
      const said = status.answer === '' ? '' : `\nIt had answered: ${status.answer}`;
      const text = `${status.reason}${said}\n${[worktree, [...notes, aboutAgent(row)].join(' ')].filter(part => part !== '').join('\n')}`;
      return {state: 'error', fault: rejected(text)};
    }
    case 'cancelled':
      return interrupted({name, answer: status.answer});
    case 'started':
    case 'in_progress':
    case 'blocked':
    case 'idle':
    case 'succeeded':
      return {state: 'success', output: report.value};
    default:
      return unreachable(status);
  }
}

/** Returns what the model reads about a sub-agent when its call settles, or when one in the background ends. */
export function reportText({row, message, notes, worktree}: AgentReport): string {
  const {status} = row;
  const about = [worktree, [...notes, aboutAgent(row)].join(' ')].filter(part => part !== '').join('\n\n');
  switch (status.kind) {
    case 'succeeded':
      return `${status.answer}\n\n${about}`;
    case 'failed':
      return `It failed: ${status.reason}${status.answer === '' ? '' : ` It had answered: ${status.answer}`}\n\n${about}`;
    case 'cancelled':
      return `It was stopped.${status.answer === '' ? '' : ` It had answered: ${status.answer}`}\n\n${about}`;
    case 'started':
    case 'in_progress':
    case 'blocked':
    case 'idle':
      return message === 'joined'
        ? `It reads the message with its next step. ${about}`
        : `It continues in the background. You will be notified when it ends. ${about}`;
    default:
      return unreachable(status);
  }
}

/** The line that identifies a sub-agent for the model. SendMessage takes this id. */
const aboutAgent = (row: AgentRow): string =>
  `[agent ${row.agent.id}: ${[row.agent.name, ...agentFacts(row)].join(', ')}]`;

export function agentFacts({agent, progress, place, status}: AgentRow): readonly string[] {
  const {usage, costUsd, files, turns, calls} = progress;
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return [
    agent.harness === 'weft' ? agent.kind : agent.harness,
    ...(agent.isolation === 'worktree' ? ['in a worktree'] : []),
    ...(place === 'background' && !hasEnded(status) ? ['in the background'] : []),
    ...(turns === 0 ? [] : [pluralize(turns, 'turn')]),
    ...(calls === 0 ? [] : [pluralize(calls, 'call')]),
    ...(tokens === 0 ? [] : [`${tokens.toLocaleString('en')} tokens`]),
    ...(typeof costUsd === 'number' && costUsd > 0 ? [`$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`] : []),
    ...(files.length === 0 ? [] : [`changed ${clip(files.join(', '), 500)}`]),
  ];
}
