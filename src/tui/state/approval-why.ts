import type {Approval} from '../../actions/agent-event.ts';
import {accessOf} from '../../actions/catalogue.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import {type Reason, reasonText} from '../../domain/reason.ts';

/** Why weft asks: what fits the border of a card, and the rest, a sentence each. */
export interface Why {
  readonly note: string;
  readonly lines: readonly string[];
}

export function whyOf(approval: Approval): Why {
  const {verdict, impact, rationale, citations} = approval;
  const reasons = verdict.reasons.filter(reason => !isSaidAlready(reason, approval)).map(reasonText);
  const said = [...new Set([...reasons, ...claimsOf(approval)].map(visibleLine))];
  const isDestructive = verdict.risk === 'destructive';
  const [first = '', ...others] = said;
  const short = first.replace(/ \([^()]*\)$/u, '');
  const isShort = !isDestructive && first !== '' && !first.includes(': ') && short.length <= longestNote;
  const note = isDestructive
    ? verdict.reasons.some(({kind}) => kind === 'not-undoable')
      ? 'cannot be undone'
      : 'can destroy data'
    : isShort
      ? lowerFirst(short)
      : approval.preview.kind === 'changes'
        ? heldNote
        : '';
  return {
    note,
    lines: [
      ...(rationale === '' ? [] : [visibleLine(rationale)]),
      ...impactLines(impact),
      ...(isShort ? others : said),
      ...(citations.length === 0 ? [] : [`Based on ${citations.map(visibleExactLine).join(', ')}`]),
    ],
  };
}

/** What only a card with room for it says. */
export const heldNote = 'held until you decide';

const longestNote = 44;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** A reason that the title or the impact says, too. */
function isSaidAlready(reason: Reason, {verdict, impact, preview}: Approval): boolean {
  if (reason.kind === 'mode')
    return (preview.kind === 'diff' || preview.kind === 'changes') && reason.mode === 'default';
  return (
    reason.kind === 'command-part' && verdict.risk === 'destructive' && impact.summary !== '' && reason.alike === 0
  );
}

/** `deletes 37 files (12 untracked): build/a.js, build/b.js and 35 more`. */
function impactLines({summary, paths, more}: Approval['impact']): readonly string[] {
  const said = visibleExactLine(summary).replace(/\.$/u, '');
  const unnamed = paths.filter(path => !said.includes(visibleExactLine(path)) || path.includes('/'));
  if (said === '' && unnamed.length === 0) return [];
  const rest = more > 0 ? ` and ${more} more` : '';
  const named = unnamed.length === 0 ? '' : `: ${unnamed.map(visibleExactLine).join(', ')}${rest}`;
  return [`${said === '' ? 'hits' : said}${named}`];
}

/** What the model claims about its command where weft does not agree. */
function claimsOf({action, preview, verdict}: Approval): readonly string[] {
  // Its changes are seen: what the model has said of the command no longer matters.
  if (preview.kind === 'changes') return [];
  const access = accessOf(action);
  if (access.kind !== 'command') return [];
  const {readOnly, risky} = access.claims;
  const isWorse = verdict.risk === 'destructive' || verdict.risk === 'external';
  if (readOnly === 'yes' && verdict.risk !== 'read-only') {
    return [
      verdict.risk === 'unknown'
        ? 'The model calls it read-only; weft cannot confirm that'
        : 'The model calls it read-only; weft does not',
    ];
  }
  return risky === 'no' && isWorse ? ['The model calls it harmless; weft does not'] : [];
}
