import {type Glance, glancesAt, pastGlances, targetsOf} from '../../actions/exploration.ts';
import {visibleLine} from '../../base/visible.ts';
import type {ExplorationEntry, ExplorationStep} from '../state/view.ts';
import {withRelativePaths, withTildes} from '../text/workspace-paths.ts';
import {type EntryFrame, type StyledSpan, wrapSpans} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {margin} from './entry-rows.ts';

/** The most rows of an exploration that is not unfolded. */
const mostGlances = 8;

/** Below this width the rows begin further left. */
const wideEnough = 50;

/** Reads, searches and listings in a row, as one short list. */
export function explorationRows(
  {steps, directory}: ExplorationEntry,
  state: 'growing' | 'done',
  frame: EntryFrame,
): readonly string[] {
  const {theme, width} = frame;
  const heading = state === 'growing' ? 'Exploring' : 'Explored';
  const merged = mergeReads(
    steps.flatMap(glancesOf).map(glance => ({
      ...glance,
      target: withTildes(withRelativePaths(glance.target, directory), frame.home),
    })),
  );
  const hidden = Math.max(0, merged.length - mostGlances);
  // While it grows, what is looked at now is the most interesting.
  const shown = state === 'growing' ? merged.slice(-mostGlances) : merged.slice(0, mostGlances);
  const indent = width < wideEnough ? '    ' : ' '.repeat(margin.length + heading.length + 2);
  const lead = `${margin}${heading}  `;
  const rows = shown.flatMap((glance, at) =>
    wrapSpans(spansOf(glance), frame, at === 0 ? {first: lead, rest: indent, roles: []} : hanging(indent)),
  );
  const more = `${hidden} more · Ctrl+O`;
  return hidden === 0 ? rows : [...rows, `${indent}${theme.style(['dim'], more)}`];
}

const hanging = (indent: string) => ({first: indent, rest: `${indent}  `, roles: []}) as const;

const spansOf = ({verb, target, found, failed}: Glance): readonly StyledSpan[] => [
  ...(failed ? [{text: `${glyphs.error} `, roles: ['error'] as const}] : []),
  {text: visibleLine(`${verb} ${target}${found === '' ? '' : `: ${found}`}`), roles: ['dim']},
];

/** Files that were read one after the other are one list; a file that was read twice stands there once. */
function mergeReads(glances: readonly Glance[]): readonly Glance[] {
  const merged: Glance[] = [];
  const targets: string[] = [];
  for (const glance of glances) {
    const last = merged.at(-1);
    const isPlain = glance.verb === 'read' && glance.found === '';
    if (!isPlain) targets.length = 0;
    if (isPlain && targets.includes(glance.target)) continue;
    if (isPlain && last !== undefined && targets.length > 0) {
      merged[merged.length - 1] = {...last, target: `${last.target}, ${glance.target}`};
    } else merged.push(glance);
    if (isPlain) targets.push(glance.target);
  }
  return merged;
}

function glancesOf(step: ExplorationStep): readonly Glance[] {
  if (step.kind === 'thinking') return [];
  if (step.kind === 'past-action') {
    return step.action === 'unknown' ? [] : pastGlances(step.action, step.outcome, step.resultText);
  }
  if (step.stage.stage !== 'settled') return targetsOf(step.stage.action);
  return step.stage.result.tag === 'action' ? glancesAt(step.stage.result.result) : [];
}
