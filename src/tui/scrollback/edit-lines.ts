import type {FileEdit, PatchLine} from '../../actions/files-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {withTildes} from '../text/workspace-paths.ts';
import {type EntryFrame, type Frame, hardWrap} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';

/** What the model wanted in the place of what. */
export function editLines(edit: FileEdit, frame: Frame & Pick<EntryFrame, 'home'>): readonly string[] {
  const shown = (path: string): string => visibleLine(withTildes(path, frame.home));
  const heading = textLines(shown(edit.path), 'bold', frame);
  switch (edit.kind) {
    case 'replace':
      return [
        ...heading,
        ...edit.replacements.flatMap(replacement => {
          const {oldText, newText} = changedLines(replacement);
          return [...signed('removed', oldText, frame), ...signed('added', newText, frame)];
        }),
      ];
    case 'replace-lines':
      return [...heading, ...signed('added', edit.newText, frame)];
    case 'write':
      return [...heading, ...signed('added', edit.content, frame)];
    case 'patch':
      return [
        ...heading,
        ...edit.hunks.flatMap(hunk => hunk.lines.flatMap(({kind, text}) => signed(kind, `${text}\n`, frame))),
      ];
    case 'delete':
      return signed('removed', shown(edit.path), frame);
    case 'rename':
      return [...heading, ...textLines(`to ${shown(edit.to)}`, 'dim', frame)];
    default:
      return unreachable(edit);
  }
}

const signed = (kind: PatchLine['kind'], text: string, frame: Frame): readonly string[] =>
  textLines(visible(text), kind === 'context' ? 'dim' : kind, frame, signs[kind]);

const signs = {context: '  ', added: `${glyphs.added} `, removed: `${glyphs.removed} `} as const;

/** Models repeat the lines around a change: those that both texts begin and end with are left out. */
function changedLines({oldText, newText}: {readonly oldText: string; readonly newText: string}) {
  const before = oldText.split('\n');
  const after = newText.split('\n');
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const changed = (lines: readonly string[]): string => lines.slice(head, lines.length - tail).join('\n');
  return {oldText: changed(before), newText: changed(after)};
}

/** The rows of a text, each behind a sign. */
export function textLines(text: string, role: Role, frame: Frame, sign = ''): readonly string[] {
  if (text === '') return [];
  const width = Math.max(1, frame.width - sign.length);
  return text
    .replace(/\n$/u, '')
    .split('\n')
    .flatMap(line => hardWrap(line, width))
    .map(row => frame.theme.style([role], sign + row));
}
