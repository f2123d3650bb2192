import type {Query} from '../../agent/client.ts';
import {faultText} from '../../domain/fault.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

/** Shows the MCP servers of the session: where each stands, what it offers, and what can be done with it. */
export const mcpCommand = slashCommand({
  name: 'mcp',
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
    if (argument === '')
      openList(
        {title, loading: 'Asking the servers …', request: {query: 'mcp-servers'}},
        async servers => (await panels()).serversPanel(servers),
        context,
      );
    else if (word === 'sign-in') void signIn(server, context);
    else if (change === undefined) context.notify('warning', 'Write what to do and the server: /mcp reconnect github');
    else
      openList(
        {title, loading: 'Asking the server …', request: {query: 'change-mcp-server', server, change}},
        async row => (await panels()).serverPanel(row),
        context,
      );
  },
});

const title = 'MCP servers';

/** Loaded with their first use. */
const panels = () => import('./mcp-panels.ts');

const changes: ReadonlyMap<string, Query<'change-mcp-server'>['change']> = new Map([
  ['reconnect', 'reconnect'],
  ['on', 'turn-on'],
  ['off', 'turn-off'],
]);

/** The user goes on meanwhile: the link and what comes of it are notices. */
async function signIn(server: string, context: CommandContext): Promise<void> {
  const {options, signal} = context;
  const end = await options.engine.watch({watch: 'mcp-sign-in', server}, line => context.notify('info', line), signal);
  if (end.tag === 'failed' && !signal.aborted) context.notify('warning', faultText(end.error));
}
