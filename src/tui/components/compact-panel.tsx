import {Text} from 'ink';
import type {ReactNode} from 'react';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
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
import {type CompactPanel as CompactState, summaryLines} from '../state/panels/compact.ts';
import {type Frame, noIndent, wrapSpans} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import {Card, frameRows} from './card.tsx';

interface PanelProps<Shown extends CompactState> {
  readonly panel: Shown;
  readonly rows: number;
  readonly width: number;
}

export function CompactPanel({panel, rows, width}: PanelProps<CompactState>): ReactNode {
  switch (panel.stage) {
    case 'summary-awaited':
      return (
        <Card width={width} title="Compact the conversation" hints={['Esc stop']}>
          <Styled as="dim">The model is writing a summary …</Styled>
        </Card>
      );
    case 'confirm':
      return <CompactPreview panel={panel} rows={rows} width={width} />;
    default:
      return unreachable(panel);
  }
}

/** The other lines get the rows they need, and the summary gets the rest. */
function CompactPreview({
  panel,
  rows,
  width,
}: PanelProps<Extract<CompactState, {readonly stage: 'confirm'}>>): ReactNode {
  const theme = useTheme();
  const {preview, top} = panel;
  const frame = {theme, width: width - 4};
  const room = Math.max(1, rows - frameRows);
  const heading = headLines(preview, frame).slice(0, room);
  const summary = summaryLines(preview).slice(top);
  const rest = summary.flatMap(line => (line === '' ? [''] : wrapSpans([{text: line, roles: []}], frame, noIndent)));
  const shown = rest.slice(0, Math.max(0, room - heading.length));
  const scrolls = rest.length > shown.length || top > 0;
  const hints = [
    'Enter compact',
    'Esc cancel',
    ...(preview.way === 'summary' ? ['e edit the summary'] : []),
    ...(scrolls ? ['↑↓ read'] : []),
  ];
  return (
    <Card width={width} title={compactionQuestion(preview)} hints={hints}>
      <Text>{[...heading, ...shown].join('\n')}</Text>
    </Card>
  );
}

function headLines(preview: CompactionPreview, frame: Frame): readonly string[] {
  const {kept, summarised, dropped, cost} = preview;
  return [
    ...wrapSpans([{text: compactionTokensText(preview), roles: []}], frame, noIndent),
    ...compactionPreviewWarnings(preview).flatMap(text => paragraph(visibleLine(text), 'warning', frame)),
    ...partsRow('kept', kept, frame),
    ...partsRow('summarised', summarised, frame),
    ...partsRow('dropped', dropped, frame),
    ...paragraph(`${summaryCostText(cost)} ${compactionUndoHint}`.trim(), 'dim', frame),
  ];
}

const paragraph = (text: string, role: 'warning' | 'dim', frame: Frame): readonly string[] =>
  wrapSpans([{text, roles: [role]}], frame, {first: '', rest: '  ', roles: []});

const partsRow = (name: string, parts: readonly CountedPart[], frame: Frame): readonly string[] =>
  wrapSpans([{text: countedPartTexts(parts).join(glyphs.between), roles: []}], frame, {
    first: name.padEnd(11),
    rest: ' '.repeat(11),
    roles: ['dim'],
  });
