export type ScrollStep = 'page-up' | 'page-down' | 'top' | 'bottom';

/** The end of the transcript, or the lines from `first` on. `end` is the end of the transcript when the user scrolled away. */
export type ScrollPosition = {readonly at: 'end'} | {readonly at: 'line'; readonly first: number; readonly end: number};

export const atEnd: ScrollPosition = {at: 'end'};

/** The line numbers from `start` up to, but not including, `end`. `room` is how many lines fit on the screen. */
export interface ScrollRange {
  readonly start: number;
  readonly end: number;
  readonly room: number;
}

/** Returns the position after a scroll step. The end position follows new lines. */
export function scrollPosition(
  position: ScrollPosition,
  step: ScrollStep,
  {start, end, room}: ScrollRange,
): ScrollPosition {
  const last = Math.max(start, end - room);
  // The overlap keeps lines of the previous page visible for context.
  const page = Math.max(1, room - 3);
  const first = position.at === 'end' ? last : position.first;
  const next = {'page-up': first - page, 'page-down': first + page, top: start, bottom: last}[step];
  const to = Math.max(start, next);
  if (to >= last) return atEnd;
  return {at: 'line', first: to, end: position.at === 'end' ? end : position.end};
}
