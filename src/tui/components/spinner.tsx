import type {ReactNode} from 'react';
import {glyphs, spinner} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';

interface SpinnerProps {
  /** `still`: without colours, on a slow line, or where motion is not wanted. */
  readonly motion: 'turning' | 'still';
  readonly elapsedMs: number;
}

/** Turns by the time it is given: Ink's `useAnimation` would draw while the terminal takes nothing. */
export function Spinner({motion, elapsedMs}: SpinnerProps): ReactNode {
  const turned = spinner[Math.floor(elapsedMs / turnMs) % spinner.length] ?? glyphs.running;
  return <Styled as="running">{motion === 'still' ? glyphs.running : turned}</Styled>;
}

/** Slow enough to cost a hundredth of a processor. */
export const turnMs = 120;
