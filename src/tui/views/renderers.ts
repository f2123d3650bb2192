import type {ActionName, ActionResult, OutputOf} from '../../actions/catalogue.ts';
import type {ReadEntry} from '../../actions/read-files.ts';
import {blockStateText} from '../../actions/block-text.ts';
import type {McpResult} from '../../actions/mcp-port.ts';
import type {BlockSnapshot, BoundedOutput, ShellReport} from '../../actions/ports.ts';
import {endText} from '../../actions/request-command-output.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import type {Cancellation} from '../../domain/settled.ts';
import {firstLine} from '../../base/clip.ts';
import {visible, visibleLine, visibleOutput} from '../../base/visible.ts';
import type {PastActionEntry} from '../state/view.ts';
import {hardWrap, wrapText, type Frame} from '../text/wrap.ts';
import {fit} from '../text/cell-width.ts';
import {diffLines} from './diff-lines.ts';
import type {EntryFrame} from './verbosity.ts';

/** What a card says below its first line once the action has succeeded. */
type ResultRenderer<Output> = (output: Output, frame: EntryFrame) => readonly string[];

/** Lines of a command's output on its card while it runs and when it has ended, and lines of a file's diff. */
const outputRunning = 5;
const outputShown = 3;
const diffShown = 24;

/** One renderer for every action: an action without one does not compile. */
export const renderers: {readonly [N in ActionName]: ResultRenderer<OutputOf<N>>} = {
  'request-command-output': (output, frame) =>
    output.kind === 'block' ? blockLines(output, frame) : reportLines(output.report, frame),
  'read-files': ({files}, frame) =>
    files.flatMap(entry => [
      ...note(readText(entry), frame),
      ...(frame.verbosity === 'full' ? readLines(entry, frame) : []),
    ]),
  'request-file-edits': ({files}, frame) =>
    frame.verbosity === 'full'
      ? diffLines(files, {most: Number.POSITIVE_INFINITY, shown: 'all', long: 'whole'}, frame)
      : diffLines(files, {most: diffShown, shown: 'all', long: 'clipped'}, frame),
  grep: (report, frame) => [
    ...note(
      (report.omitted.exact === 'exact' ? '' : 'at least ') +
        countOf(report.lines.length + report.omitted.count, {one: 'line', many: 'lines'}),
      frame,
    ),
    ...listed(report.lines, frame),
  ],
  'file-glob': (report, frame) => [
    ...note(countOf(report.paths.length + report.omitted, {one: 'file', many: 'files'}), frame),
    ...listed(report.paths, frame),
  ],
  'file-glob-v2': (report, frame) => [
    ...note(countOf(report.paths.length + report.omitted, {one: 'file', many: 'files'}), frame),
    ...listed(report.paths, frame),
  ],
  'update-todos': ({todos}, frame) =>
    note(`${todos.filter(todo => todo.status === 'completed').length} of ${todos.length} done`, frame),
  'ask-user-question': ({questions, answers}, frame) =>
    questions.flatMap((question, at) => {
      const answer = answers[at];
      const parts = [
        ...(answer?.selected ?? []),
        ...(answer === undefined || answer.other === '' ? [] : [answer.other]),
      ];
      return note(`${visibleLine(question.question)} → ${visibleLine(parts.join('; '))}`, frame);
    }),
  'write-to-long-running-shell-command': blockLines,
  'read-shell-command-output': blockLines,
  'transfer-shell-command-control-to-user': blockLines,
  'upload-artifact': nothingMore,
  'search-codebase': nothingMore,
  'read-mcp-resource': (output, frame) =>
    output.kind === 'read'
      ? answerLines(output.result, frame)
      : note(countOf(output.resources.length, {one: 'resource', many: 'resources'}), frame),
  'call-mcp-tool': answerLines,
  'read-documents': nothingMore,
  'edit-documents': nothingMore,
  'create-documents': nothingMore,
  'start-agent': nothingMore,
  'send-message-to-agent': nothingMore,
  'suggest-new-conversation': nothingMore,
  'suggest-prompt': nothingMore,
  'init-project': nothingMore,
  'open-code-review': nothingMore,
  'insert-code-review-comments': nothingMore,
  'fetch-conversation': nothingMore,
  'read-skill': nothingMore,
  'use-computer': nothingMore,
  'request-computer-use': nothingMore,
  'web-fetch': nothingMore,
  'web-search': nothingMore,
  'give-structured-answer': ({answer}, frame) =>
    note(visibleLine(firstLine(JSON.stringify(answer), 4 * frame.width)), frame),
};

