import type {McpServerState} from '../../actions/mcp-port.ts';
import type {McpServerRow} from '../../agent/client.ts';
import {firstLine, pluralize} from '../../base/clip.ts';
import {visible, visibleExactLine, visibleLine} from '../../base/visible.ts';
import {unreachable} from '../../base/unreachable.ts';
import {commandEffect} from '../state/effect.ts';
import {type Choice, choicePanel, type ChoicePanel, type ChoiceRow, doing} from '../state/panels/panel.ts';

export const serversPanel = (servers: readonly McpServerRow[]): ChoicePanel =>
  choicePanel({
    title: 'MCP servers',
    does: 'open',
    empty: 'No MCP servers here. Add one: weft mcp add <name> -- <command>',
    rows: servers.map(server => ({
      label: visibleExactLine(server.state.name),
      details: [stateText(server.state), toolsText(server), latencyText(server.state), sourceText(server.state)],
      mark: 'none',
      choice: {effects: [], next: serverPanel(server)},
    })),
  });

export function serverPanel(server: McpServerRow): ChoicePanel {
  const {state, tools} = server;
  const {name, log, status} = state;
  const isUsed = status !== 'disabled' && status !== 'untrusted';
  return choicePanel({
    title: `MCP server ${visibleExactLine(name)}`,
    note: firstLine(stateText(state), 40),
    does: 'select',
    rows: [
      row('About', aboutLine(state), tell(aboutText(server))),
      row('Tools', toolsText(server), {effects: [], next: toolsPanel(server)}, tools.length > 0),
      row('Log', pluralize(log.length, 'line'), tell(log.map(visibleLine).join('\n')), log.length > 0),
      row('Sign in', 'in the browser', change('sign-in', name), status === 'needs-sign-in'),
      row('Reconnect', 'end the connection and make it anew', change('reconnect', name), isUsed),
      row('Turn off', 'no tools of it in this session', change('off', name), isUsed),
      row('Turn on', 'connect it', change('on', name), status === 'disabled'),
      row('Trust', 'show what this project asks for', doing(commandEffect('trust', '')), status === 'untrusted'),
    ].flat(),
  });
}

const toolsPanel = ({state, tools}: McpServerRow): ChoicePanel =>
  choicePanel({
    title: `Tools of ${visibleExactLine(state.name)}`,
    does: 'show',
    rows: tools.map(({toolName, description, standing}) => ({
      label: visibleExactLine(toolName),
      details: [
        standing === 'changed' ? 'described differently now: no rule covers it' : '',
        firstLine(description, 100),
      ],
      mark: 'none',
      choice: tell(`${visibleExactLine(toolName)}\n${visible(description)}`.trimEnd()),
    })),
  });

const row = (label: string, detail: string, choice: Choice, there = true): readonly ChoiceRow[] =>
  there ? [{label, details: [detail], mark: 'none', choice}] : [];

const tell = (text: string): Choice => doing({do: 'notify', text});

const change = (what: string, server: string): Choice => doing(commandEffect('mcp', `${what} ${server}`));

function stateText({status, error}: McpServerState): string {
  switch (status) {
    case 'connected':
      return 'connected';
    case 'pending':
      return 'starting';
    case 'idle':
      return 'starts with its first call';
    case 'needs-sign-in':
      return 'needs sign-in';
    case 'disabled':
      return 'off';
    case 'untrusted':
      return 'not trusted';
    case 'failed':
      return `failed: ${visibleLine(error)}`;
    default:
      return unreachable(status);
  }
}

const toolsText = ({tools}: McpServerRow): string => (tools.length === 0 ? '' : pluralize(tools.length, 'tool'));

const latencyText = ({latencyMs}: McpServerState): string => (latencyMs === undefined ? '' : `${latencyMs} ms`);

const sources = {
  sdk: 'from the program that drives weft',
  user: 'your settings',
  project: 'this project',
  local: 'yours in this project',
  given: 'given at the start',
} as const satisfies Record<McpServerState['source'], string>;

const sourceText = ({source}: McpServerState): string => sources[source];

const aboutLine = ({error, title, version}: McpServerState): string =>
  error === '' ? visibleLine(`${title} ${version}`.trim()) : visibleLine(error);

const transports = {
  program: 'a program on this machine',
  http: 'reached over the network',
  sdk: 'in the program that drives weft',
} as const satisfies Record<McpServerState['transport'], string>;

function aboutText({state, tools}: McpServerRow): string {
  const {name, title, version, path, transport, latencyMs, error} = state;
  return [
    `${visibleExactLine(name)}: ${stateText(state)}`,
    state.status === 'failed' || error === '' ? '' : visibleLine(error),
    title === '' ? '' : `It calls itself ${visibleLine(`${title} ${version}`.trim())}`,
    `It is ${transports[transport]}`,
    path === '' ? '' : `From ${visibleExactLine(path)}`,
    tools.length === 0 ? 'No tools are known' : `It has ${pluralize(tools.length, 'tool')}`,
    latencyMs === undefined ? '' : `Its last call took ${latencyMs} ms`,
  ]
    .filter(line => line !== '')
    .join('\n');
}
