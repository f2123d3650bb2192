import type {AgentEvent} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import type {NotificationMethod} from '../../domain/preferences.ts';

type AgentState = 'idle' | 'working' | 'waiting';

/** The terminal's title, and the notification when weft needs the user. Methods return the text to write. */
export interface TerminalTitle {
  open(): string;
  /** Updates the title after a batch of events. `asks`: a question waits for the user's answer. */
  after(events: readonly AgentEvent[], waiting: 'asks' | 'asks-nothing'): string;
  /** Sets whether the terminal reports focus changes. If so, it is assumed to have the focus. */
  focusReporting(supported: 'yes' | 'no'): void;
  focus(focused: 'yes' | 'no'): void;
  close(): string;
}

export function openTerminalTitle({
  directory,
  notify,
}: {
  readonly directory: string;
  readonly notify: NotificationMethod;
}): TerminalTitle {
  let running = false;
  let state: AgentState = 'idle';
  let name = '';
  const title = (): string =>
    `\u001B]2;${names[state]}: ${visibleLine(name === '' ? directory : `${name} · ${directory}`)}\u0007`;
  let focused: 'yes' | 'no' | 'unknown' = 'unknown';
  const reports = notify !== 'off';
  return {
    open: () => `\u001B[22;2t${title()}${reports ? '\u001B[?1004h\u001B[?1004$p' : ''}`,
    after(events, waiting) {
      const before = name;
      for (const each of events) {
        const {event} = each;
        if (event === 'prompt-accepted') running = true;
        if (event === 'prompt-finished' || event === 'session-opened') running = false;
        if (event === 'session-opened') name = '';
        if (event === 'session-renamed') name = each.title;
      }
      const next: AgentState = waiting === 'asks' ? 'waiting' : running ? 'working' : 'idle';
      if (next === state) return name === before ? '' : title();
      // Don't notify after the user's own answer or interrupt, or when the user leaves a working session.
      const isLeft = events.some(({event}) => event === 'session-opened');
      const calls = next === 'waiting' || (next === 'idle' && state === 'working' && !isLeft);
      state = next;
      return title() + (calls && focused !== 'yes' ? callOf(notify, state) : '');
    },
    focusReporting(supported) {
      if (supported === 'yes') focused = 'yes';
    },
    focus(now) {
      focused = now;
    },
    close: () => `${reports ? '\u001B[?1004l' : ''}\u001B[23;2t`,
  };
}

const names = {idle: 'weft', working: 'weft (working)', waiting: 'weft (needs you)'} as const;

function callOf(notify: NotificationMethod, state: AgentState): string {
  switch (notify) {
    case 'off':
      return '';
    case 'bell':
      return '\u0007';
    case 'osc9':
      return `\u001B]9;${state === 'waiting' ? 'weft needs your answer' : 'weft is done'}\u0007`;
    default:
      return unreachable(notify);
  }
}
