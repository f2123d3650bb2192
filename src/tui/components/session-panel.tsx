import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {visible} from '../../base/visible.ts';
import type {SessionMessage} from '../../agent/client.ts';
import {selectedValue} from '../state/panels/picker.ts';
import type {SessionsPanel} from '../state/panels/sessions.ts';
import {wrapSpans} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {useTheme} from '../theme/styled.tsx';
import {PickerCard} from './picker-card.tsx';

interface SessionPanelProps {
  readonly panel: SessionsPanel;
  readonly rows: number;
  readonly width: number;
}

const previewRows = 8;

export function SessionPanel({panel: {picker, messages}, rows, width}: SessionPanelProps): ReactNode {
  const selected = selectedValue(picker);
  const said = selected === undefined ? [] : (messages.get(selected) ?? []);
  return (
    <PickerCard
      title="Resume a session"
      picker={picker}
      hints={['Enter resume', 'Esc cancel', '↑↓ preview', 'type to search']}
      rows={rows}
      width={width}
      below={(left, inside) => <LastMessages said={said} rows={Math.min(previewRows, left)} width={inside} />}
    />
  );
}

interface LastMessagesProps {
  readonly said: readonly SessionMessage[];
  readonly rows: number;
  readonly width: number;
}

const messageRows = 3;

function LastMessages({said, rows, width}: LastMessagesProps): ReactNode {
  const theme = useTheme();
  if (rows < 3 || said.length === 0) return null;
  const lines = said.flatMap(({by, text}) =>
    wrapSpans(
      [{text: visible(text).replaceAll(/\n\s*\n/gu, '\n'), roles: ['dim']}],
      {theme, width},
      {first: by === 'user' ? `  ${glyphs.prompt} ` : '    ', rest: '    ', roles: ['dim']},
    ).slice(0, messageRows),
  );
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text>{lines.slice(1 - rows).join('\n')}</Text>
    </Box>
  );
}
