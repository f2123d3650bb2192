import {Text} from 'ink';
import type {ReactNode} from 'react';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import {providerNames, recognizeKey} from '../../domain/api-key.ts';
import {type ConnectPanel as ConnectState, waysOf} from '../state/panels/connect.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';
import {Card} from './card.tsx';
import {Caret} from './caret.tsx';
import {PickerCard} from './picker-card.tsx';

interface ConnectPanelProps {
  readonly panel: ConnectState;
  readonly rows: number;
  readonly width: number;
}

export function ConnectPanel({panel, rows, width}: ConnectPanelProps): ReactNode {
  const {stage, model, prompt} = panel;
  switch (stage.stage) {
    case 'ways':
      return (
        <PickerCard
          title={model === 'none' ? 'No model yet' : 'Connect a model'}
          picker={waysOf(panel)}
          hints={['Enter select', model === 'none' ? 'Esc later' : 'Esc cancel']}
          rows={rows}
          width={width}
          below={left => <Below lines={[stage.complaint, prompt === 'waits' ? waiting : '']} rows={left} />}
        />
      );
    case 'key':
      return (
        <Card
          width={width}
          title={`Paste an API key${ownerOf(stage.key)}`}
          hints={['Enter check and keep it', 'Esc back']}
        >
          <Caret at={{x: dotsOf(stage.key, width).length, y: 0}}>
            <Text>{`${dotsOf(stage.key, width)} `}</Text>
          </Caret>
          <Text>
            {stage.complaint === '' ? (
              <Styled as="dim">
                It is kept in your keychain, else in a file that only you can read. It is never shown.
              </Styled>
            ) : (
              <Styled as="error">{visibleLine(stage.complaint)}</Styled>
            )}
          </Text>
        </Card>
      );
    case 'provider':
      return (
        <PickerCard
          title="Whose key is it?"
          picker={stage.picker}
          hints={['Enter select', 'Esc back']}
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
    case 'waiting':
      return (
        <Card width={width} title={`Connecting to ${visibleLine(stage.on)}…`} hints={['Esc back']}>
          <Styled as="dim">{prompt === 'waits' ? waiting : 'One request, which costs nothing'}</Styled>
        </Card>
      );
    default:
      return unreachable(stage);
  }
}

const dotsOf = (key: string, width: number): string =>
  glyphs.secret.repeat(Math.max(0, Math.min(key.length, width - 6)));

const waiting = 'Your prompt is sent once there is a model.';

function ownerOf(key: string): string {
  const pasted = recognizeKey(key);
  return pasted.kind === 'key' ? `: ${providerNames[pasted.provider]}` : '';
}

interface BelowProps {
  readonly lines: readonly string[];
  readonly rows: number;
}

function Below({lines, rows}: BelowProps): ReactNode {
  const [complaint = '', ...rest] = lines;
  if (rows < 1) return null;
  return (
    <>
      {complaint === '' ? null : <Styled as="warning">{visibleLine(complaint)}</Styled>}
      {rest.flatMap(line =>
        line === ''
          ? []
          : [
              <Styled key={line} as="dim">
                {line}
              </Styled>,
            ],
      )}
    </>
  );
}