/** What the card says of how the action ended. */
export function resultLines<N extends ActionName>(result: ActionResult<N>, frame: EntryFrame): readonly string[] {
  const render: ResultRenderer<OutputOf<N>> = renderers[result.name];
  const settled: ActionResult<N>['settled'] = result.settled;
  switch (settled.state) {
    case 'success':
      return frame.verbosity === 'name' ? [] : render(settled.output, frame);
    case 'error':
      return wrapText(visible(faultText(settled.fault)), ['error'], frame);
    case 'cancelled':
      return wrapText(visible(cancelText(result.name, settled.why)), ['dim'], frame);
    default:
      return unreachable(settled);
  }
}

/** What the card of an action of a resumed session says: of its result only the text for the model is kept. */
export function pastLines({outcome, told, part}: PastActionEntry, frame: EntryFrame): readonly string[] {
  if (told.trim() === '' || (frame.verbosity === 'name' && outcome === 'success')) return [];
  if (frame.verbosity === 'full') return wholeText(told, frame);
  const {theme} = frame;
  const dim = (text: string): readonly string[] => [theme.paint(['dim'], fit(text, frame.width))];
  switch (part) {
    case 'none':
      return [];
    case 'last-lines':
      return outputTail(told, {most: outputShown, hidden: 0}, frame);
    case 'line-count':
      return dim(countOf(told.split('\n').length, {one: 'line', many: 'lines'}));
    case 'first-line': {
      const line = visibleLine(firstLine(told, 4 * frame.width));
      return outcome === 'error' ? wrapText(line, ['error'], frame).slice(0, 3) : dim(line);
    }
    default:
      return unreachable(part);
  }
}

function reportLines(report: ShellReport, frame: EntryFrame): readonly string[] {
  const file = report.output.file === undefined ? '' : `, whole output in ${visibleLine(report.output.file)}`;
  return [
    ...outputOf(report.output, frame),
    ...report.leftRunning.flatMap(line => note(`left running, as block ${visibleLine(line)}`, frame)),
    frame.theme.paint(
      [report.end.kind === 'exited' && report.end.code === 0 ? 'dim' : 'warning'],
      endText(report) + file,
    ),
  ];
}

/** The beginning of what a server answered. */
function answerLines({blocks}: McpResult, frame: Frame): readonly string[] {
  return blocks
    .flatMap(block =>
      block.kind === 'text' ? block.text.trimEnd().split('\n', outputShown + 1) : [`image (${block.mediaType})`],
    )
    .slice(0, outputShown)
    .flatMap(line => note(visibleLine(firstLine(line, 4 * frame.width)), frame));
}

function blockLines({block}: {readonly block: BlockSnapshot}, frame: EntryFrame): readonly string[] {
  return [
    ...outputOf(block.output, frame),
    ...note(`block ${block.id}: ${visibleLine(blockStateText(block.state))}`, frame),
  ];
}

/** The last lines that a running program has printed, of so many in all. */
export const runningTail = (output: string, lines: number, frame: Frame): readonly string[] =>
  outputTail(output, {most: outputRunning, hidden: Math.max(0, lines - output.split('\n').length + 1)}, frame);

