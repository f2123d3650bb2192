import {agentFacts} from '../../actions/start-agent.ts';
import {visible, visibleExactLine} from '../../base/visible.ts';
import {type AgentRow, hasEnded} from '../../domain/sub-agent.ts';
import {type AgentOutput, agentStatusText} from '../state/agent-outputs.ts';
import {agentPanel, choicePanel, type ChoicePanel} from '../state/panels/panel.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

/** Lists the sub-agents of the session; one that is chosen is shown at work, to be stopped or told something. */
export const agentsCommand = slashCommand({
  name: 'agents',
  usage: '/agents [show NUMBER|stop NUMBER|tell NUMBER TEXT]',
  summary: 'show the sub-agents, stop one, or tell it something',
  choices: [
    {value: 'show', summary: 'print the task of the sub-agent of this number, and what it said'},
    {value: 'stop', summary: 'stop the sub-agent of this number'},
    {value: 'tell', summary: 'tell the sub-agent of this number something'},
  ],
  run(argument, context) {
    if (argument === '')
      openList({title, loading: 'Reading the sub-agents …', request: {query: 'agents'}}, agentsPanel, context);
    else void change(argument, context);
  },
});

const title = 'Sub-agents';

const agentsPanel = (rows: readonly AgentRow[]): ChoicePanel =>
  choicePanel({
    title,
    does: 'look',
    empty: 'No sub-agents in this session yet. The model starts them: ask it to',
    rows: rows.map((row, at) => ({
      label: visibleExactLine(row.agent.name),
      details: [agentStatusText(row), visibleExactLine(agentFacts(row).join(', '))],
      mark: 'none',
      choice: {effects: [], next: agentPanel(row, at + 1)},
    })),
  });

/** `1` is the first of the list. */
async function change(argument: string, context: CommandContext): Promise<void> {
  const [, word = '', number = '', text = ''] = /^(show|stop|tell) (\d+)(?: ([^]+))?$/u.exec(argument) ?? [];
  if (word === '' || (word === 'tell') === (text === '')) {
    context.notify(
      'warning',
      'Write the number in the list: /agents show 1, /agents stop 1, or /agents tell 1 look in src, too',
    );
    return;
  }
  const rows = await context.answerTo({query: 'agents'});
  const row = rows?.[Number(number) - 1];
  if (rows === undefined) return;
  if (row === undefined) {
    context.notify('warning', `There is no sub-agent ${number}. /agents lists them`);
    return;
  }
  const {id, name} = row.agent;
  if (word === 'show') {
    context.notify('info', fullText(row, context.view.agents));
    return;
  }
  if (word === 'tell') context.submit({op: 'message-agent', id, text});
  else context.submit({op: 'stop-agent', id});
  context.notify('info', `${word === 'tell' ? 'Told' : 'Stopping'} ${visibleExactLine(name)}`);
}

/** How many of the last lines of one at work are printed. */
const lastLines = 10;

function fullText(row: AgentRow, outputs: readonly AgentOutput[]): string {
  const {agent, status} = row;
  const tail = outputs.find(each => each.row.agent.id === agent.id)?.tail.trim() ?? '';
  const last = tail === '' ? [] : ['Its last lines:', ...visible(tail).split('\n').slice(-lastLines)];
  const said = 'answer' in status && status.answer !== '' ? [visible(status.answer)] : hasEnded(status) ? [] : last;
  return [
    `${visibleExactLine(agent.name)}: ${agentStatusText(row)} (${visibleExactLine(agentFacts(row).join(', '))})`,
    ...(status.kind === 'failed' ? [visible(status.reason)] : []),
    `Its task: ${visible(agent.prompt)}`,
    ...said,
  ].join('\n');
}
