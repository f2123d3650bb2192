import type {ReactNode} from 'react';
import {Text} from 'ink';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import {rewindDetails, rewindEffect, type RewindReport, rewindSubject} from '../../domain/rewind.ts';
import type {RewindPanel as RewindState} from '../state/panels/rewind.ts';
import {cellWidth} from '../text/cell-width.ts';
import {wrapSpans} from '../text/wrap.ts';
import {useTheme} from '../theme/styled.tsx';
import {Card, frameRows} from './card.tsx';
import {PickerCard} from './picker-card.tsx';

interface RewindPanelProps {
  readonly panel: RewindState;
  /** Paths below it are shown relative to it. */
  readonly directory: string;
  readonly rows: number;
  readonly width: number;
}

export function RewindPanel({panel, directory, rows, width}: RewindPanelProps): ReactNode {
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
  const shown = all.length <= room ? all : [...all.slice(0, room - 1), '  …'];
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
