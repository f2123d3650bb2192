import * as z from 'zod/mini';
import type {AgentMessage, AgentReport} from './agents-port.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';
import {type AgentPartial, agentFacts, reportText, settleAgent} from './start-agent.ts';

export const sendMessageToAgent = defineAction<AgentMessage, AgentReport, AgentPartial>({
  summary: 'Send a message to a sub-agent.',
  ...needsNoPermission,
  scheduling: 'parallel',
  offered: 'when-found',
  tools: [
    toolForm({
      name: 'SendMessage',
      description: 'Steer a running sub-agent, or restart one that has ended.',
      aliases: {agent_id: 'to', recipient: 'to', content: 'message'},
      ignoredFields: {summary: 'any', type: ['message']},
      schema: () =>
        z.object({
          to: z.string().check(z.describe('Its id')),
          message: z.string(),
        }),
      toInput: ({to, message}) => ({to: to.trim(), message}),
    }),
  ],
  label: ({to}) => `Message to ${to}`,
  cancelled: ({to}) => ({name: to, answer: ''}),
  modelContent: report => textContent(reportText(report)),
  partialText: ({answer}) => (answer === '' ? '' : `It had answered: ${answer}`),
  outcome: ({row}) => agentFacts(row),
  past: 'answer-of-agent',
  run: async (input, {ports, signal, background}) =>
    settleAgent(await ports.agents.send(input, {signal, background}), input.to),
});
