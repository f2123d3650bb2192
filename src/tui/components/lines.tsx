import {Text} from 'ink';
import type {ReactNode} from 'react';
import type {Layout} from '../text/wrap.ts';
import {Caret} from './caret.tsx';

interface LinesProps {
  readonly lines: readonly string[];
  readonly cursor?: Layout['cursor'];
}

/** Shows lines that are already laid out, one row each. `cursor` places the terminal's cursor among them. */
export function Lines({lines, cursor}: LinesProps): ReactNode {
  if (lines.length === 0) return undefined;
  // The space keeps the rows of a text that starts with an empty line.
  const text = <Text wrap="truncate">{`${lines[0] === '' ? ' ' : ''}${lines.join('\n')}`}</Text>;
  return cursor === undefined ? text : <Caret at={cursor}>{text}</Caret>;
}
