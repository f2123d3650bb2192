/** What a line of a server-sent event stream is: data, one of the other fields or a comment, the end of an event; or none of these. */
export type SseLine =
  | {readonly kind: 'data'; readonly text: string}
  | {readonly kind: 'passed-over'}
  | {readonly kind: 'end'}
  | {readonly kind: 'stranger'};

/**
 * Fields that the standard does not know are passed over as it has it, a name without a colon too; but what has no name of a field,
 * such as data without its `data:`, is a stranger: somebody should hear of it.
 */
export function sseLine(line: string): SseLine {
  if (line === '') return {kind: 'end'};
  if (line.startsWith('data:')) return {kind: 'data', text: line.slice(line.startsWith(' ', 5) ? 6 : 5)};
  if (line === 'data') return {kind: 'data', text: ''};
  return line.startsWith(':') || hasFieldName(line) ? {kind: 'passed-over'} : {kind: 'stranger'};
}

/** Whether a line is one of a server-sent event stream, where other things may stand as well. */
export const looksLikeSse = (line: string): boolean =>
  /^(?:(?:data|event|id|retry)?:|(?:data|event|id|retry)$)/u.test(line);

/** Whether a line may be a field that the standard does not know. */
export const hasFieldName = (line: string): boolean => /^[A-Za-z][\w.-]{0,31}:|^[a-z]{1,16}$/u.test(line);
