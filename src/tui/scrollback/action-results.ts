import {timeOfDay} from '../../actions/request-computer-use.ts';
import {screenshotText} from '../../actions/use-computer.ts';
import {agentFacts} from '../../actions/start-agent.ts';
import type {AgentRow} from '../../domain/sub-agent.ts';
import type {ActionName, ActionResult, OutputOf} from '../../actions/catalogue.ts';
import type {ReadFile} from '../../actions/files-port.ts';
import type {ReadEntry} from '../../actions/read-files.ts';
import {pictureRows} from './picture.ts';
import {type KeptChanges, dryRunText} from '../../actions/sandbox-exec.ts';
import {matchText} from '../../actions/search-codebase.ts';
import {blockStateText} from '../../actions/block-text.ts';
import type {ChangesOutcome} from '../../actions/changes-port.ts';
import type {McpResult} from '../../actions/mcp-port.ts';
import type {BlockSnapshot, ShellReport} from '../../actions/ports.ts';
import type {WebPage, WebSearchResult} from '../../actions/web-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {Change, DroppedChange} from '../../domain/change-set.ts';
import {commentPlace} from '../../domain/code-review.ts';
import {documentName, documentText, type SessionDocument} from '../../domain/document.ts';
import {faultText} from '../../domain/fault.ts';
import {firstLine, pluralize} from '../../base/clip.ts';
import {visible, visibleLine, visibleOutput} from '../../base/visible.ts';
import type {ActionEntry} from '../state/view.ts';
import {type EntryFrame, type Frame, hardWrap, wrapSpans, wrapText} from '../text/wrap.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {withRelativePaths, withTildes} from '../text/workspace-paths.ts';
import type {Role} from '../theme/palette.ts';
import {type ChangePart, commandParts} from '../state/change-parts.ts';
import {changedWords, changeLines, changeSummary, countsOf, type Tense} from './change-lines.ts';
import {diffLines} from './diff-lines.ts';
import {looksLikeAddress} from './render-markdown.ts';
import {type BarredRow, excerptRows, moreLines, unfoldHint} from './entry-rows.ts';
import {
  allLines,
  type ExcerptLine,
  excerptOf,
  isCount,
  linesOfExcerpt,
  type OutputPart,
  explainsFailure,
} from './output-excerpt.ts';

/** The body of an action's entry, below its title. It is laid out for the width to the right of the bar. */
export interface ResultBody {
  readonly rows: readonly (string | BarredRow)[];
  /** Notes for the last row, such as how many lines are left out. */
  readonly foot: readonly string[];
}

type ResultRenderer<Output> = (output: Output, frame: EntryFrame, by: ActionEntry['by']) => ResultBody;

/** The maximum number of output lines of a command after success and after failure. */
const maxSuccessLines = 3;
const maxFailureLines = 12;

/** The maximum number of output lines of the user's own commands, which are run for their output. */
const maxUserCommandLines = 40;

const maxLinks = 5;

const maxDiffLines = 24;

const body = (rows: ResultBody['rows'], ...foot: readonly string[]): ResultBody => ({rows, foot});
const noteBody = (text: string, frame: Frame, ...foot: readonly string[]): ResultBody =>
  body(noteRows(visibleLine(text), frame), ...foot);

