import {firstLine, pluralize} from '../../base/clip.ts';
import type {SettledCall} from '../../actions/agent-event.ts';
import {accessOf, type Action} from '../../actions/catalogue.ts';
import {commandInputOf, editedFiles, endingText, callEndOf, printedOutput} from '../../actions/outcome.ts';
import {pastResult, type PastResult} from '../../actions/past-result.ts';
import type {FileDiff} from '../../actions/preview.ts';
import {nameOf} from '../../actions/request-file-edits.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {faultText} from '../../domain/fault.ts';
import type {ActionEntry, ActionProgress, ActionStage, PastActionEntry} from '../state/view.ts';
import {cellWidth, styledWidth} from '../text/cell-width.ts';
import {durationText, wholeSeconds} from '../text/duration.ts';
import {fileLink} from '../text/file-link.ts';
import {withTildes} from '../text/workspace-paths.ts';
import {type EntryFrame, noIndent, type StyledSpan, wrapSpans, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';
import {commandForm, emptyBody, outputBody, resultBody, type ResultBody, runningBody} from './action-results.ts';
import {countSpans, editLines, editVerb, foldLines} from './diff-lines.ts';
import {barredRows, besideBar, margin} from './entry-rows.ts';

/** The content of an action's entry: a title line with the outcome, and below it the output so far or the result. */
export interface ActionFacts {
  readonly mark: Mark;
  readonly spans: readonly StyledSpan[];
  readonly notes: readonly string[];
  readonly body: (frame: EntryFrame) => ResultBody;
}

export function actionFacts(entry: ActionEntry, frame: EntryFrame, progress: ActionProgress | undefined): ActionFacts {
  const {stage, by} = entry;
  return {
    mark: markOf(stage),
    spans: titleSpans(entry, frame),
    notes: noteOf(stage, progress),
    body: inner => bodyOf(stage, by, inner),
  };
}

/** Returns the facts of an action from a resumed session. */
export function pastActionFacts(past: PastActionEntry, frame: EntryFrame): ActionFacts {
  const end = pastEnd(past);
  const edited = editedIn(past);
  return {
    mark: end.failed ? marks.error : marks[past.outcome],
    spans:
      edited === undefined ? actionSpans(past, frame) : changeSpans(withTildes(edited.words, frame.home), [edited]),
    notes: end.notes,
    body: inner => pastBody(past, inner),
  };
}

export function actionRows(
  entry: ActionEntry,
  frame: EntryFrame,
  progress: ActionProgress | undefined,
): readonly string[] {
  const facts = actionFacts(entry, frame, progress);
  if (!isEdit(entry.stage)) return rowsOf(facts, frame);
  const inner = {...frame, width: Math.max(8, frame.width - diffIndent.length)};
  const rows = facts.body(inner).rows.map(row => (typeof row === 'string' ? diffIndent + row : row.text));
  return [...titleOf(facts, frame), ...rows];
}

export function pastActionRows(past: PastActionEntry, frame: EntryFrame): readonly string[] {
  const {action, outcome} = past;
  const [title = '', ...rest] = rowsOf(pastActionFacts(past, frame), frame);
  const access = action === 'unknown' ? undefined : accessOf(action);
  if (access?.kind !== 'edit' || outcome !== 'success' || frame.verbosity === 'name') return [title, ...rest];
  const inner = {...frame, width: Math.max(8, frame.width - diffIndent.length)};
  const lines = access.edits.flatMap(edit =>
    // The title already names a single file.
    access.edits.length === 1 ? editLines(edit, inner).slice(1) : editLines(edit, inner),
  );
  const shown = frame.verbosity === 'full' ? lines : foldLines(lines, pastEditRows, inner);
  return [title, ...shown.map(line => diffIndent + line), ...rest];
}

const pastEditRows = 12;

function rowsOf(facts: ActionFacts, frame: EntryFrame): readonly string[] {
  const {rows, foot} = facts.body(besideBar(frame));
  return [...titleOf(facts, frame), ...barredRows(rows, foot, frame)];
}

/** The rightmost column of a note, in cells. Further right, a reader no longer connects the note with its title. */
const maxTitleWidth = 110;

/**
 * Returns the title with its sign and target, and the outcome at the right edge. If they need several lines, the outcome
 * follows the target.
 */
function titleOf({mark, spans, notes}: ActionFacts, {theme, width}: EntryFrame): readonly string[] {
  const note: StyledSpan = {text: notes.join(glyphs.separator), roles: [mark.glyph === glyphs.error ? 'error' : 'dim']};
  const lead = `${margin}${theme.style([mark.role], mark.glyph)} `;
  const indent = cellWidth(mark.glyph) + margin.length + 1;
  const room = {theme, width: Math.max(4, width - indent)};
  const [only = '', ...more] = wrapSpans(spans, room, noIndent);
  const gap = Math.min(width, maxTitleWidth) - indent - styledWidth(only) - cellWidth(note.text);
  if (more.length === 0 && gap >= 2) {
    return [lead + only + (note.text === '' ? '' : ' '.repeat(gap) + theme.style(note.roles, note.text))];
  }
  const all = note.text === '' ? spans : [...spans, {...note, text: `  ${note.text}`}];
  return wrapSpans(all, room, noIndent).map((row, at) => (at === 0 ? lead : ' '.repeat(indent)) + row);
}

const longestCommand = 400;

function titleSpans({stage, label, by}: ActionEntry, frame: EntryFrame): readonly StyledSpan[] {
  const files = filesOf(stage);
  if (files.length > 0) {
    const verb = editVerb(files, stage.stage === 'settled' ? 'past' : 'present');
    return [
      {text: `${verb} `, roles: []},
      ...files.flatMap((file, at): readonly StyledSpan[] => [
        ...(at === 0 ? [] : [{text: ', ', roles: []}]),
        {
          text: visibleLine(withTildes(nameOf(file), frame.home)),
          roles: fileLink(file.path, file.hunks[0]?.newStart ?? 0, frame.theme),
        },
      ]),
      ...countSpans(files, '  '),
    ];
  }
  const action = actionOf(stage);
  return actionSpans({action, label, by}, frame);
}

/** Returns a command as typed, with all its lines at full verbosity. Other actions show their label. */
function actionSpans(
  {action, label, by}: {readonly action: Action | 'unknown'} & Pick<ActionEntry, 'label' | 'by'>,
  frame: EntryFrame,
): readonly StyledSpan[] {
  const input = action === 'unknown' ? undefined : commandInputOf(action);
  if (input === undefined) return [{text: visibleLine(withTildes(label, frame.home)), roles: []}];
  const typed = by === 'user' ? '! ' : '';
  if (frame.verbosity === 'full') return [{text: visible(typed + input.command.trimEnd()), roles: []}];
  const lead = typed === '' && input.place === 'block' ? 'Start in background: ' : typed;
  return [{text: visibleLine(lead + firstLine(input.command, longestCommand)), roles: []}];
}

const changeSpans = (words: string, files: Parameters<typeof countSpans>[0]): readonly StyledSpan[] => [
  {text: visibleLine(words), roles: []},
  ...countSpans(files, '  '),
];

const changeResult = /^(Created|Changed|Deleted|Renamed) (.+) \(\+(\d+) -(\d+)\)(?:\n|$)/u;

/** Returns the change of a single-file edit from a resumed session; otherwise `undefined`. */
function editedIn({action, resultText, outcome}: PastActionEntry) {
  if (action === 'unknown' || accessOf(action).kind !== 'edit' || outcome !== 'success') return undefined;
  const [, change = '', path = '', added = '', removed = ''] = changeResult.exec(resultText) ?? [];
  if (path === '') return undefined;
  const verb = change === 'Changed' ? 'Edited' : change;
  return {words: `${verb} ${path}`, added: Number(added), removed: Number(removed)};
}

/** Returns the outcome and the duration, or the time so far. Omits times below a second. */
function noteOf(stage: ActionStage, progress: ActionProgress | undefined): readonly string[] {
  switch (stage.stage) {
    case 'queued':
    case 'waiting':
      return [];
    case 'running': {
      if (progress === undefined || progress.elapsedMs < 1000) return [];
      const {elapsedMs, lines} = progress;
      return [wholeSeconds(elapsedMs), ...(lines === 0 ? [] : [pluralize(lines, 'line')])];
    }
    case 'settled':
      return [...endOf(stage.result), ...(stage.durationMs >= 1000 ? [durationText(stage.durationMs)] : [])];
    default:
      return unreachable(stage);
  }
}

const endOf = (call: SettledCall): readonly string[] =>
  call.tag === 'undecodable' ? [] : [endingText(call.result)].filter(words => words !== '');

/** Returns the files that the action changes or changed, as far as known. */
function filesOf(stage: ActionStage): readonly FileDiff[] {
  if (stage.stage === 'queued' || (stage.stage === 'settled' && stage.result.tag === 'undecodable')) return [];
  const edited =
    stage.stage === 'settled' && stage.result.tag === 'action' ? editedFiles(stage.result.result) : undefined;
  return edited ?? (stage.preview.kind === 'diff' ? stage.preview.files : []);
}

function actionOf(stage: ActionStage): Action | 'unknown' {
  if (stage.stage !== 'settled') return stage.action;
  return stage.result.tag === 'action' ? stage.result.result : 'unknown';
}

/** Rows of a diff are tinted to the edge and numbered, so they have an indent instead of a bar. */
const diffIndent = '    ';

export const isEdit = (stage: ActionStage): boolean =>
  stage.stage === 'settled' && stage.result.tag === 'action' && editedFiles(stage.result.result) !== undefined;

function bodyOf(stage: ActionStage, by: ActionEntry['by'], frame: EntryFrame): ResultBody {
  switch (stage.stage) {
    case 'queued':
      return emptyBody;
    case 'waiting':
    case 'running':
      return runningBody(stage.tail, frame);
    case 'settled': {
      if (stage.result.tag === 'undecodable') {
        return {rows: wrapText(visible(faultText(stage.result.fault)), ['error'], frame), foot: []};
      }
      const {result} = stage.result;
      return resultBody(result, {by, tail: printedOutput(result) || stage.tail}, frame);
    }
    default:
      return unreachable(stage);
  }
}

export interface Mark {
  readonly glyph: string;
  readonly role: Role;
}

const marks = {
  queued: {glyph: glyphs.queued, role: 'dim'},
  waiting: {glyph: glyphs.waiting, role: 'warning'},
  running: {glyph: glyphs.running, role: 'running'},
  success: {glyph: glyphs.success, role: 'success'},
  error: {glyph: glyphs.error, role: 'error'},
  cancelled: {glyph: glyphs.cancelled, role: 'dim'},
} as const satisfies Readonly<Record<string, Mark>>;

function markOf(stage: ActionStage): Mark {
  if (stage.stage !== 'settled') return marks[stage.stage];
  const {result: call} = stage;
  return call.tag === 'undecodable' ? marks.error : marks[callEndOf(call.result).outcome];
}

/** Returns the outcome of a call from a resumed session. `notes` also contain the duration. */
function pastEnd({action, resultText, outcome}: PastActionEntry): PastResult {
  const past = pastResult(action, outcome, resultText);
  return {...past, notes: [...past.notes, ...(past.seconds >= 1 ? [durationText(past.seconds * 1000)] : [])]};
}

/** Returns the body of an action from a resumed session. Only the text for the model is stored. */
function pastBody(past: PastActionEntry, frame: EntryFrame): ResultBody {
  const {action, by, outcome} = past;
  const {failed, output} = pastEnd(past);
  const access = action === 'unknown' ? 'unknown' : accessOf(action).kind;
  const isFull = frame.verbosity === 'full';
  if (output.trim() === '' || (frame.verbosity === 'name' && outcome === 'success')) return emptyBody;
  if (outcome === 'cancelled') {
    const rows = wrapText(visible(output), ['dim'], frame);
    return {rows: isFull ? rows : rows.slice(0, 3), foot: []};
  }
  if (access === 'command') {
    return outputBody(output, {...commandForm(by, failed ? 'failed' : 'ended'), leftOut: 0}, frame);
  }
  if (failed) return outputBody(output, {most: 4, part: 'reasons', leftOut: 0}, frame);
  if (!isFull && access === 'edit') return emptyBody;
  const lines = output.split('\n').map(visibleLine).join('\n');
  return outputBody(lines, {most: 1, part: 'beginning', leftOut: 0}, frame);
}
