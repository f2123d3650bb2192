import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import type {SessionMessage} from '../../agent/client.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import type {FileDiff} from '../../actions/preview.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleExactLine, visibleLine} from '../../base/visible.ts';
import {diffLines} from '../scrollback/diff-lines.ts';
import {type AgentOutput, agentStatusText} from '../state/agent-outputs.ts';
import type {AgentPanel, ChoicePanel, ConfirmPanel, Panel} from '../state/panels/panel.ts';
import {ageText, type BlocksPanel, blockStateLabel, selectedRow} from '../state/panels/blocks.ts';
import {openPicker, plainItem, selectedValue} from '../state/panels/picker.ts';
import type {SessionsPanel} from '../state/panels/sessions.ts';
import {blockKeys} from '../terminal/keymap.ts';
import {noIndent, wrapSpans} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {useTheme} from '../theme/styled.tsx';
import {Card} from './card.tsx';
import {CompactPanel} from './compact-panel.tsx';
import {ConnectPanel} from './connect-panel.tsx';
import {PickerCard, showsFirstDetail} from './picker-card.tsx';
import {RewindPanel} from './rewind-panel.tsx';

export interface OpenPanelProps {
  readonly panel: Panel;
  readonly blocks: readonly BlockInfo[];
  readonly agents: readonly AgentOutput[];
  /** The workspace; paths below it are shown relative to it. */
  readonly directory: string;
  readonly rows: number;
  readonly width: number;
}

export function OpenPanel({panel, blocks, agents, directory, rows, width}: OpenPanelProps): ReactNode {
  const size = {rows, width};
  switch (panel.panel) {
    case 'sessions':
      return (
        <PickerCard
          title="Resume a session"
          picker={panel.picker}
          hints={['Enter resume', 'Esc cancel', '↑↓ preview', 'type to search']}
          {...size}
          below={(left, inside) => <LastMessages panel={panel} rows={Math.min(previewRows, left)} width={inside} />}
        />
      );
    case 'rewind':
      return <RewindPanel {...{panel, directory}} {...size} />;
    case 'compact':
      return <CompactPanel panel={panel} {...size} />;
    case 'history':
      return (
        <PickerCard
          title="Earlier prompts"
          picker={panel.picker}
          hints={['Enter take', 'Esc cancel', 'type to search', 'Ctrl+R older']}
          {...size}
        />
      );
    case 'blocks':
      return (
        <PickerCard
          title="Background commands"
          picker={blocksPicker(panel, blocks)}
          hints={
            blocks.length === 0
              ? ['Esc close']
              : ['Enter attach', 'Esc close', `${blockKeys.stop} stop`, `${blockKeys.keep} keep after weft ends`]
          }
          {...size}
        />
      );
    case 'theme':
      return (
        <PickerCard
          title="Choose a theme"
          picker={panel.picker}
          hints={['Enter select', 'Esc cancel', '↑↓ preview']}
          {...size}
          below={(left, inside) => <ThemeSample rows={left} width={inside} />}
        />
      );
    case 'choice': {
      const turns = panel.turns === '' ? [] : [`←→ ${panel.turns}`];
      return (
        <PickerCard
          title={panel.title}
          note={noteOf(panel, width)}
          picker={panel.picker}
          hints={[`Enter ${panel.does}`, 'Esc cancel', ...turns, 'type to search']}
          {...size}
        />
      );
    }
    case 'agent': {
      const {row, tail} = shownAgent(panel, agents);
      return (
        <PickerCard
          title={`${visibleExactLine(row.agent.name)}: ${agentStatusText(row)}`}
          picker={panel.picker}
          hints={['Enter select', 'Esc close']}
          {...size}
          below={(left, inside) => <AgentTail text={tail} rows={Math.min(outputRows, left)} width={inside} />}
        />
      );
    }
    case 'confirm':
      return (
        <Card width={width} title={panel.title} hints={confirmHints(panel)}>
          <Text wrap="truncate-middle">{visibleExactLine(panel.subject)}</Text>
        </Card>
      );
    case 'connect':
      return <ConnectPanel panel={panel} {...size} />;
    default:
      return unreachable(panel);
  }
}

