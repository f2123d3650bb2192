import type {ModelPort} from '../agent/ports.ts';

/** What a user without a model is told, in one line. */
export const noModelText =
  'No model is configured: set ANTHROPIC_API_KEY, or OPENAI_API_KEY / OPENAI_BASE_URL for a server that speaks its protocol; `weft demo` works without.';

/** The same for the terminal UI: one line of a narrow screen. */
export const noModelNotice = 'No model configured. Set ANTHROPIC_API_KEY or OPENAI_BASE_URL, or type /demo.';

/** Stands where a model would: every request is answered with what to do. */
export const noModel: ModelPort = {
  provider: 'none',
  async *stream() {
    yield [{event: 'failed', fault: {kind: 'needs-user', message: noModelText, fix: ''}}];
  },
  facts: () => ({contextWindow: 0, costOf: () => 'unknown'}),
};
