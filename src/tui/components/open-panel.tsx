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
import {ageText, type BlocksPanel, blockStateLabel, noBlocksText, selectedRow} from '../state/panels/blocks.ts';
import {openPicker, plainItem, selectedValue} from '../state/panels/picker.ts';
import type {SessionsPanel} from '../state/panels/sessions.ts';
import {blockKeys, keyHint} from '../terminal/keymap.ts';
import {noIndent, wrapSpans, wrapText, type Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Style} from '../theme/theme.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import {Card, frameRows} from './card.tsx';
import {PickerCard, showsFirstDetail} from './picker-card.tsx';
import {
  type CompactionPreview,
  compactionQuestion,
  compactionTokensText,
  compactionPreviewWarnings,
  compactionUndoHint,
  type CountedPart,
  countedPartTexts,
  summaryCostText,
} from '../../domain/compaction.ts';
import {type CompactPanel as CompactState, alwaysKey, summaryLines} from '../state/panels/compact.ts';
import {rewindDetails, rewindEffect, type RewindReport, rewindSubject} from '../../domain/rewind.ts';
import type {RewindPanel as RewindState} from '../state/panels/rewind.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {providerNames, recognizeKey} from '../../domain/api-key.ts';
import {waysIn} from '../../domain/ways-in.ts';
import {type ConnectPanel as ConnectState, connectMethods} from '../state/panels/connect.ts';
import {Caret} from './caret.tsx';
import {Lines} from './lines.tsx';

export interface OpenPanelProps {
  readonly panel: Panel;
  readonly blocks: readonly BlockInfo[];
  readonly agents: readonly AgentOutput[];
  /** The workspace. Paths inside it are shown relative to it. */
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
          hints={[
            'Enter use',
            'Esc cancel',
            'type to search',
            keyHint('search-history', key => `${key} older`, 'list'),
          ]}
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
              : ['Enter attach', 'Esc close', `${blockKeys.stop} stop`, `${blockKeys.keep} keep after exit`]
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
      const turns = panel.variantLabel === '' ? [] : [`←→ ${panel.variantLabel}`];
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
        <Card width={width} title={panel.title} hints={confirmHints(panel)} hintRows={2}>
          <Text wrap="truncate-middle">{visibleExactLine(panel.subject)}</Text>
          {panel.hint === 'none' ? null : <Styled as="warning">{`Press y to ${panel.does}, or Esc`}</Styled>}
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

/** Returns the note of the panel. If the selected row has no room for its variant, the variant comes before the note. */
function noteOf({note, variantLabel, picker}: ChoicePanel, width: number): string {
  const row = picker.row === 'none' ? undefined : picker.matching[picker.row];
  const turned = variantLabel === '' || row === undefined || showsFirstDetail(picker, width - 4) ? '' : row.details[0];
  return [turned ?? '', note].filter(text => text !== '').join(glyphs.separator);
}

/** The maximum number of rows of a sub-agent's output. A small panel leaves few rows to erase when it closes. */
const outputRows = 10;

const shownAgent = ({row}: AgentPanel, agents: readonly AgentOutput[]): Pick<AgentOutput, 'row' | 'tail'> =>
  agents.find(each => each.row.agent.id === row.agent.id) ?? {row, tail: ''};

interface Room {
  readonly rows: number;
  readonly width: number;
}

/** The last lines of a sub-agent's output, live. */
function AgentTail({text, rows, width}: Room & {readonly text: string}): ReactNode {
  const theme = useTheme();
  if (rows < 3) return null;
  const output = visible(text)
    .replaceAll(/\n\s*\n/gu, '\n')
    .trim();
  const spans = [{text: output === '' ? 'No output yet' : output, roles: ['dim']}] as const;
  const lines = wrapSpans(spans, {theme, width}, noIndent);
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text wrap="truncate">{lines.slice(1 - rows).join('\n')}</Text>
    </Box>
  );
}

const maxLastLine = 40;

/** Returns the picker of background commands, with their states and last lines. */
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
      visibleLine(block.lastLine).slice(0, maxLastLine),
    ],
  }));
  const list = openPicker({items, search: 'off', empty: noBlocksText, selected: 'current'});
  return {...list, row: selectedRow(panel, blocks)};
}

const previewRows = 8;
const messageRows = 3;

