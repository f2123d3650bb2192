import {Text} from 'ink';
import type {ReactNode} from 'react';
import type {Layout} from '../text/wrap.ts';
import {Caret} from './caret.tsx';

interface LinesProps {
  readonly lines: readonly string[];
  readonly cursor?: Layout['cursor'];
}

/** Lines that are laid out already, each a row; with `cursor` the terminal's cursor is among them. */
export function Lines({lines, cursor}: LinesProps): ReactNode {
  if (lines.length === 0) return undefined;
  // A text of nothing but blank lines still takes its rows.
  const text = <Text wrap="truncate">{`${lines[0] === '' ? ' ' : ''}${lines.join('\n')}`}</Text>;
  return cursor === undefined ? text : <Caret at={cursor}>{text}</Caret>;
}
