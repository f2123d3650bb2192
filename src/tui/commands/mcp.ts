import type {Query} from '../../agent/client.ts';
import {faultText} from '../../domain/fault.ts';
import {type ChoicePanel, choicesMissing} from '../state/panels/choice.ts';
import type {CommandContext, SlashCommand} from './command.ts';

/** Shows the MCP servers of the session: where each stands, what it offers, and what can be done with it. */
export const mcpCommand: SlashCommand = {
  name: 'mcp',
  aliases: [],
  usage: '/mcp [reconnect|on|off|sign-in SERVER]',
  summary: 'show the MCP servers, connect them anew, turn them on and off, sign in',
  choices: [
    {value: 'reconnect', summary: 'connect a server anew'},
    {value: 'on', summary: 'bring back the tools of a server'},
    {value: 'off', summary: 'take away the tools of a server, for this session'},
    {value: 'sign-in', summary: 'sign in to a server in the browser'},
  ],
  run(argument, context) {
    const [, word = '', server = ''] = /^(\S+) ([^]+)$/u.exec(argument) ?? [];
    const change = changes.get(word);
    if (argument === '') context.openLoading(title, 'Asking the servers …', serverChoices(context));
    else if (word === 'sign-in') void signIn(server, context);
    else if (change === undefined) context.notify('warning', 'Write what to do and the server: /mcp reconnect github');
    else context.openLoading(title, 'Asking the server …', changedServer({server, change}, context));
  },
};

const title = 'MCP servers';

const changes: ReadonlyMap<string, Query<'change-mcp-server'>['change']> = new Map([
  ['reconnect', 'reconnect'],
  ['on', 'turn-on'],
  ['off', 'turn-off'],
]);

/** The panels are loaded with their first use. */
async function serverChoices({options, signal}: CommandContext): Promise<ChoicePanel> {
  const [answer, {serversPanel}] = await Promise.all([
    options.engine.query({query: 'mcp-servers'}, signal),
    import('./mcp-panels.ts'),
  ]);
  return answer.tag === 'ok' ? serversPanel(answer.value) : missing(answer);
}

async function changedServer(
  request: Omit<Query<'change-mcp-server'>, 'query'>,
  {options, signal}: CommandContext,
): Promise<ChoicePanel> {
  const [answer, {serverPanel}] = await Promise.all([
    options.engine.query({query: 'change-mcp-server', ...request}, signal),
    import('./mcp-panels.ts'),
  ]);
  return answer.tag === 'ok' ? serverPanel(answer.value) : missing(answer);
}

const missing = (answer: Parameters<typeof whyNot>[0]): ChoicePanel => choicesMissing(title, 'failed', whyNot(answer));

const whyNot = (
  answer: {readonly tag: 'failed'; readonly error: Parameters<typeof faultText>[0]} | {readonly tag: 'cancelled'},
): string => (answer.tag === 'failed' ? faultText(answer.error) : 'It was cancelled');

/** The user goes on meanwhile: the link and what comes of it are notices. */
async function signIn(server: string, context: CommandContext): Promise<void> {
  const {options, signal} = context;
  const end = await options.engine.watch({watch: 'mcp-sign-in', server}, line => context.notify('info', line), signal);
  if (end.tag === 'failed' && !signal.aborted) context.notify('warning', whyNot(end));
}
