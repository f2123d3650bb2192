import type {SessionSummary} from '../../domain/journal.ts';
import {fit} from '../../tui/text/cell-width.ts';
import {visibleLine} from '../../base/visible.ts';

/**
 * One line a session, none wider than `width` cells (but for the id, which is never cut): id, when it was last written to,
 * messages, title, folder. Empty for no sessions. `now` in milliseconds since the epoch.
 */
export function formatSessionList(
  summaries: readonly SessionSummary[],
  {now, width}: {readonly now: number; readonly width: number},
): string {
  const rows = summaries.map(summary => ({
    summary,
    age: ageText(now - summary.updatedAt),
    messages: `${String(summary.messages)} ${summary.messages === 1 ? 'message' : 'messages'}`,
  }));
  const ageWidth = Math.max(0, ...rows.map(row => row.age.length));
  const messagesWidth = Math.max(0, ...rows.map(row => row.messages.length));
  return rows
    .map(({summary, age, messages}) => {
      const start = `${summary.id}  ${age.padStart(ageWidth)}  ${messages.padStart(messagesWidth)}  `;
      const title = summary.title === '' ? '(no text)' : visibleLine(summary.title);
      const rest = fit(`${title}  ${visibleLine(summary.directory)}`, Math.max(0, width - start.length));
      return `${start}${rest}`.trimEnd().concat('\n');
    })
    .join('');
}

/** How long ago, in the largest unit that fits: `3 h ago`. */
function ageText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  for (const [unit, length] of units)
    if (seconds >= length) return `${String(Math.floor(seconds / length))} ${unit} ago`;
  return 'just now';
}

const units = [
  ['y', 31_536_000],
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;