const confirmHints = ({enter, does, other}: ConfirmPanel): readonly string[] => [
  `${enter === 'yes' ? 'Enter' : 'y'} ${does}`,
  ...(other === 'none' ? [] : [`${other.letter} ${other.does}`]),
  'Esc cancel',
];

/** The note of the panel. Before it stands what Left and Right change in the selected row, where the row itself has no room for it. */
function noteOf({note, turns, picker}: ChoicePanel, width: number): string {
  const row = picker.row === 'none' ? undefined : picker.matching[picker.row];
  const turned = turns === '' || row === undefined || showsFirstDetail(picker, width - 4) ? '' : row.details[0];
  return [turned ?? '', note].filter(text => text !== '').join(glyphs.between);
}

/** The most rows of a sub-agent's output: the panel is to close without much to erase. */
const outputRows = 10;

const shownAgent = ({row}: AgentPanel, agents: readonly AgentOutput[]): Pick<AgentOutput, 'row' | 'tail'> =>
  agents.find(each => each.row.agent.id === row.agent.id) ?? {row, tail: ''};

interface Room {
  readonly rows: number;
  readonly width: number;
}

/** The last lines of a sub-agent's output, as they come. */
function AgentTail({text, rows, width}: Room & {readonly text: string}): ReactNode {
  const theme = useTheme();
  if (rows < 3) return null;
  const said = visible(text)
    .replaceAll(/\n\s*\n/gu, '\n')
    .trim();
  const spans = [{text: said === '' ? 'No output yet.' : said, roles: ['dim']}] as const;
  const lines = wrapSpans(spans, {theme, width}, noIndent);
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text wrap="truncate">{lines.slice(1 - rows).join('\n')}</Text>
    </Box>
  );
}

const mostLastLine = 40;

/** The background commands, with their state and their last line. */
function blocksPicker(panel: BlocksPanel, blocks: readonly BlockInfo[]) {
  const items = blocks.map(block => ({
    ...plainItem(block.id, block.command),
    details: [
      [
        blockStateLabel(block.state),
        ageText(block.ageMs),
        ...(block.ports.length === 0 ? [] : [`:${block.ports.join(' :')}`]),
        ...(block.life === 'kept' ? ['kept'] : []),
      ].join(' · '),
      visibleLine(block.lastLine).slice(0, mostLastLine),
    ],
  }));
  const list = openPicker({items, search: 'off', empty: 'No background commands', selected: 'current'});
  return {...list, row: selectedRow(panel, blocks)};
}

const previewRows = 8;
const messageRows = 3;

function LastMessages({panel, rows, width}: Room & {readonly panel: SessionsPanel}): ReactNode {
  const theme = useTheme();
  const selected = selectedValue(panel.picker);
  const said: readonly SessionMessage[] = selected === undefined ? [] : (panel.messages.get(selected) ?? []);
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

/** Lines that show the colours of the selected theme. */
function ThemeSample({rows, width}: Room): ReactNode {
  const theme = useTheme();
  const lines = [
    `${theme.style(['success'], 'success')} ${theme.style(['warning'], 'warning')} ${theme.style(['error'], 'error')} ${theme.style(['dim'], 'aside')}`,
    ...diffLines([example], {most: 6, shown: 'all', long: 'clipped', home: ''}, {theme, width}),
  ].slice(0, Math.max(0, rows));
  return lines.length === 0 ? null : <Text>{lines.join('\n')}</Text>;
}

const example: FileDiff = {
  path: 'greet.ts',
  before: '',
  after: '',
  movedFrom: undefined,
  added: 1,
  removed: 1,
  hunks: [
    {
      oldStart: 1,
      newStart: 1,
      lines: [
        {kind: 'removed', text: "const greeting = 'hello';", changed: [{from: 18, to: 23}]},
        {kind: 'added', text: "const greeting = 'welcome';", changed: [{from: 18, to: 25}]},
      ],
    },
  ],
  notes: [],
};
