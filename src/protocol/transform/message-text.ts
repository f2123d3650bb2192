/**
 * The text of one message: `now` as the server has it and `shown`, which may be ahead of it. Of a text that is too long or too
 * old to be kept only the length is known, and what replaces it is taken to begin with it.
 */
export type MessageText =
  | {readonly kind: 'kept'; readonly shown: string; readonly now: string}
  | {readonly kind: 'measured'; readonly length: number};

export interface Growth {
  readonly after: MessageText;
  /** What was not shown yet. */
  readonly more: string;
  /** Whether it goes on from what was shown, or replaces it. */
  readonly opening: 'continues' | 'anew';
}

/** The text becomes `text`. What only goes on from what was shown gives the rest, what was shown already nothing, all else itself. */
export function replaceText(before: MessageText, text: string): Growth {
  if (before.kind === 'measured')
    return continued({kind: 'measured', length: Math.max(before.length, text.length)}, text.slice(before.length));
  const {shown, now} = before;
  if (text.startsWith(shown)) return continued(whole(text), text.slice(shown.length));
  if (shown.startsWith(text)) return continued({kind: 'kept', shown, now: text}, '');
  // Cut short before and now going on differently: what is shown of it stands, the rest follows.
  if (now !== '' && text.startsWith(now)) return continued(whole(text), text.slice(now.length));
  return {after: whole(text), more: text, opening: 'anew'};
}

/** `more` is added at the end. */
export function extendText(before: MessageText, more: string): Growth {
  if (before.kind === 'measured') return continued({kind: 'measured', length: before.length + more.length}, more);
  if (before.now !== before.shown) return replaceText(before, before.now + more);
  return continued(whole(before.now + more), more);
}

export const whole = (text: string): MessageText => ({kind: 'kept', shown: text, now: text});

const continued = (after: MessageText, more: string): Growth => ({after, more, opening: 'continues'});