/** The renderer of each action. An action without one does not compile. */
export const renderers: {readonly [N in ActionName]: ResultRenderer<OutputOf<N>>} = {
  'request-command-output': (output, frame, by) =>
    output.kind === 'block'
      ? blockBody(output, frame)
      : withChanges(reportBody(output.report, frame, by), output.report.changes, frame),
  'read-files': ({files}, frame) => body(files.flatMap(entry => readRows(entry, frame))),
  'request-file-edits': ({files}, frame) =>
    body(diffLines(files, {...(frame.verbosity === 'full' ? wholeDiff : foldedDiff), home: frame.home}, frame)),
  grep: ({lines, omitted}, frame) => {
    const least = omitted.exact === 'exact' ? '' : 'at least ';
    return listBody(lines, least + countOf(lines.length + omitted.count, 'line'), frame);
  },
  'file-glob-v2': ({paths, omitted}, frame) => listBody(paths, countOf(paths.length + omitted, 'file'), frame),
  'update-todos': () => emptyBody,
  'ask-user-question': ({questions, answers}, frame) =>
    body(
      questions.flatMap(({question}, at) => {
        const {selected = [], other = ''} = answers[at] ?? {};
        const parts = [...selected, ...(other === '' ? [] : [other])];
        return noteRows(visibleLine(`${question} → ${parts.join('; ')}`), frame);
      }),
    ),
  'write-to-long-running-shell-command': blockBody,
  'read-shell-command-output': blockBody,
  'transfer-shell-command-control-to-user': blockBody,
  'read-mcp-resource': (output, frame) =>
    output.kind === 'read' ? answerBody(output.result, frame) : body([], countOf(output.resources.length, 'resource')),
  'start-agent': ({row}, frame) => agentBody(row, frame),
  'send-message-to-agent': (reports, frame) => {
    const bodies = reports.map(({row}) => agentBody(row, frame));
    return {rows: bodies.flatMap(({rows}) => rows), foot: bodies.flatMap(({foot}) => foot)};
  },
  'read-skill': ({skill, given}) =>
    body([], given === 'already' ? 'read before' : countOf(skill.instructions.split('\n').length, 'line')),
  'search-tools': ({found}, frame) =>
    noteBody(found.map(({name}) => name).join(', '), frame, countOf(found.length, 'tool')),
  'call-mcp-tool': answerBody,
  'web-fetch': ({page}, frame) => pageBody(page, frame),
  'web-search': ({report: {results}}, frame) => {
    const shown = results.slice(0, frame.verbosity === 'full' ? results.length : maxLinks);
    return body(
      shown.flatMap(result => linkRows(result, frame)),
      countOf(results.length, 'result'),
    );
  },
  'read-documents': ({documents}) => body([], countOf(documents.length, 'document')),
  'create-documents': ({documents}, frame) => body(documentRows(documents, frame)),
  'edit-documents': ({documents}, frame) => body(documentRows(documents, frame)),
  'insert-code-review-comments': ({comments}, frame) =>
    body(
      comments.flatMap(comment => {
        const words = `${comment.severity} ${commentPlace(comment)}: ${firstLine(comment.text, 200)}`;
        return noteRows(visibleLine(words), frame);
      }),
      '/review shows them',
    ),
  'open-code-review': ({choice, other}, frame) => noteBody(other, frame, choice === 'opened' ? 'opened' : 'not now'),
  'upload-artifact': ({artifact, description}, frame) =>
    noteBody(description, frame, ...[artifact.path, artifact.url].filter(place => place !== '').map(visibleLine)),
  'init-project': ({found, omitted}, frame) => listBody(found, countOf(found.length + omitted, 'relevant file'), frame),
  'sandbox-exec': ({report, kept}, frame, by) =>
    kept === 'none'
      ? withChanges(reportBody(report, frame, by), report.changes, frame)
      : withDryRun(reportBody(report, frame, by), kept, frame),
  'search-codebase': ({places}, frame) => listBody(places.map(matchText), countOf(places.length, 'place'), frame),
  'fetch-conversation': ({title, messages, total}, frame) =>
    noteBody(title, frame, `${messages.length} of ${countOf(total, 'message')}`),
  'request-computer-use': ({until}) =>
    body([], until === 0 ? 'already allowed' : `allowed until ${timeOfDay(until)}; Esc or /computer off ends it`),
  'use-computer': ({screenshot}, frame) =>
    frame.theme.pictures === 'none'
      ? body([], visibleLine(screenshotText(screenshot)))
      : body(
          pictureRows(screenshot.image, {name: '', path: screenshot.path}, frame),
          visibleLine(screenshotText(screenshot)),
        ),
  'suggest-prompt': ({prompt, label}, frame) => noteBody(label === '' ? '' : prompt, frame),
  'suggest-new-conversation': (output, frame) =>
    noteBody(output.choice === 'stay' ? output.other : '', frame, output.choice === 'new' ? 'accepted' : 'declined'),
  'exit-plan': ({plan, decision}, frame) =>
    decision === 'kept'
      ? body([], `kept as ${plan.id}`)
      : body(
          plan.steps.flatMap(({id, description}) => stepRows(visibleLine(`${id}.`), visible(description), frame)),
          'approved',
        ),
  'give-structured-answer': ({answer}, frame) => noteBody(firstLine(JSON.stringify(answer), 4 * frame.width), frame),
};

