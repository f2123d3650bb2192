import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import {wholeSeconds} from '../text/duration.ts';
import {countText, doingText, foregroundCommand} from '../state/selectors.ts';
import type {RunTimes, View} from '../state/view.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {withTildes} from '../text/workspace-paths.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';
import {Spinner} from './spinner.tsx';

interface RunLineProps {
  readonly view: View;
  readonly times: Pick<RunTimes, 'elapsedMs' | 'retryInMs' | 'outputTokens'>;
  readonly motion: 'turning' | 'still';
  readonly home: string;
  readonly width: number;
}

/** What is being done, for how long, what came of it so far, and how to stop it; no line while idle. */
export function RunLine({view, times, motion, home, width}: RunLineProps): ReactNode {
  const {run} = view;
  switch (run.state) {
    case 'idle':
      return null;
    case 'working': {
      const words = visibleLine(withTildes(doingText(view), home));
      const rest = restOf(times, {width, movable: foregroundCommand(view) === undefined ? 'no' : cellWidth(words)});
      const doing = fit(words, Math.max(1, width - 2 - cellWidth(rest)));
      return (
        <Box width={width}>
          <Spinner motion={motion} elapsedMs={times.elapsedMs} />
          <Text wrap="truncate"> {doing}</Text>
          <Styled as="dim">{rest}</Styled>
        </Box>
      );
    }
    case 'retrying':
      return <Styled as="warning">{retryText(run, times.retryInMs, width)}</Styled>;
    case 'stopping':
      return <Styled as="warning">{`${glyphs.running} Stopping`}</Styled>;
    default:
      return unreachable(run);
  }
}

/** What follows the verb: the first of these that leaves it half of the line. */
function restOf(
  {elapsedMs, outputTokens}: RunLineProps['times'],
  {width, movable}: {readonly width: number; readonly movable: number | 'no'},
): string {
  const time = glyphs.between + wholeSeconds(elapsedMs);
  const tokens = outputTokens === 0 ? '' : `${glyphs.between}${glyphs.received} ${countText(outputTokens)} tokens`;
  // That a command can go to the background is said where it costs none of the words before it.
  const whole = time + tokens + escInterrupts + background;
  if (movable !== 'no' && 2 + movable + cellWidth(whole) <= width) return whole;
  const forms = [time + tokens + escInterrupts, time + escInterrupts, `${time}${glyphs.between}Esc`];
  return forms.find(form => cellWidth(form) <= width - leastDoing) ?? time;
}

const background = `${glyphs.between}Ctrl+B background`;

const leastDoing = 12;

const escInterrupts = `${glyphs.between}Esc to interrupt`;

type Retrying = View['run'] & {readonly state: 'retrying'};

/** The reason comes last, because a narrow screen may cut it off. */
function retryText({attempt, maxAttempts, reason}: Retrying, inMs: number, width: number): string {
  const rest = `${inMs > 0 ? ` in ${Math.ceil(inMs / 1000)} s` : ''} (${attempt} of ${maxAttempts})`;
  const full = `${glyphs.waiting} Trying again${rest}${escInterrupts}`;
  const facts = full.length <= width ? full : `${glyphs.waiting} Retry${rest}${glyphs.between}Esc`;
  return fit(reason === '' ? facts : facts + glyphs.between + visibleLine(reason), width);
}
