import type {McpServerState} from '../../actions/mcp-port.ts';
import type {McpServerRow} from '../../agent/client.ts';
import {firstLine, pluralize} from '../../base/clip.ts';
import {visible, visibleExactLine, visibleLine} from '../../base/visible.ts';
import {unreachable} from '../../base/unreachable.ts';
import {commandEffect} from '../state/effect.ts';
import {type Choice, choicePanel, type ChoicePanel, type ChoiceRow, choiceOfEffects} from '../state/panels/panel.ts';

export const serversPanel = (servers: readonly McpServerRow[]): ChoicePanel =>
  choicePanel({
    title: 'MCP servers',
    does: 'open',
    empty: 'No MCP servers. Add one: weft mcp add <name> -- <command>',
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
      row('About', aboutLine(state), notifyChoice(aboutText(server))),
      row('Tools', toolsText(server), {effects: [], next: toolsPanel(server)}, tools.length > 0),
      row('Log', pluralize(log.length, 'line'), notifyChoice(log.map(visibleLine).join('\n')), log.length > 0),
      row('Sign in', 'in the browser', mcpChoice('sign-in', name), status === 'needs-sign-in'),
      row('Reconnect', 'close and reopen the connection', mcpChoice('reconnect', name), isUsed),
      row('Turn off', 'for this session', mcpChoice('off', name), isUsed),
      row('Turn on', 'connect to it', mcpChoice('on', name), status === 'disabled'),
      row(
        'Trust',
        "review this project's settings",
        choiceOfEffects(commandEffect('trust', '')),
        status === 'untrusted',
      ),
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
        standing === 'changed' ? 'description changed; rules no longer apply' : '',
        firstLine(description, 100),
      ],
      mark: 'none',
      choice: notifyChoice(`${visibleExactLine(toolName)}\n${visible(description)}`.trimEnd()),
    })),
  });

const row = (label: string, detail: string, choice: Choice, isShown = true): readonly ChoiceRow[] =>
  isShown ? [{label, details: [detail], mark: 'none', choice}] : [];

const notifyChoice = (text: string): Choice => choiceOfEffects({do: 'notify', text});

const mcpChoice = (what: string, server: string): Choice => choiceOfEffects(commandEffect('mcp', `${what} ${server}`));

function stateText({status, error}: McpServerState): string {
  switch (status) {
    case 'connected':
      return 'connected';
    case 'pending':
      return 'starting';
    case 'idle':
      return 'starts on first use';
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
  sdk: 'from the SDK client',
  user: 'your settings',
  project: 'project settings',
  local: 'your settings for this project',
  given: 'set at startup',
} as const satisfies Record<McpServerState['source'], string>;

const sourceText = ({source}: McpServerState): string => sources[source];

const aboutLine = ({error, title, version}: McpServerState): string =>
  error === '' ? visibleLine(`${title} ${version}`.trim()) : visibleLine(error);

const transports = {
  program: 'local program',
  http: 'HTTP',
  sdk: 'SDK client',
} as const satisfies Record<McpServerState['transport'], string>;

function aboutText({state, tools}: McpServerRow): string {
  const {name, title, version, path, transport, latencyMs, error} = state;
  return [
    `${visibleExactLine(name)}: ${stateText(state)}`,
    state.status === 'failed' || error === '' ? '' : visibleLine(error),
    title === '' ? '' : `Reported name: ${visibleLine(`${title} ${version}`.trim())}`,
    `Transport: ${transports[transport]}`,
    path === '' ? '' : `Configured in ${visibleExactLine(path)}`,
    tools.length === 0 ? 'No tools' : pluralize(tools.length, 'tool'),
    latencyMs === undefined ? '' : `Last call: ${latencyMs} ms`,
  ]
    .filter(line => line !== '')
    .join('\n');
}