function LastMessages({panel, rows, width}: Room & {readonly panel: SessionsPanel}): ReactNode {
  const theme = useTheme();
  const selected = selectedValue(panel.picker);
  const messages: readonly SessionMessage[] = selected === undefined ? [] : (panel.messages.get(selected) ?? []);
  if (rows < 3 || messages.length === 0) return null;
  const lines = messages.flatMap(({by, text}) =>
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

/** Sample lines in the colors of the selected theme. */
function ThemeSample({rows, width}: Room): ReactNode {
  const theme = useTheme();
  const lines = [
    `${theme.style(['success'], 'success')} ${theme.style(['warning'], 'warning')} ${theme.style(['error'], 'error')} ${theme.style(['dim'], 'aside')}`,
    ...diffLines([example], {maxLines: 6, shown: 'all', long: 'clipped', home: ''}, {theme, width}),
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

interface PanelProps<Shown extends CompactState> {
  readonly panel: Shown;
  readonly rows: number;
  readonly width: number;
}

function CompactPanel({panel, rows, width}: PanelProps<CompactState>): ReactNode {
  switch (panel.stage) {
    case 'summary-awaited':
      return (
        <Card width={width} title="Compact the conversation" hints={['Esc stop']}>
          <Paragraph as="dim" text={summaryProgress(panel.estimate)} width={width} />
        </Card>
      );
    case 'confirm':
      return <CompactPreview panel={panel} rows={rows} width={width} />;
    default:
      return unreachable(panel);
  }
}

const summaryProgress = (estimate: string): string => (estimate === '' ? 'Writing a summary…' : `Summary: ${estimate}`);

/** The preview of a compaction. The heading gets the rows it needs, and the summary gets the rest. */
function CompactPreview({
  panel,
  rows,
  width,
}: PanelProps<Extract<CompactState, {readonly stage: 'confirm'}>>): ReactNode {
  const theme = useTheme();
  const {preview, top, offer} = panel;
  const frame = {theme, width: width - 4};
  const room = Math.max(1, rows - frameRows);
  const reason = offer === 'none' ? [] : paragraph(visibleLine(offer.reason), 'warning', frame);
  const hint = offer === 'none' ? compactionUndoHint : '';
  const heading = [...reason, ...headLines(preview, hint, frame)].slice(0, room);
  const summary = summaryLines(preview).slice(top);
  const rest = summary.flatMap(line => (line === '' ? [''] : wrapSpans([{text: line, roles: []}], frame, noIndent)));
  const shown = rest.slice(0, Math.max(0, room - heading.length));
  const scrolls = rest.length > shown.length || top > 0;
  const hints = [
    'Enter compact',
    ...(offer === 'none' ? ['Esc cancel'] : [`${alwaysKey} always compact`, 'Esc stop']),
    ...(preview.way === 'summary' ? ['e edit summary'] : []),
    ...(scrolls ? ['↑↓ scroll'] : []),
  ];
  return (
    <Card width={width} title={compactionQuestion(preview)} hints={hints}>
      <Text>{[...heading, ...shown].join('\n')}</Text>
    </Card>
  );
}

function headLines(preview: CompactionPreview, undoHint: string, frame: Frame): readonly string[] {
  const {kept, summarised, dropped, cost} = preview;
  return [
    ...wrapSpans([{text: compactionTokensText(preview), roles: []}], frame, noIndent),
    ...compactionPreviewWarnings(preview).flatMap(text => paragraph(visibleLine(text), 'warning', frame)),
    ...partsRow('kept', kept, frame),
    ...partsRow('summarized', summarised, frame),
    ...partsRow('dropped', dropped, frame),
    ...paragraph(`${summaryCostText(cost)} ${undoHint}`.trim(), 'dim', frame),
  ];
}

const paragraph = (text: string, role: 'warning' | 'dim', frame: Frame): readonly string[] =>
  wrapSpans([{text, roles: [role]}], frame, {first: '', rest: '  ', roles: []});

const partsRow = (name: string, parts: readonly CountedPart[], frame: Frame): readonly string[] =>
  wrapSpans([{text: countedPartTexts(parts).join(glyphs.separator), roles: []}], frame, {
    first: name.padEnd(11),
    rest: ' '.repeat(11),
    roles: ['dim'],
  });

interface ParagraphProps {
  readonly text: string;
  readonly as?: Style;
  readonly width: number;
}

/** A text in a card, wrapped between words. Ink itself would begin a line with the blank that does not fit on the one before. */
function Paragraph({text, as, width}: ParagraphProps): ReactNode {
  const theme = useTheme();
  return <Lines lines={wrapText(text, as === undefined ? [] : [as], {theme, width: Math.max(1, width - 4)})} />;
}

interface RewindPanelProps {
  readonly panel: RewindState;
  /** Paths inside this folder are shown relative to it. */
  readonly directory: string;
  readonly rows: number;
  readonly width: number;
}

function RewindPanel({panel, directory, rows, width}: RewindPanelProps): ReactNode {
  switch (panel.stage) {
    case 'prompt':
      return (
        <PickerCard
          title="Rewind to before a prompt"
          picker={panel.picker}
          hints={['Enter select', 'Esc cancel', 'type to search']}
          rows={rows}
          width={width}
        />
      );
    case 'scope':
      return (
        <PickerCard
          title={`Rewind to before "${visibleLine(panel.point.prompt)}"`}
          picker={panel.picker}
          hints={['Enter select', 'Esc cancel']}
          rows={rows}
          width={width}
        />
      );
    case 'confirm':
      return <RewindPreview report={panel.report} directory={directory} rows={rows} width={width} />;
    default:
      return unreachable(panel);
  }
}

function RewindPreview({
  report,
  directory,
  rows,
  width,
}: Omit<RewindPanelProps, 'panel'> & {readonly report: RewindReport}): ReactNode {
  const theme = useTheme();
  const inside = width - 4;
  const subject = rewindSubject(report, {when: 'preview', promptLength: 60});
  const effect = rewindEffect(report, 'preview');
  const whole = effect === '' ? subject : `${subject}: ${effect}`;
  const details = rewindDetails(report, directory);
  const isWhole = cellWidth(whole) <= inside - 3 && details.length > 0;
  const all = [...(isWhole || effect === '' ? [] : [effect]), ...details].flatMap(line => {
    const [, indent = '', text = ''] = /^( *)([^]*)$/u.exec(line) ?? [];
    const roles = text.startsWith('!') ? (['warning'] as const) : [];
    return wrapSpans([{text, roles}], {theme, width: inside}, {first: indent, rest: `${indent}  `, roles: []});
  });
  const room = Math.max(1, rows - frameRows);
  const cut = fit(`  … ${all.length - room + 1} more, named when it is done`, inside);
  const shown = all.length <= room ? all : [...all.slice(0, room - 1), cut];
  return (
    <Card
      width={width}
      title={isWhole ? whole : rewindSubject(report, {when: 'preview', promptLength: Math.max(8, inside - 24)})}
      hints={[`Enter ${report.kind === 'redo' ? 'redo' : 'undo'}`, 'Esc cancel']}
    >
      <Text>{shown.join('\n')}</Text>
    </Card>
  );
}

interface ConnectPanelProps {
  readonly panel: ConnectState;
  readonly rows: number;
  readonly width: number;
}

function ConnectPanel({panel, rows, width}: ConnectPanelProps): ReactNode {
  const {stage, model, prompt} = panel;
  switch (stage.stage) {
    case 'methods':
      return (
        <PickerCard
          title={model === 'none' ? 'No model yet' : 'Connect a model'}
          picker={connectMethods(panel)}
          hints={['Enter select', model === 'none' ? 'Esc later' : 'Esc cancel']}
          rows={rows}
          width={width}
          below={left => (
            <ConnectNotes
              lines={[stage.errorText, prompt === 'waits' ? promptWaitsText : '']}
              rows={left}
              width={width}
            />
          )}
        />
      );
    case 'key':
      return (
        <Card width={width} title={`Paste an API key${keyProviderLabel(stage.key)}`} hints={['Enter save', 'Esc back']}>
          <Caret at={{x: maskKey(stage.key, width).length, y: 0}}>
            <Text>{`${maskKey(stage.key, width)} `}</Text>
          </Caret>
          {stage.errorText === '' ? (
            <Paragraph
              as="dim"
              text="Saved in your keychain, or in a file only you can read. Never shown."
              width={width}
            />
          ) : (
            <Paragraph as="error" text={visibleLine(stage.errorText)} width={width} />
          )}
        </Card>
      );
    case 'provider':
      return (
        <PickerCard
          title="Which provider is this key for?"
          picker={stage.picker}
          hints={['Enter select', 'Esc back']}
          rows={rows}
          width={width}
        />
      );
    case 'ways':
      return (
        <PickerCard
          title="Choose a way"
          picker={stage.picker}
          hints={['Enter test and use', 'Esc back']}
          rows={rows}
          width={width}
        />
      );
    case 'servers':
      return (
        <PickerCard
          title="Choose a model"
          picker={stage.picker}
          hints={['Enter select', 'Esc back', 'type to search']}
          rows={rows}
          width={width}
        />
      );
    case 'about':
      return (
        <Card width={width} title={waysIn[stage.way].title} hints={['Esc back']}>
          <Paragraph text={visibleLine(stage.text)} width={width} />
        </Card>
      );
    case 'waiting':
      return (
        <Card width={width} title={`Connecting to ${visibleLine(stage.on)}…`} hints={['Esc back']}>
          <Paragraph
            as="dim"
            text={prompt === 'waits' ? promptWaitsText : 'Sending a free test request'}
            width={width}
          />
        </Card>
      );
    default:
      return unreachable(stage);
  }
}

const maskKey = (key: string, width: number): string =>
  glyphs.secret.repeat(Math.max(0, Math.min(key.length, width - 6)));

const promptWaitsText = 'Your prompt will be sent once a model is connected.';

function keyProviderLabel(key: string): string {
  const pasted = recognizeKey(key);
  return pasted.kind === 'key' ? `: ${providerNames[pasted.provider]}` : '';
}

interface BelowProps {
  readonly lines: readonly string[];
  readonly rows: number;
  readonly width: number;
}

function ConnectNotes({lines, rows, width}: BelowProps): ReactNode {
  const [errorText = '', ...rest] = lines;
  if (rows < 1) return null;
  return (
    <>
      {errorText === '' ? null : <Paragraph as="warning" text={visibleLine(errorText)} width={width} />}
      {rest.flatMap(line => (line === '' ? [] : [<Paragraph key={line} as="dim" text={line} width={width} />]))}
    </>
  );
}
