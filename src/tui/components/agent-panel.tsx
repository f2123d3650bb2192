import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {visible, visibleExactLine} from '../../base/visible.ts';
import {type AgentOutput, agentStatusText} from '../state/agent-outputs.ts';
import type {AgentPanel as AgentPanelState} from '../state/panels/agent.ts';
import {wrapSpans, noIndent} from '../text/wrap.ts';
import {useTheme} from '../theme/styled.tsx';
import {PickerCard} from './picker-card.tsx';

interface AgentPanelProps {
  readonly panel: AgentPanelState;
  readonly agents: readonly AgentOutput[];
  readonly rows: number;
  readonly width: number;
}

/** The most rows of the output: the panel is to close without much to erase. */
const outputRows = 10;

export function AgentPanel({panel: {row: opened, picker}, agents, rows, width}: AgentPanelProps): ReactNode {
  const {row, tail} = agents.find(each => each.row.agent.id === opened.agent.id) ?? {row: opened, tail: ''};
  return (
    <PickerCard
      title={`${visibleExactLine(row.agent.name)}: ${agentStatusText(row)}`}
      picker={picker}
      hints={['Enter select', 'Esc close']}
      rows={rows}
      width={width}
      below={(left, inside) => <Output text={tail} rows={Math.min(outputRows, left)} width={inside} />}
    />
  );
}

interface OutputProps {
  readonly text: string;
  readonly rows: number;
  readonly width: number;
}

function Output({text, rows, width}: OutputProps): ReactNode {
  const theme = useTheme();
  if (rows < 3) return null;
  const said = visible(text)
    .replaceAll(/\n\s*\n/gu, '\n')
    .trim();
  const spans = [{text: said === '' ? 'No output yet.' : said, roles: ['dim']}] as const;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text wrap="truncate">
        {wrapSpans(spans, {theme, width}, noIndent)
          .slice(1 - rows)
          .join('\n')}
      </Text>
    </Box>
  );
}
