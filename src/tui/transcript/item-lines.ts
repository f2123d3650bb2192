import type {Action} from '../../actions/catalogue.ts';
import type {FileEdit, PatchLine} from '../../actions/files-port.ts';
import {decodePastAction} from '../../actions/decode-action.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import type {ToolCallBlock, ToolResultBlock} from '../../domain/conversation.ts';
import {userCommandLabel} from '../../domain/user-command.ts';
import {renderMarkdown, type MarkdownLexer} from '../markdown/render-markdown.ts';
import {pastAction} from '../state/past-entries.ts';
import {hardWrap, type Frame} from '../text/wrap.ts';
import type {Role} from '../theme/theme.ts';
import {finishedLines} from '../views/transcript.ts';
import type {EntryFrame} from '../views/verbosity.ts';
import type {TranscriptItem} from './transcript-items.ts';

/** An item in full, the blank line before it included. */
export function itemLines(item: TranscriptItem, lexer: MarkdownLexer, {theme, width}: Frame): readonly string[] {
  // The lines are drawn cell by cell, by which links would be torn.
  const frame: EntryFrame = {theme: theme.unlinked, width, verbosity: 'full'};
  switch (item.kind) {
    case 'prompt':
      return finishedLines({kind: 'prompt', text: item.text}, lexer, frame);
    case 'answer':
      return ['', ...renderMarkdown(item.text, lexer, frame)];
    case 'thinking':
      return finishedLines({kind: 'thinking', key: '', text: item.text, state: 'done'}, lexer, frame);
    case 'note':
      return finishedLines({kind: 'notice', level: 'info', text: item.text}, lexer, frame);
    case 'command': {
      const label = userCommandLabel(item.command);
      return finishedLines(
        {kind: 'past-action', label, outcome: 'success', told: item.told, part: 'last-lines'},
        lexer,
        frame,
      );
    }
    case 'call':
      return callLines(item, lexer, frame);
    default:
      return unreachable(item);
  }
}

/** The title, then what was asked for where the title does not say it, then what came of it. */
function callLines(
  {call, result}: {readonly call: ToolCallBlock; readonly result: ToolResultBlock | undefined},
  lexer: MarkdownLexer,
  frame: EntryFrame,
): readonly string[] {
  const [blank = '', title = '', ...told] = finishedLines(pastAction(call, result), lexer, frame);
  return [
    blank,
    title,
    ...askedLines(call, {...frame, width: Math.max(8, frame.width - 4)}).map(line => `    ${line}`),
    ...told,
  ];
}

function askedLines(call: ToolCallBlock, frame: Frame): readonly string[] {
  const decoded = decodePastAction(call.name, call.input);
  if (decoded.tag === 'failed') return textLines(visible(JSON.stringify(call.input, undefined, 2)), 'dim', frame);
  const action: Action = decoded.value;
  switch (action.name) {
    case 'request-file-edits':
      return action.input.edits.flatMap(edit => editLines(edit, frame));
    case 'request-command-output':
      return textLines(visible(action.input.command), 'accent', frame);
    case 'call-mcp-tool':
      return textLines(visible(JSON.stringify(action.input.arguments, undefined, 2)), 'dim', frame);
    default:
      return [];
  }
}

/** What the model wanted in the place of what. */
function editLines(edit: FileEdit, frame: Frame): readonly string[] {
  const heading = textLines(visibleLine(edit.path), 'bold', frame);
  switch (edit.kind) {
    case 'replace':
      return [
        ...heading,
        ...edit.replacements.flatMap(({oldText, newText}) => [
          ...textLines(visible(oldText), 'removed', frame, '- '),
          ...textLines(visible(newText), 'added', frame, '+ '),
        ]),
      ];
    case 'replace-lines':
      return [...heading, ...textLines(visible(edit.newText), 'added', frame, '+ ')];
    case 'write':
      return [...heading, ...textLines(visible(edit.content), 'added', frame, '+ ')];
    case 'patch':
      return [...heading, ...edit.hunks.flatMap(hunk => hunk.lines.flatMap(line => patchLine(line, frame)))];
    case 'delete':
      return textLines(visibleLine(edit.path), 'removed', frame, '- ');
    case 'rename':
      return [...heading, ...textLines(`to ${visibleLine(edit.to)}`, 'dim', frame)];
    default:
      return unreachable(edit);
  }
}

function patchLine({kind, text}: PatchLine, frame: Frame): readonly string[] {
  const {sign, role} = patchSigns[kind];
  return textLines(`${visible(text)}\n`, role, frame, sign);
}

const patchSigns = {
  context: {sign: '  ', role: 'dim'},
  added: {sign: '+ ', role: 'added'},
  removed: {sign: '- ', role: 'removed'},
} as const satisfies Record<PatchLine['kind'], {readonly sign: string; readonly role: Role}>;

function textLines(text: string, role: Role, frame: Frame, sign = ''): readonly string[] {
  if (text === '') return [];
  const width = Math.max(1, frame.width - sign.length);
  return text
    .replace(/\n$/u, '')
    .split('\n')
    .flatMap(line => hardWrap(line, width))
    .map(row => frame.theme.paint([role], sign + row));
}
