import {pluralize} from '../../base/clip.ts';
import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import type {BlockInfo} from '../../actions/ports.ts';
import {isRunning} from '../../actions/block-text.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Effort} from '../../domain/model-stream.ts';
import {hasEnded} from '../../domain/sub-agent.ts';
import type {RunningSession} from '../../domain/session-list.ts';
import {
  bypassText,
  centsText,
  contextPercent,
  modeText,
  sandboxText,
  sessionCost,
  shortModel,
} from '../state/selectors.ts';
import type {View} from '../state/view.ts';
import {keyHint} from '../terminal/keymap.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {styledOutput} from '../text/styled-output.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';
import {Styled, useTheme} from '../theme/styled.tsx';

interface StatusLineProps {
  readonly view: Pick<View, 'mode' | 'model' | 'usage' | 'sandbox' | 'run' | 'agents'>;
  readonly effort: Effort | 'default';
  readonly blocks: readonly BlockInfo[];
  readonly sessions: readonly RunningSession[];
  /** A temporary hint that replaces the left side, such as what Enter does, or that the next Ctrl+C exits. */
  readonly hint: StatusHint | 'none';
  /** Vim's mode and pending keys. Empty if vim is off. */
  readonly vim: string;
  /** The output of the user's own status line command. Empty for weft's own line. */
  readonly custom: string;
  /** Columns that the user wants before `custom`. */
  readonly padding: number;
  readonly width: number;
}

export interface StatusHint {
  readonly text: string;
  readonly as: Role;
}

/**
 * The status line. Values keep their order. On a narrow screen, the least important values are dropped. The user's own line leaves
 * room at the right for the mode and what runs in the background.
 */
export function StatusLine(props: StatusLineProps): ReactNode {
  const {view, hint, custom, padding, width} = props;
  const theme = useTheme();
  const room = Math.max(1, width - 2 * margin);
  const isBypassing = view.mode === 'bypassPermissions';
  const alarm = isBypassing ? alarmText(room) : '';
  const alarmed = isBypassing ? <Styled as={['bold', 'error', 'selected']}>{alarm}</Styled> : null;
  const parts = partsOf(props);
  if (custom !== '' && hint === 'none') {
    const {left: state} = fitParts({...parts, ...shownByUser}, Math.floor((room - cellWidth(alarm)) / 2));
    const facts = list([alarm, state]);
    const line = styledOutput(custom, {theme, cells: room - padding - (facts === '' ? 0 : gap + cellWidth(facts))});
    return (
      <Box width={width} paddingX={margin} justifyContent="space-between">
        <Box flexShrink={0} paddingLeft={padding}>
          <Text wrap="truncate">{line}</Text>
        </Box>
        <Box flexShrink={0}>
          {alarmed}
          <Styled as="dim">{isBypassing && state !== '' ? glyphs.separator + state : state}</Styled>
        </Box>
      </Box>
    );
  }
  const fitted = fitParts(parts, room - cellWidth(alarm));
  return (
    <Box width={width} paddingX={margin} justifyContent="space-between">
      <Box flexShrink={0}>
        {alarmed}
        {isBypassing && fitted.left !== '' ? <Styled as="dim">{glyphs.separator}</Styled> : null}
        {fitted.left === '' ? null : <Styled as={hint === 'none' ? 'dim' : hint.as}>{fitted.left}</Styled>}
      </Box>
      {fitted.right === '' ? null : <Styled as="dim">{fitted.right}</Styled>}
    </Box>
  );
}

/** Returns the warning of the mode that allows everything. Signs give way, words don't. */
function alarmText(room: number): string {
  const whole = ` ${glyphs.warning} ${bypassText} ${glyphs.warning} `;
  return cellWidth(whole) <= room ? whole : fit(bypassText, room);
}

const margin = 2;

const gap = 2;

type PartName =
  | 'hint'
  | 'mode'
  | 'modeKey'
  | 'vim'
  | 'background'
  | 'ports'
  | 'sessions'
  | 'context'
  | 'sandbox'
  | 'shortcuts'
  | 'model'
  | 'cost';