/** Returns the rows of a plan step, with hanging indentation. */
function stepRows(id: string, description: string, frame: EntryFrame): readonly string[] {
  return description.split('\n').flatMap((line, at) => {
    const level = line.length - line.trimStart().length;
    const first = at === 0 ? `${id} ` : ' '.repeat(level);
    const indent = {first, rest: ' '.repeat(at === 0 ? cellWidth(first) : level + 2), roles: ['dim'] as const};
    return wrapSpans([{text: line.trimStart(), roles: ['dim']}], frame, indent);
  });
}

const agentBody = (row: AgentRow, frame: EntryFrame): ResultBody =>
  noteBody(
    row.status.kind === 'succeeded' ? firstLine(row.status.answer, 4 * frame.width) : '',
    frame,
    ...agentFacts(row).map(visibleLine),
  );

export const emptyBody: ResultBody = {rows: [], foot: []};
const wholeDiff = {maxLines: Number.POSITIVE_INFINITY, shown: 'all', long: 'whole'} as const;
/** Changed lines only: the approval card showed the lines around them. */
const foldedDiff = {maxLines: maxDiffLines, shown: 'changes', long: 'clipped'} as const;

/** Returns the body of a finished action. `tail` is the end of its output. */
export function resultBody<N extends ActionName>(
  result: ActionResult<N>,
  {by, tail}: {readonly by: ActionEntry['by']; readonly tail: string},
  frame: EntryFrame,
): ResultBody {
  const render: ResultRenderer<OutputOf<N>> = renderers[result.name];
  const settled: ActionResult<N>['settled'] = result.settled;
  switch (settled.state) {
    case 'success':
      return frame.verbosity === 'name' ? emptyBody : render(settled.output, frame, by);
    case 'error':
      return body(wrapText(visible(faultText(settled.fault)), ['error'], frame));
    case 'cancelled': {
      // The title of an unanswered question already says so.
      const message = result.name === 'ask-user-question' ? '' : settled.why.message;
      const printed = outputBody(tail, {most: maxFailureLines, part: 'end', leftOut: 0}, frame);
      return {...printed, rows: [...noteRows(visible(message), frame), ...printed.rows]};
    }
    default:
      return unreachable(settled);
  }
}

const maxRunningLines = 5;

export function runningBody(tail: string, frame: EntryFrame): ResultBody {
  const lines = outputLines(tail);
  const last = linesOfExcerpt(lines, excerptOf('end', lines, maxRunningLines));
  return {rows: printedRows(lines, last, {...frame, verbosity: 'summary'}), foot: []};
}

interface OutputForm {
  readonly most: number;
  readonly part: OutputPart;
  /** The number of lines already left out of the output. */
  readonly leftOut: number;
}

/** Returns some lines of a program's output and the number of the others. At full verbosity, returns all lines. */
export function outputBody(text: string, {most, part, leftOut}: OutputForm, frame: EntryFrame): ResultBody {
  const lines = outputLines(text);
  const role = part === 'reasons' ? reasonRole : () => 'dim' as const;
  if (frame.verbosity === 'full') return {rows: wholeRows(lines, frame, role), foot: []};
  // A note about a single hidden line would take as much room as the line.
  const picked = lines.length === most + 1 ? allLines(lines) : excerptOf(part, lines, most);
  const rows = printedRows(lines, linesOfExcerpt(lines, picked), frame, role);
  return {rows, foot: moreLines(lines.length - picked.length + leftOut)};
}

