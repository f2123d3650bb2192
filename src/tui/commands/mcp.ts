import type {Query} from '../../agent/client.ts';
import {faultText} from '../../domain/fault.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

/** Lists the session's MCP servers with their states and tools, and can reconnect, turn on or off, and sign in. */
export const mcpCommand = slashCommand({
  name: 'mcp',
  usage: '/mcp [reconnect|on|off|sign-in SERVER]',
  summary: 'Manage MCP servers',
  choices: [
    {value: 'reconnect', summary: 'Reconnect a server'},
    {value: 'on', summary: 'Turn on a server'},
    {value: 'off', summary: 'Turn off a server for this session'},
    {value: 'sign-in', summary: 'Sign in to a server in the browser'},
  ],
  run(argument, context) {
    const [, word = '', server = ''] = /^(\S+) ([^]+)$/u.exec(argument) ?? [];
    const change = changes.get(word);
    if (argument === '')
      openList(
        {title, loading: 'Loading servers…', request: {query: 'mcp-servers'}},
        async servers => (await loadPanels()).serversPanel(servers),
        context,
      );
    else if (word === 'sign-in') void signIn(server, context);
    else if (change === undefined) context.notify('warning', 'Name an action and a server: /mcp reconnect github');
    else
      openList(
        {title, loading: 'Connecting…', request: {query: 'change-mcp-server', server, change}},
        async row => (await loadPanels()).serverPanel(row),
        context,
      );
  },
});

const title = 'MCP servers';

/** Loads the panels on first use. */
const loadPanels = () => import('./mcp-panels.ts');

const changes: ReadonlyMap<string, Query<'change-mcp-server'>['change']> = new Map([
  ['reconnect', 'reconnect'],
  ['on', 'turn-on'],
  ['off', 'turn-off'],
]);

/** Signs in without blocking the UI: the link and the outcome are shown as notices. */
async function signIn(server: string, context: CommandContext): Promise<void> {
  const {options, signal} = context;
  const end = await options.engine.watch({watch: 'mcp-sign-in', server}, line => context.notify('info', line), signal);
  if (end.tag === 'failed' && !signal.aborted) context.notify('warning', faultText(end.error));
}
