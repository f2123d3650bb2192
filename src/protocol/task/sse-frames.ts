/** What a line of a server-sent event stream is: data, one of the other fields or a comment, the end of an event; or none of these. */
export type SseLine =
  | {readonly kind: 'data'; readonly text: string}
  | {readonly kind: 'passed-over'}
  | {readonly kind: 'end'}
  | {readonly kind: 'stranger'};

export function sseLine(line: string): SseLine {
  if (line === '') return {kind: 'end'};
  if (line.startsWith('data:')) return {kind: 'data', text: line.slice(line.startsWith(' ', 5) ? 6 : 5)};
  if (line === 'data') return {kind: 'data', text: ''};
  return /^(?:event|id|retry)?(?::|$)/u.test(line) ? {kind: 'passed-over'} : {kind: 'stranger'};
}

/** Whether a line is one of a server-sent event stream, where other things may stand as well. */
export const looksLikeSse = (line: string): boolean => line.startsWith('data:') || /^(?:event|id|retry)?:/u.test(line);
