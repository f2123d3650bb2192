import {agentFacts} from '../../actions/start-agent.ts';
import {visible, visibleExactLine} from '../../base/visible.ts';
import {type AgentRow, hasEnded} from '../../domain/sub-agent.ts';
import {type AgentOutput, agentStatusText} from '../state/agent-outputs.ts';
import {agentPanel, choicePanel, type ChoicePanel} from '../state/panels/panel.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

/** Lists the session's sub-agents. Choosing one opens a panel that shows its output and can stop it or send it a message. */
export const agentsCommand = slashCommand({
  name: 'agents',
  usage: '/agents [show N | stop N | tell N TEXT]',
  summary: 'List agents, stop one, or send it a message',
  choices: [
    {value: 'show', summary: "Print an agent's task and output"},
    {value: 'stop', summary: 'Stop an agent'},
    {value: 'tell', summary: 'Send an agent a message'},
  ],
  run(argument, context) {
    if (argument === '')
      openList({title, loading: 'Loading agents…', request: {query: 'agents'}}, agentsPanel, context);
    else void changeAgent(argument, context);
  },
});

const title = 'Agents';

const agentsPanel = (rows: readonly AgentRow[]): ChoicePanel =>
  choicePanel({
    title,
    does: 'view',
    empty: 'No agents yet. Ask weft to start one.',
    rows: rows.map((row, at) => ({
      label: visibleExactLine(row.agent.name),
      details: [agentStatusText(row), visibleExactLine(agentFacts(row).join(', '))],
      mark: 'none',
      choice: {effects: [], next: agentPanel(row, at + 1)},
    })),
  });

/** Numbers in the argument count from 1, in the order of the list. */
async function changeAgent(argument: string, context: CommandContext): Promise<void> {
  const [, word = '', number = '', text = ''] = /^(show|stop|tell) (\d+)(?: ([^]+))?$/u.exec(argument) ?? [];
  if (word === '' || (word === 'tell') === (text === '')) {
    context.notify(
      'warning',
      'Give the number from the list: /agents show 1, /agents stop 1, or /agents tell 1 look in src too',
    );
    return;
  }
  const rows = await context.runQuery({query: 'agents'});
  const row = rows?.[Number(number) - 1];
  if (rows === undefined) return;
  if (row === undefined) {
    context.notify('warning', `No agent ${number}. Type /agents for the list.`);
    return;
  }
  const {id, name} = row.agent;
  if (word === 'show') {
    context.notify('info', fullText(row, context.view.agents));
    return;
  }
  if (word === 'tell') context.submit({op: 'message-agent', id, text});
  else context.submit({op: 'stop-agent', id});
  context.notify('info', `${word === 'tell' ? 'Message sent to' : 'Stopping'} ${visibleExactLine(name)}`);
}

/** The maximum number of output lines that are printed of a running agent. */
const maxLastLines = 10;

function fullText(row: AgentRow, outputs: readonly AgentOutput[]): string {
  const {agent, status} = row;
  const tail = outputs.find(each => each.row.agent.id === agent.id)?.tail.trim() ?? '';
  const last = tail === '' ? [] : ['Last output:', ...visible(tail).split('\n').slice(-maxLastLines)];
  const said = 'answer' in status && status.answer !== '' ? [visible(status.answer)] : hasEnded(status) ? [] : last;
  return [
    `${visibleExactLine(agent.name)}: ${agentStatusText(row)} (${visibleExactLine(agentFacts(row).join(', '))})`,
    ...(status.kind === 'failed' ? [visible(status.reason)] : []),
    `Task: ${visible(agent.prompt)}`,
    ...said,
  ].join('\n');
}
