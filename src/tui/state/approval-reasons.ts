import type {Approval} from '../../actions/agent-event.ts';
import {accessOf} from '../../actions/catalogue.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import {typedWord} from '../../domain/typed-word.ts';
import {type Reason, reasonText, taintIn} from '../../domain/reason.ts';

/** Why weft asks: a note for the border of the card, and the other reasons as one sentence each. */
export interface ApprovalReasons {
  readonly note: string;
  readonly lines: readonly ReasonLine[];
}

export interface ReasonLine {
  readonly text: string;
  /** `model`: a claim or an explanation by the model. `outside`: a reason of weft that quotes text from outside. */
  readonly by: 'weft' | 'model' | 'outside';
}

export function approvalReasons(approval: Approval): ApprovalReasons {
  const {verdict, impact, rationale, citations} = approval;
  const reasons = verdict.reasons.filter(reason => !isShownElsewhere(reason, approval)).map(reasonText);
  const all = [...new Set([...reasons, ...disputedClaims(approval)].map(visibleLine))];
  const isDestructive = verdict.risk === 'destructive';
  const [first = '', ...others] = all;
  const short = first.replace(/ \([^()]*\)$/u, '');
  const isShort = !isDestructive && first !== '' && !first.includes(': ') && short.length <= maxNoteLength;
  const note = isDestructive
    ? verdict.reasons.some(({kind}) => kind === 'not-undoable')
      ? 'cannot be undone'
      : 'can destroy data'
    : isShort
      ? lowerFirst(short)
      : approval.preview.kind === 'changes'
        ? undecidedNote
        : '';
  const quoting = new Set(taintIn(verdict.reasons).map(reason => visibleLine(reasonText(reason))));
  const own = [...impactLines(impact), ...(isShort ? others : all)].map(
    text => ({text, by: quoting.has(text) ? 'outside' : 'weft'}) as const,
  );
  const claims = [
    ...(rationale === '' ? [] : [`The model says: ${visibleLine(rationale)}`]),
    ...(citations.length === 0 ? [] : [`The model names as sources: ${citations.map(visibleExactLine).join(', ')}`]),
  ].map(text => ({text, by: 'model'}) as const);
  return {note, lines: isDestructive ? [...own, ...claims] : [...claims, ...own]};
}

/** Returns the note and the lines, for a card without a border. */
export function reasonTexts(approval: Approval): readonly string[] {
  const {note, lines} = approvalReasons(approval);
  return [note, ...lines.map(({text}) => text)].filter(text => text !== '');
}

/** The note on changes that wait for a decision. A small card leaves it out. */
export const undecidedNote = 'held until you decide';

const maxNoteLength = 44;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** True if the title or the impact already states the reason. */
function isShownElsewhere(reason: Reason, {verdict, impact, preview}: Approval): boolean {
  if (reason.kind === 'mode')
    return (preview.kind === 'diff' || preview.kind === 'changes') && reason.mode === 'default';
  if (reason.kind !== 'command-part' || verdict.risk !== 'destructive' || reason.alike > 0) return false;
  // The impact doesn't name an empty folder, and the user has to know what the typed word is.
  const word = typedWord(verdict);
  if (word !== '' && reason.part.includes(word) && !impactLines(impact).some(line => line.includes(word))) return false;
  // The impact is that of changed files. A force push after a deletion is another effect.
  const [verb = ''] = impact.summary.split(' ');
  const isOnlyPart = verdict.reasons.filter(({kind}) => kind === 'command-part').length === 1;
  return verb !== '' && (isOnlyPart || reason.effect === `${verb} files`);
}

/** Describes the impact: `deletes 37 files (12 untracked): build/a.js, build/b.js and 35 more`. */
function impactLines({summary, paths, more}: Approval['impact']): readonly string[] {
  const text = visibleExactLine(summary).replace(/\.$/u, '');
  const unnamed = paths.filter(path => !text.includes(visibleExactLine(path)) || path.includes('/'));
  if (text === '' && unnamed.length === 0) return [];
  const rest = more > 0 ? ` and ${more} more` : '';
  const named = unnamed.length === 0 ? '' : `: ${unnamed.map(visibleExactLine).join(', ')}${rest}`;
  return [`${text === '' ? 'affects' : text}${named}`];
}

/** Returns the model's claims about its command that weft doesn't confirm. */
function disputedClaims({action, preview, verdict}: Approval): readonly string[] {
  // The card shows the actual changes, so the model's claims no longer matter.
  if (preview.kind === 'changes') return [];
  const access = accessOf(action);
  if (access.kind !== 'command') return [];
  const {readOnly, risky} = access.claims;
  const isWorse = verdict.risk === 'destructive' || verdict.risk === 'external';
  if (readOnly === 'yes' && verdict.risk !== 'read-only') {
    return [
      verdict.risk === 'unknown'
        ? "The model says it's read-only; weft can't confirm that"
        : "The model says it's read-only; weft disagrees",
    ];
  }
  return risky === 'no' && isWorse ? ["The model says it's safe; weft disagrees"] : [];
}
