export type ScrollStep = 'page-up' | 'page-down' | 'top' | 'bottom';

/** The end of the transcript, or the lines from `first` on; `end` is the last line when the user scrolled away. */
export type ScrollPosition = {readonly at: 'end'} | {readonly at: 'line'; readonly first: number; readonly end: number};

export const atEnd: ScrollPosition = {at: 'end'};

/** The lines that there are, by their numbers from `start` to before `end`, and how many of them fit on the screen. */
export interface ScrollRange {
  readonly start: number;
  readonly end: number;
  readonly room: number;
}

/** The position after a scroll step. A position at the end follows new lines. */
export function scrollPosition(
  place: ScrollPosition,
  step: ScrollStep,
  {start, end, room}: ScrollRange,
): ScrollPosition {
  const last = Math.max(start, end - room);
  // Two lines of the previous page stay visible for orientation.
  const page = Math.max(1, room - 3);
  const first = place.at === 'end' ? last : place.first;
  const next = {'page-up': first - page, 'page-down': first + page, top: start, bottom: last}[step];
  const to = Math.max(start, next);
  if (to >= last) return atEnd;
  return {at: 'line', first: to, end: place.at === 'end' ? end : place.end};
}