const outputOf = ({text, leftOutLines}: BoundedOutput, frame: EntryFrame): readonly string[] =>
  frame.verbosity === 'full'
    ? wholeText(text, frame)
    : // One line of the text says what is left out.
      outputTail(text, {most: outputShown, hidden: Math.max(0, leftOutLines - 1)}, frame);

/** The last `most` rows of what a program printed, below a note of how many lines stand above, `hidden` ones counted in. */
function outputTail(
  output: string,
  {most, hidden}: {readonly most: number; readonly hidden: number},
  frame: Frame,
): readonly string[] {
  const text = visibleOutput(output).trimEnd();
  if (text === '') return [];
  const lines = text.split('\n');
  const kept = lines.slice(-most);
  const rows = kept.flatMap(line => hardWrap(line.slice(0, 4 * frame.width), frame.width)).slice(-most);
  const above = lines.length - kept.length + hidden;
  return [
    ...(above > 0 ? [fit(`… ${countOf(above, {one: 'line', many: 'lines'})} above`, frame.width)] : []),
    ...rows,
  ].map(row => frame.theme.paint(['dim'], row));
}

/** All of a text that a program or a tool gave. */
function wholeText(output: string, frame: Frame): readonly string[] {
  const text = visibleOutput(output).trimEnd();
  if (text === '') return [];
  return text
    .split('\n')
    .flatMap(line => hardWrap(line, frame.width))
    .map(row => frame.theme.paint(['dim'], row));
}

/** What a search found, one a line, where all is to be seen. */
const listed = (lines: readonly string[], frame: EntryFrame): readonly string[] =>
  frame.verbosity === 'full' && lines.length > 0 ? wholeText(lines.join('\n'), frame) : [];

function readLines(entry: ReadEntry, frame: EntryFrame): readonly string[] {
  if (entry.state === 'failed') return [];
  const {file} = entry;
  if (file.kind === 'text') {
    const digits = String(file.firstLine + file.lines.length).length;
    return wholeText(
      file.lines.map((line, at) => `${String(file.firstLine + at).padStart(digits)}  ${line}`).join('\n'),
      frame,
    );
  }
  return file.kind === 'directory' ? wholeText(file.entries.join('\n'), frame) : [];
}

/** For actions that are declared and cannot run yet: their faults say all there is. */
function nothingMore(): readonly string[] {
  return [];
}

const note = (text: string, frame: Frame): readonly string[] => wrapText(text, ['dim'], frame);

function readText(entry: ReadEntry): string {
  if (entry.state === 'failed') return `${visibleLine(entry.path)}: ${visibleLine(faultText(entry.fault))}`;
  const {file} = entry;
  switch (file.kind) {
    case 'text':
      return file.lines.length === file.totalLines
        ? countOf(file.totalLines, {one: 'line', many: 'lines'})
        : `lines ${file.firstLine} to ${file.firstLine + file.lines.length - 1} of ${file.totalLines}`;
    case 'image':
      return `image (${file.image.mediaType})`;
    case 'document':
      return file.pages === undefined ? 'PDF' : `PDF, ${countOf(file.pages, {one: 'page', many: 'pages'})}`;
    case 'directory':
      return countOf(file.entries.length + file.more, {one: 'entry', many: 'entries'});
    default:
      return unreachable(file);
  }
}

interface Noun {
  readonly one: string;
  readonly many: string;
}

function countOf(count: number, {one, many}: Noun): string {
  return count === 0 ? `no ${many}` : `${count} ${count === 1 ? one : many}`;
}

function cancelText(name: ActionName, {reason, message}: Cancellation): string {
  switch (reason) {
    case 'declined':
      if (name === 'ask-user-question') return 'not answered';
      return message === '' ? 'you said no' : `you said no: ${message}`;
    case 'denied':
      return message === '' ? 'not permitted' : message;
    case 'interrupted':
      return 'interrupted';
    case 'shutdown':
    case 'not-run':
      return message === '' ? 'stopped before it ended' : message;
    default:
      return unreachable(reason);
  }
}