/** Highlights the lines that say why a command failed. */
const reasonRole = (line: string): Role => (explainsFailure(line) && !isCount(line) ? 'error' : 'dim');

function printedRows(
  lines: readonly string[],
  picked: readonly ExcerptLine[],
  frame: EntryFrame,
  roleOf: (line: string) => Role = () => 'dim',
): readonly BarredRow[] {
  const {theme, width, verbosity} = frame;
  const wrap = (line: string): readonly string[] =>
    verbosity === 'full' ? hardWrap(line, width) : clippedRows(line, width);
  return excerptRows(lines, picked, line => wrap(line).map(row => theme.style([roleOf(line)], row)));
}

const wholeRows = (lines: readonly string[], frame: EntryFrame, roleOf?: (line: string) => Role) =>
  printedRows(
    lines,
    lines.map((text, at) => ({text, from: at, to: at})),
    frame,
    roleOf,
  );

function clippedRows(line: string, width: number): readonly string[] {
  const [first = '', second = '', ...others] = hardWrap(line.slice(0, 3 * width), width);
  if (second === '') return [first];
  return [first, others.length === 0 ? second : fit(`${second}…`, width)];
}

const outputLines = (text: string): readonly string[] => {
  const shown = visibleOutput(text).trimEnd();
  return shown === '' ? [] : shown.split('\n');
};

function reportBody(report: ShellReport, frame: EntryFrame, by: ActionEntry['by']): ResultBody {
  const failed = report.end.kind !== 'moved' && (report.end.kind !== 'exited' || report.end.code !== 0);
  const {text, leftOutLines, file} = report.output;
  // One line of the text is the note about the omitted lines.
  const leftOut = Math.max(0, leftOutLines - 1);
  const shown = failed && frame.verbosity !== 'full' ? withRelativePaths(text, report.directory) : text;
  const {rows, foot} = outputBody(shown, {...commandForm(by, failed ? 'failed' : 'ended'), leftOut}, frame);
  return {
    rows: [...rows, ...report.leftRunning.flatMap(line => noteRows(`still running: ${visibleLine(line)}`, frame))],
    foot: [...foot, ...(file === undefined ? [] : [`full output in ${visibleLine(file)}`])],
  };
}

/** Adds a command's applied and dropped changes below its output. */
function withChanges({rows, foot}: ResultBody, outcome: ChangesOutcome, frame: EntryFrame): ResultBody {
  const {applied, more, diffs} = outcome;
  const parts = commandParts(applied.filter(isFile), diffs);
  const isWhole = frame.verbosity === 'full';
  const words = changedWords(
    parts.map(({change}) => change),
    more.applied,
  );
  const isFolded = !isWhole && !foot.some(note => note.endsWith(unfoldHint()));
  const kept = words + (more.applied === 0 ? countsOf(parts, diffs, ' ') : '') + (isFolded ? unfoldHint() : '');
  return {
    rows: [
      ...rows,
      ...changeRows(parts, {tense: 'past', unnamed: more.applied}, frame),
      ...droppedRows(outcome, frame),
    ],
    foot: parts.length === 0 ? foot : [...foot, kept],
  };
}

function withDryRun({rows, foot}: ResultBody, kept: KeptChanges, frame: EntryFrame): ResultBody {
  const how =
    kept.id.tag === 'failed'
      ? [`not kept: ${visibleLine(kept.id.error)}`]
      : kept.id.value === ''
        ? []
        : [`weft sandbox apply ${kept.id.value}`];
  const parts = commandParts(kept.changes.filter(isFile), kept.diffs);
  return {
    rows: [...rows, ...changeRows(parts, {tense: 'present', unnamed: 0}, frame)],
    foot: [...foot, dryRunText(kept), ...how],
  };
}

const isFile = (change: Change): boolean => change.class === 'file';

