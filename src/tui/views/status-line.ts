import {unreachable} from '../../base/unreachable.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import {isGoing} from '../../actions/block-text.ts';
import {moneyText, statusOf} from '../state/select.ts';
import type {View} from '../state/view.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {wholeSecondsText} from './action-card.ts';
import type {RunTimes} from './progress.ts';

interface StatusState {
  readonly view: View;
  readonly directory: string;
  readonly branch: string;
  readonly blocks: readonly BlockInfo[];
  readonly times: Pick<RunTimes, 'costPerMinute'>;
}

/** A fact in all its words, and as it stands where there is little room. */
interface Part {
  readonly long: string;
  readonly short: string;
}

/**
 * Model, mode, branch, running blocks, context, cost, tokens, directory. Where they do not all fit they are said in short, and what
 * matters least is left out. That nothing is asked stands first and stands out.
 */
export function statusLine(state: StatusState, frame: Frame): string {
  const {theme, width} = frame;
  const {view} = state;
  const isFree = view.mode === 'bypassPermissions';
  const alarm = isFree ? fit(` ${glyphs.warning} PERMISSIONS BYPASSED ${glyphs.warning} `, width - 1) : '';
  const room = Math.max(0, width - 1 - cellWidth(alarm) - (isFree ? 1 : 0));
  const line = fitting(partsOf(state, isFree ? 'alarm' : 'named'), room);
  const rest = theme.paint(['dim'], line === '' ? fit(visibleLine(view.model), room) : line);
  return isFree ? `${theme.paint(['bold', 'error', 'selected'], alarm)} ${rest}` : rest;
}

/** In the order in which they stand. */
const order = ['model', 'mode', 'branch', 'blocks', 'context', 'cost', 'tokens', 'directory'] as const;
type PartName = (typeof order)[number];

/** What matters most comes first. */
const weights: readonly PartName[] = ['model', 'mode', 'blocks', 'context', 'cost', 'branch', 'tokens'];

/** Said in all their words while there is room, in this order; the directory has what is left then. */
const unfolding: readonly PartName[] = ['tokens', 'blocks', 'cost', 'context'];

function partsOf(
  {view, directory, branch, blocks, times}: StatusState,
  mode: 'alarm' | 'named',
): Readonly<Record<PartName, Part>> {
  const facts = statusOf(view);
  const {costPerMinute} = times;
  const rate =
    facts.cost === '' || costPerMinute === 'unknown' || costPerMinute <= 0 ? '' : ` (${moneyText(costPerMinute)}/min)`;
  return {
    model: same(facts.model),
    mode: same(mode === 'alarm' ? '' : facts.mode),
    branch: same(fit(visibleLine(branch), longestBranch)),
    blocks: blocksPart(blocks),
    context: {long: facts.context, short: facts.context.replace(' context', ' ctx')},
    cost: {long: facts.cost + rate, short: facts.cost},
    tokens: {long: facts.tokensInFull, short: facts.tokens},
    directory: same(directory),
  };
}

const same = (text: string): Part => ({long: visibleLine(text), short: visibleLine(text)});

const longestBranch = 30;

function fitting(parts: Readonly<Record<PartName, Part>>, room: number): string {
  const fits = (said: Said): boolean => cellWidth(joined(said, parts)) <= room;
  let said: Said = {};
  for (const name of weights) {
    const more: Said = {...said, [name]: 'short'};
    if (parts[name].short !== '' && fits(more)) said = more;
  }
  for (const name of unfolding) {
    const more: Said = name in said ? {...said, [name]: 'long'} : said;
    if (fits(more)) said = more;
  }
  const all: Said = {...said, directory: 'short'};
  return joined(fits(all) ? all : said, parts);
}

/** The parts that are said, and how. */
type Said = Readonly<Partial<Record<PartName, 'long' | 'short'>>>;

const joined = (said: Said, parts: Readonly<Record<PartName, Part>>): string =>
  order
    .map(name => {
      const form = said[name];
      return form === undefined ? '' : parts[name][form];
    })
    .filter(text => text !== '')
    .join(glyphs.between);

/** `2 running (/ps)`, and of one that waits for somebody to type that it does. */
function blocksPart(blocks: readonly BlockInfo[]): Part {
  const running = blocks.filter(({state}) => isGoing(state));
  if (running.length === 0) return {long: '', short: ''};
  const waits = running.some(({state}) => state.kind === 'waiting');
  return {
    long: `${running.length} running${waits ? ', waits for input' : ''} (/ps)`,
    short: `${running.length} ${waits ? 'waits' : 'running'}`,
  };
}

/** What runs and since when, and how to stop it; nothing while idle. */
export function runLine(
  view: View,
  {elapsedMs, retryInMs}: Pick<RunTimes, 'elapsedMs' | 'retryInMs'>,
  frame: Frame,
): readonly string[] {
  const {theme} = frame;
  const {run} = view;
  switch (run.state) {
    case 'idle':
      return [];
    case 'working':
      return [
        theme.paint(['running'], fit(`Working ${wholeSecondsText(elapsedMs)}`, 20)) + theme.paint(['dim'], escStops),
      ];
    case 'retrying':
      return [theme.paint(['warning'], retryLine(run, retryInMs, frame.width))];
    case 'stopping':
      return [theme.paint(['warning'], 'Stopping…')];
    default:
      return unreachable(run);
  }
}

const escStops = `${glyphs.between}Esc stops`;

type Retrying = View['run'] & {readonly state: 'retrying'};

/** What matters stands first: the reason is what a narrow screen may cut off. */
function retryLine({attempt, maxAttempts, reason}: Retrying, inMs: number, width: number): string {
  const rest = `${inMs > 0 ? ` in ${Math.ceil(inMs / 1000)} s` : ''} (${attempt} of ${maxAttempts})${escStops}`;
  const full = `Trying again${rest}`;
  const facts = full.length <= width ? full : `Retry${rest}`;
  return fit(reason === '' ? facts : facts + glyphs.between + visibleLine(reason), width);
}