type Parts = Readonly<Record<PartName, string>>;

/** The order in which parts are dropped if the line is too narrow. The mode always stays. */
const dropOrder: readonly PartName[] = [
  'shortcuts',
  'sandbox',
  'modeKey',
  'ports',
  'model',
  'cost',
  'context',
  'background',
  'sessions',
];

/** The parts that the user's own line shows instead. */
const shownByUser = {context: '', sandbox: '', shortcuts: '', model: '', cost: ''} as const;

function fitParts(parts: Parts, room: number): {readonly left: string; readonly right: string} {
  let shown = parts;
  for (const name of dropOrder) {
    const {left, right} = joinParts(shown);
    if (cellWidth(left) + (right === '' ? 0 : gap + cellWidth(right)) <= room) break;
    shown = {...shown, [name]: ''};
  }
  const {left, right} = joinParts(shown);
  return {left: fit(left, Math.max(0, room)), right};
}

function joinParts(parts: Parts) {
  const {hint, mode, modeKey, vim, background, ports, sessions, context, sandbox, shortcuts, model, cost} = parts;
  return {
    left:
      hint === ''
        ? list([mode + modeKey, vim, sessions, background + (background === '' ? '' : ports), context, sandbox])
        : hint,
    right: shortcuts === '' ? list([model, cost]) : shortcuts,
  };
}

const list = (facts: readonly string[]): string => facts.filter(fact => fact !== '').join(glyphs.separator);

function partsOf({view, effort, blocks, sessions, hint, vim}: StatusLineProps): Parts {
  const running = blocks.filter(({state}) => isRunning(state));
  const isBypassing = view.mode === 'bypassPermissions';
  const isUnused = view.run.state === 'idle' && Object.keys(view.usage.models).length === 0;
  return {
    hint: hint === 'none' ? '' : visibleLine(hint.text),
    mode: isBypassing ? '' : modeText(view.mode),
    modeKey: isBypassing ? '' : keyHint('next-mode', key => ` ${key.replace('Shift+', '⇧')}`),
    vim,
    background: list([agentsText(view.agents), backgroundText(running)]),
    ports: running.flatMap(({ports}) => ports.map(port => ` :${port}`)).join(''),
    sessions: sessionsText(sessions),
    context: contextText(view.usage),
    sandbox: sandboxText(view),
    shortcuts: isUnused ? '? for shortcuts' : '',
    model: shortModel(visibleLine(view.model)) + (effort === 'default' ? '' : ` ${effort}`),
    // Padded so that a growing amount doesn't move the line.
    cost: padded(sessionCost(view.usage, centsText)),
  };
}

/** Counts the sub-agents that work in the background. Those that the agent waits for have their own rows. */
function agentsText(agents: View['agents']): string {
  const count = agents.filter(({row}) => row.place === 'background' && !hasEnded(row.status)).length;
  return count === 0 ? '' : pluralize(count, 'agent');
}

/** Returns `1 server`, `2 in background`, or `1 needs input`. */
function backgroundText(running: readonly BlockInfo[]): string {
  const waiting = running.filter(({state}) => state.kind === 'waiting').length;
  if (waiting > 0) return `${waiting} needs input`;
  const count = running.length;
  if (count === 0) return '';
  if (!running.every(({ports}) => ports.length > 0)) return `${count} in background`;
  return pluralize(count, 'server');
}

function sessionsText(sessions: readonly RunningSession[]): string {
  const asking = sessions.filter(({state}) => state === 'needs-input').length;
  if (asking > 0) return `${pluralize(asking, 'session')} ${asking === 1 ? 'needs' : 'need'} input`;
  return sessions.length === 0 ? '' : `${pluralize(sessions.length, 'session')} running`;
}

function contextText({contextTokens, contextWindow}: View['usage']): string {
  if (contextWindow <= 0 || contextTokens <= 0) return '';
  return `context ${contextPercent(contextTokens, contextWindow)} %`;
}

const padded = (cost: string): string => (cost === '' ? '' : cost.padEnd('$10.00'.length));