/** Returns the changed files with their lines, like edits. If there are many, returns only the names of the first files. */
function changeRows(
  parts: readonly ChangePart[],
  {tense, unnamed}: {readonly tense: Tense; readonly unnamed: number},
  frame: EntryFrame,
): readonly string[] {
  const unlisted = (count: number): readonly string[] =>
    count === 0 ? [] : noteRows(`and ${pluralize(count, 'more file')}`, frame);
  if (frame.verbosity === 'full') return [...changeLines(parts, tense, frame), ...unlisted(unnamed)];
  const isMany = parts.length > maxFiles + 1;
  const room = isMany ? maxFiles : frame.verbosity === 'screen-reader' ? parts.length : maxDiffLines;
  const {lines, more} = changeSummary(parts, {rows: room, tense}, frame);
  return [...lines, ...unlisted(more + unnamed)];
}

/** Returns one line per reason, such as `dropped 2 changes: a.ts, b.ts (refused)`. */
function droppedRows({dropped, more, said}: ChangesOutcome, frame: EntryFrame): readonly string[] {
  const most = frame.verbosity === 'full' ? dropped.length : maxFiles;
  const reasons = [...new Set(dropped.map(({why}) => why))];
  return reasons.flatMap(why => {
    const paths = dropped.flatMap(({change, why: own}) =>
      own === why ? [visibleLine(withTildes(change.path, frame.home))] : [],
    );
    const total = paths.length + (more.dropped[why] ?? 0);
    const shown = paths.slice(0, most);
    const left = total > shown.length ? ` and ${total - shown.length} more` : '';
    const words = droppedWords[why] + (why === 'refused' && said !== '' ? `: ${visibleLine(said)}` : '');
    const line = `dropped ${pluralize(total, 'change')}: ${shown.join(', ')}${left} (${words})`;
    return wrapText(line, ['warning'], frame);
  });
}

const droppedWords: Readonly<Record<DroppedChange['why'], string>> = {
  protected: 'protected',
  conflict: 'changed in the meantime',
  refused: 'refused',
  nobody: 'there was no one to ask',
  unwanted: 'this mode never asks',
  rule: 'a rule denies it',
  plan: 'plan mode changes nothing',
  interrupted: 'interrupted',
  background: 'in background',
  failed: 'could not be written',
};

const maxFiles = 3;

export function commandForm(by: ActionEntry['by'], end: 'ended' | 'failed'): Pick<OutputForm, 'most' | 'part'> {
  if (by === 'user') return {most: maxUserCommandLines, part: end === 'failed' ? 'reasons' : 'both-ends'};
  return end === 'failed' ? {most: maxFailureLines, part: 'reasons'} : {most: maxSuccessLines, part: 'end'};
}

function answerBody({blocks}: McpResult, frame: EntryFrame): ResultBody {
  const text = blocks.flatMap(block => (block.kind === 'text' ? [block.text] : [])).join('\n');
  const pictures = blocks.flatMap(block => (block.kind === 'image' ? pictureRows(block, inNoFile, frame) : []));
  const {rows, foot} = outputBody(text, {most: maxSuccessLines, part: 'beginning', leftOut: 0}, frame);
  return {rows: [...rows, ...pictures], foot};
}

/** Returns the size of a page, and at full verbosity its text for the model. */
function pageBody({content, ageMs}: WebPage, frame: EntryFrame): ResultBody {
  const age = ageMs === 0 ? [] : ['kept from before'];
  switch (content.kind) {
    case 'text': {
      const lines = frame.verbosity === 'full' ? outputLines(content.text) : [];
      return body(wholeRows(lines, frame), `${content.length.toLocaleString('en')} characters`, ...age);
    }
    case 'image':
      return body(pictureRows(content.image, inNoFile, frame), ...age);
    case 'moved':
      return noteBody(`moved to ${content.to}`, frame);
    default:
      return unreachable(content);
  }
}

/** Returns a search result as a hyperlink, or with its address if the terminal has no hyperlinks. */
function linkRows({title, url}: WebSearchResult, frame: EntryFrame): readonly string[] {
  const {theme, width} = frame;
  const words = visibleLine(title);
  // Text that looks like an address must not link to another one.
  if (theme.links !== 'osc8' || !/^[!-~]{1,2000}$/u.test(url) || looksLikeAddress(words)) {
    return wrapText(`${words} (${visibleLine(url)})`, ['dim'], frame);
  }
  const host = URL.parse(url)?.host ?? '';
  const room = Math.max(8, width - host.length - 3);
  return [`${theme.style([{href: url}, 'link'], fit(words, room))}${theme.style(['dim'], ` · ${host}`)}`];
}

