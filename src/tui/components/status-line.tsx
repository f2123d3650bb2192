import {pluralize} from '../../base/clip.ts';
import {Box} from 'ink';
import type {ReactNode} from 'react';
import type {BlockInfo} from '../../actions/ports.ts';
import {isGoing} from '../../actions/block-text.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Effort} from '../../domain/model-stream.ts';
import type {RunningSession} from '../../domain/session-list.ts';
import {knownCost} from '../../domain/usage.ts';
import {centsText, contextPercent, modeText, sandboxText} from '../state/selectors.ts';
import type {View} from '../state/view.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';
import {Styled} from '../theme/styled.tsx';

interface StatusLineProps {
  readonly view: Pick<View, 'mode' | 'model' | 'usage' | 'sandbox' | 'run'>;
  readonly effort: Effort | 'default';
  readonly blocks: readonly BlockInfo[];
  /** The sessions that go on while this one is shown. */
  readonly sessions: readonly RunningSession[];
  /** Said for the moment in place of what stands on the left: what Enter does, vim's mode, that the next Ctrl+C leaves. */
  readonly hint: StatusHint | 'none';
  /** Vim's mode and what is pending; empty where vim is off. */
  readonly vim: string;
  readonly width: number;
}

export interface StatusHint {
  readonly text: string;
  readonly as: Role;
}

/** Each value keeps its place; on a narrow screen those that matter least are left out. */
export function StatusLine({view, effort, blocks, sessions, hint, vim, width}: StatusLineProps): ReactNode {
  const room = Math.max(1, width - 2 * margin);
  const isFree = view.mode === 'bypassPermissions';
  const alarm = isFree ? fit(` ${glyphs.warning} permissions bypassed ${glyphs.warning} `, room) : '';
  const fitted = fittedParts(partsOf({view, effort, blocks, sessions, hint, vim}), room - cellWidth(alarm));
  return (
    <Box width={width} paddingX={margin} justifyContent="space-between">
      <Box flexShrink={0}>
        {isFree ? <Styled as={['bold', 'error', 'selected']}>{alarm}</Styled> : null}
        {isFree && fitted.left !== '' ? <Styled as="dim">{glyphs.between}</Styled> : null}
        {fitted.left === '' ? null : <Styled as={hint === 'none' ? 'dim' : hint.as}>{fitted.left}</Styled>}
      </Box>
      {fitted.right === '' ? null : <Styled as="dim">{fitted.right}</Styled>}
    </Box>
  );
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

/** What is left out first where there is not enough room, one after the other; the mode stays. */
const leftOut: readonly PartName[] = [
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

function fittedParts(parts: Parts, room: number): {readonly left: string; readonly right: string} {
  let said = parts;
  for (const name of leftOut) {
    const {left, right} = joined(said);
    if (cellWidth(left) + (right === '' ? 0 : gap + cellWidth(right)) <= room) break;
    said = {...said, [name]: ''};
  }
  const {left, right} = joined(said);
  return {left: fit(left, Math.max(0, room)), right};
}

function joined(parts: Parts) {
  const {hint, mode, modeKey, vim, background, ports, sessions, context, sandbox, shortcuts, model, cost} = parts;
  return {
    left:
      hint === ''
        ? list([mode + modeKey, vim, sessions, background + (background === '' ? '' : ports), context, sandbox])
        : hint,
    right: shortcuts === '' ? list([model, cost]) : shortcuts,
  };
}

const list = (facts: readonly string[]): string => facts.filter(fact => fact !== '').join(glyphs.between);

function partsOf({view, effort, blocks, sessions, hint, vim}: Omit<StatusLineProps, 'width'>): Parts {
  const running = blocks.filter(({state}) => isGoing(state));
  const isFree = view.mode === 'bypassPermissions';
  const isUnused = view.run.state === 'idle' && Object.keys(view.usage.models).length === 0;
  return {
    hint: hint === 'none' ? '' : visibleLine(hint.text),
    mode: isFree ? '' : modeText(view.mode),
    modeKey: isFree ? '' : ' ⇧Tab',
    vim,
    background: backgroundText(running),
    ports: running.flatMap(({ports}) => ports.map(port => ` :${port}`)).join(''),
    sessions: sessionsText(sessions),
    context: contextText(view.usage),
    sandbox: sandboxText(view),
    shortcuts: isUnused ? '? for shortcuts' : '',
    model: shortModel(visibleLine(view.model)) + (effort === 'default' ? '' : ` ${effort}`),
    cost: costText(view.usage),
  };
}

/** `1 server`, `2 in background`, and whether one of them needs input. */
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
  const [count, does] = asking > 0 ? [asking, 'ask'] : [sessions.length, 'run'];
  return count === 0 ? '' : `${pluralize(count, 'session')} ${does}${count === 1 ? 's' : ''}`;
}

function contextText({contextTokens, contextWindow}: View['usage']): string {
  if (contextWindow <= 0 || contextTokens <= 0) return '';
  return `context ${contextPercent(contextTokens, contextWindow)} %`;
}

/** The cost in cents, in the cells that it may come to need. */
function costText({models}: View['usage']): string {
  const usd = knownCost(Object.values(models));
  if (usd === undefined || usd === 0) return '';
  return centsText(usd).padEnd(costCells);
}

const costCells = '$10.00'.length;

/** The model without its vendor and the date of its version. */
const shortModel = (model: string): string => model.replace(/^(?:.*\/)?(?:claude-)?/u, '').replace(/-20\d{6}$/u, '');
