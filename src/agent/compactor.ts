import type {AgentEvent} from '../actions/agent-event.ts';
import {clip} from '../base/clip.ts';
import type {CompactionWay, SummaryCost} from '../domain/compaction.ts';
import {faultText, thrownFault} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {noUsage} from '../domain/usage.ts';
import {countCompaction} from './count-compaction.ts';
import {draftCompaction, isNoCompaction, type DraftSources} from './draft-compaction.ts';
import type {ClockPort, IdPort, ModelPort} from './ports.ts';
import type {PromptLimits} from './run-prompt.ts';
import type {UsageMeter} from './usage-meter.ts';
import {summaryTimeoutMs, writeSummary, type Summary} from './write-summary.ts';

export interface CompactorParts extends Omit<DraftSources, 'counted'> {
  readonly model: ModelPort;
  readonly meter: UsageMeter;
  readonly clock: ClockPort;
  readonly ids: IdPort;
  readonly limits: PromptLimits;
  readonly keep: (record: JournalRecord) => void;
  readonly publish: (events: readonly AgentEvent[]) => void;
  /** The engine is being closed. */
  readonly isLeaving: () => boolean;
  /** Reads the conversation anew. */
  readonly reopen: () => void;
}

/** How long it may take to look at the files that were changed, in milliseconds; those left by then go by their names. */
const draftTimeoutMs = 10_000;

/** What was shown, and of which state of the session. */
interface Proposal {
  readonly id: MessageId;
  readonly way: CompactionWay;
  readonly summary: string;
  readonly records: readonly JournalRecord[];
  readonly length: number;
  readonly counted: DraftSources['counted'];
}

/**
 * Compacts a conversation in two steps: shows what it would come to, with a summary by the model, or without one where there
 * is none to be had; and does that when it is agreed to. Neither throws.
 */
export class Compactor {
  #proposal: Proposal | undefined;

  async preview(instructions: string, parts: CompactorParts, signal: AbortSignal): Promise<void> {
    const {publish, meter, records, request} = parts;
    this.#proposal = undefined;
    if (!request.messages.some(isNoCompaction)) {
      publish([refused('There is nothing to compact: nothing was said yet, or since the last compaction.')]);
      return;
    }
    try {
      publish([{event: 'compaction-begun'}]);
      const counted = meter.report();
      const id = parts.ids.message();
      const summary = await summaryOf(instructions, parts, signal);
      const cost = payFor(summary, {...parts, counted});
      if (parts.isLeaving()) return;
      const wish =
        summary.kind === 'written'
          ? ({id, way: 'summary', summary: parts.secrets.conceal(summary.text)} as const)
          : ({id, way: 'trim', summary: earlierSummary(parts)} as const);
      const draft = await draftCompaction(wish, {...parts, counted}, AbortSignal.timeout(draftTimeoutMs));
      this.#proposal = {...wish, records, length: records.length, counted};
      publish([
        {
          event: 'compaction-previewed',
          preview: {
            ...wish,
            summary: wish.way === 'summary' ? wish.summary : '',
            why: summary.kind === 'none' ? summary.why : '',
            ...countCompaction(wish, {draft, messages: request.messages}),
            tokens: draft.tokens,
            before: draft.before,
            cost,
          },
        },
      ]);
    } catch (cause) {
      publish([refused(faultText(thrownFault('Compacting broke off', cause)))]);
    }
  }

  /** What was shown is worked out again, since files and commands may have gone on since. */
  async carryOut(
    wanted: {readonly preview: MessageId; readonly summary: string},
    parts: CompactorParts,
  ): Promise<void> {
    const {publish, records, keep, reopen, secrets} = parts;
    const proposal = this.#proposal;
    const isSame =
      proposal?.id === wanted.preview && proposal.records === records && proposal.length === records.length;
    if (!isSame) {
      publish([refused('The conversation has gone on since that was shown: ask for it again.')]);
      return;
    }
    this.#proposal = undefined;
    try {
      const edited =
        wanted.summary.trim() === '' || proposal.way === 'trim' ? '' : secrets.conceal(wanted.summary.trim());
      const wish = {id: proposal.id, way: proposal.way, summary: edited === '' ? proposal.summary : edited};
      const sources = {...parts, counted: proposal.counted};
      const {messages, tokens} = await draftCompaction(wish, sources, AbortSignal.timeout(draftTimeoutMs));
      keep({kind: 'compaction', ...wish, messages, tokens});
      reopen();
      publish([{event: 'compacted', report: {way: wish.way, tokens}}]);
    } catch (cause) {
      publish([refused(faultText(thrownFault('Compacting broke off', cause)))]);
    }
  }
}

async function summaryOf(instructions: string, parts: CompactorParts, signal: AbortSignal): Promise<Summary> {
  const {request, ids, limits, meter, secrets} = parts;
  if (meter.isSpent(limits.maxCostUsd, request.model)) {
    return {
      kind: 'none',
      why: 'A summary would cost more than the limit leaves.',
      usage: noUsage,
      model: request.model,
    };
  }
  const asked = {request, id: ids.message(), instructions: secrets.conceal(instructions), timeoutMs: summaryTimeoutMs};
  return writeSummary(asked, parts, signal);
}

/** Counts what the summary has used, and keeps that. The conversation is as long as it was. */
function payFor(
  {usage, model}: Summary,
  {model: port, meter, keep, publish, counted}: CompactorParts & Pick<DraftSources, 'counted'>,
): SummaryCost {
  if (usage === noUsage) return {kind: 'none'};
  keep({kind: 'usage', model, usage});
  meter.add(model, usage);
  if (counted.contextTokens > 0) meter.expect(counted.contextTokens);
  publish([{event: 'usage-changed', usage: meter.report()}]);
  return {kind: 'used', usage, usd: port.facts(model).costOf(usage)};
}

/** What an earlier compaction has summed up goes on where nothing new sums it up. */
function earlierSummary({records, request}: CompactorParts): string {
  const earlier = new Set(request.messages.filter(message => !isNoCompaction(message)).map(({id}) => id));
  const last = records.findLast(record => record.kind === 'compaction' && earlier.has(record.id));
  return last?.kind === 'compaction' ? clip(last.summary, longestCarried) : '';
}

/** UTF-16 units. */
const longestCarried = 24_000;

const refused = (reason: string): AgentEvent => ({event: 'compaction-refused', reason});
