import * as z from 'zod/mini';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {faultText, rejected} from '../domain/fault.ts';
import type {Settled} from '../domain/settled.ts';
import type {AgentReport} from './agents-port.ts';
import {checkedForm, defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';
import {type AgentPartial, agentFacts, reportText, settleAgent} from './start-agent.ts';

interface MessageInput {
  /** The sub-agents, by id or name; at least one. */
  readonly to: readonly [string, ...string[]];
  readonly message: string;
}

/** A message to one or several sub-agents, which all get it at once. */
export const sendMessageToAgent = defineAction<MessageInput, readonly AgentReport[], AgentPartial>({
  summary: 'Send a message to a sub-agent.',
  ...needsNoPermission,
  scheduling: 'parallel',
  offered: 'when-found',
  tools: [
    checkedForm(
      toolForm({
        name: 'SendMessage',
        description: 'Steer a running sub-agent, or restart one that has ended.',
        aliases: {agent_id: 'to', recipient: 'to', content: 'message', recipients: 'addresses'},
        ignoredFields: {summary: 'any', type: ['message']},
        unlistedFields: ['addresses', 'subject'],
        expectedFields: ['to'],
        schema: () =>
          z.object({
            to: z.optional(z.string().check(z.describe('Its id'))),
            message: z.string(),
            addresses: z.optional(z.array(z.string()).check(z.maxLength(20))),
            subject: z.optional(z.string()),
          }),
        toInput: raw => raw,
      }),
      ({to, addresses = [], subject = '', message}): Outcome<MessageInput, string> => {
        const named = [...(to === undefined ? [] : [to]), ...addresses].map(each => each.trim());
        const [first, ...others] = new Set(named.filter(each => each !== ''));
        if (first === undefined) return failed('to is missing. Give the id of a sub-agent');
        return ok({
          to: [first, ...others],
          message: subject.trim() === '' ? message : `Subject: ${subject.trim()}\n\n${message}`,
        });
      },
    ),
  ],
  label: ({to}) => `Message to ${to.join(', ')}`,
  cancelled: ({to}) => ({name: to.join(', '), answer: ''}),
  modelContent: reports => textContent(reports.map(reportText).join('\n\n')),
  partialText: ({answer}) => (answer === '' ? '' : `It had answered: ${answer}`),
  outcome: reports => reports.flatMap(({row}) => agentFacts(row)),
  past: 'answer-of-agent',
  async run({to, message}, {ports, signal, background}) {
    const settled = await Promise.all(
      to.map(async each => settleAgent(await ports.agents.send({to: each, message}, {signal, background}), each)),
    );
    return joinSettled(settled);
  },
});

type AgentEnd = Settled<AgentReport, AgentPartial>;

/** Joins the results: one that was cancelled or failed decides, and the texts of the others come with a failure. */
function joinSettled(settled: readonly AgentEnd[]): Settled<readonly AgentReport[], AgentPartial> {
  const cancelled = settled.find(each => each.state === 'cancelled');
  if (cancelled !== undefined) return cancelled;
  const reports = settled.flatMap(each => (each.state === 'success' ? [each.output] : []));
  const faults = settled.flatMap(each => (each.state === 'error' ? [each.fault] : []));
  const [only] = faults;
  if (only === undefined) return {state: 'success', output: reports};
  if (settled.length === 1) return {state: 'error', fault: only};
  return {state: 'error', fault: rejected([...faults.map(faultText), ...reports.map(reportText)].join('\n\n'))};
}
