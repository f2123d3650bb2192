import type {ReactNode} from 'react';
import {glyphs, spinner} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';

interface SpinnerProps {
  /** `still` for a terminal without colors. */
  readonly motion: 'turning' | 'still';
  readonly elapsedMs: number;
}

/** A spinner that turns with `elapsedMs`. Ink's `useAnimation` would draw even while the terminal can't take a frame. */
export function Spinner({motion, elapsedMs}: SpinnerProps): ReactNode {
  const turned = spinner[Math.floor(elapsedMs / turnMs) % spinner.length] ?? glyphs.running;
  return <Styled as="running">{motion === 'still' ? glyphs.running : turned}</Styled>;
}

/** Time between two spinner frames. Slow enough to use only 1% of a CPU. */
export const turnMs = 120;