function blockBody({block}: {readonly block: BlockSnapshot}, frame: EntryFrame): ResultBody {
  const {text, leftOutLines} = block.output;
  const leftOut = Math.max(0, leftOutLines - 1);
  const {rows, foot} = outputBody(text, {most: maxSuccessLines, part: 'end', leftOut}, frame);
  return {rows, foot: [`${block.id}: ${visibleLine(blockStateText(block.state))}`, ...foot]};
}

/** Returns the number of matches of a search, and at full verbosity all of them. */
const listBody = (lines: readonly string[], count: string, frame: EntryFrame): ResultBody =>
  body(frame.verbosity === 'full' ? wholeRows(lines.map(visibleLine), frame) : [], count);

const inNoFile = {name: '', path: ''};

const pictureOf = ({image, path}: Extract<ReadFile, {readonly kind: 'image'}>, frame: Frame): readonly string[] =>
  pictureRows(image, {name: path.slice(path.lastIndexOf('/') + 1), path}, frame);

/** Returns the pictures that consecutive reads have read. */
export const readPictures = (result: ActionResult, frame: Frame): readonly string[] =>
  result.name !== 'read-files' || result.settled.state !== 'success'
    ? []
    : result.settled.output.files.flatMap(entry =>
        entry.state === 'read' && entry.file.kind === 'image' ? pictureOf(entry.file, frame) : [],
      );

/** Returns how much of a file was read, and at full verbosity its content. */
function readRows(entry: ReadEntry, frame: EntryFrame): readonly (string | BarredRow)[] {
  const heading = noteRows(readText(entry), frame);
  if (entry.state === 'read' && entry.file.kind === 'image') return pictureOf(entry.file, frame);
  if (entry.state === 'failed' || frame.verbosity !== 'full') return heading;
  const {file} = entry;
  if (file.kind === 'text') {
    const digits = String(file.firstLine + file.lines.length).length;
    const lines = file.lines.map(
      (line, at) => `${String(file.firstLine + at).padStart(digits)}  ${visibleOutput(line)}`,
    );
    return [...heading, ...wholeRows(lines, frame)];
  }
  if (file.kind !== 'directory') return heading;
  return [...heading, ...wholeRows(file.entries.map(visibleLine), frame)];
}

const documentRows = (documents: readonly SessionDocument[], frame: EntryFrame): readonly (string | BarredRow)[] =>
  documents.flatMap(document => [
    ...noteRows(visibleLine(documentName(document)), frame),
    ...(frame.verbosity === 'full' ? wholeRows(outputLines(documentText(document)), frame) : []),
  ]);

const noteRows = (text: string, frame: Frame): readonly string[] => (text === '' ? [] : wrapText(text, ['dim'], frame));

function readText(entry: ReadEntry): string {
  if (entry.state === 'failed') return `${visibleLine(entry.path)}: ${visibleLine(faultText(entry.fault))}`;
  const {file} = entry;
  switch (file.kind) {
    case 'text':
      return file.lines.length === file.totalLines
        ? countOf(file.totalLines, 'line')
        : `lines ${file.firstLine} to ${file.firstLine + file.lines.length - 1} of ${file.totalLines}`;
    case 'image':
      return `image (${file.image.mediaType})`;
    case 'document':
      return file.pages === undefined ? 'PDF' : `PDF, ${countOf(file.pages, 'page')}`;
    case 'directory':
      return countOf(file.entries.length + file.more, 'entry', 'entries');
    default:
      return unreachable(file);
  }
}

const countOf = (count: number, one: string, many = `${one}s`): string =>
  count === 0 ? `no ${many}` : `${count} ${count === 1 ? one : many}`;
