import {accessOf} from '../../actions/catalogue.ts';
import type {Approval} from '../../actions/agent-event.ts';
import type {ApprovalAnswer} from '../../agent/client.ts';
import {clip} from '../../base/clip.ts';
import {visibleExactLine} from '../../base/visible.ts';
import type {Verdict} from '../../domain/risk.ts';
import {typedWord} from '../../domain/typed-word.ts';
import {approvalKeys} from '../terminal/keymap.ts';
import {type ChangePart, partsOf} from './change-parts.ts';

/** The choices on an approval card, depending on the action and its risk. */
export interface ApprovalChoices {
  readonly accept: Acceptance;
  /** The answers in numbered order. An answer that needs a typed word isn't among them. */
  readonly offers: readonly Offer[];
  /** Rules that "always" can store, narrowest first. If empty, the card doesn't offer "always". */
  readonly rules: readonly string[];
  /** The command, which the user can edit before it runs. Empty for other actions. */
  readonly command: string;
  /** The parts of a change that can be dropped. Empty once the user has edited the change. */
  readonly parts: readonly ChangePart[];
  /** Whether the user can open the proposal in an editor. */
  readonly editable: 'yes' | 'no';
}

/** The input that accepts a proposal: a key, or the typed confirm word if the action needs one. */
export type Acceptance =
  | {readonly by: 'key'}
  | {readonly by: 'word'; readonly word: string; readonly does: 'allow' | 'keep'};

/** An answer that a card offers. A letter means the same on every card. */
export interface Offer {
  readonly does: OfferAction;
  readonly letter: string;
  readonly label: string;
  /** The label on a small card. */
  readonly short: string;
}

type OfferAction =
  | {readonly kind: 'answer'; readonly answer: ApprovalAnswer}
  /** Stores the rule that the card shows. */
  | {readonly kind: 'always'; readonly rule: string}
  | {readonly kind: 'choose-hunks'}
  /** Asks the user what to do instead. */
  | {readonly kind: 'refuse'};

/**
 * Returns the choices for an approval. An action that destroys something or sends private data can only be allowed once.
 * `rule` is the index of the rule that "always" shows.
 */
export function choicesOf(approval: Approval, rule: number | 'suggested' = 'suggested'): ApprovalChoices {
  const {action, preview, verdict} = approval;
  const access = accessOf(action);
  const edit = access.kind === 'edit' && preview.kind === 'diff' ? access : undefined;
  if (preview.kind === 'plan') return planChoices;
  if (preview.kind === 'changes') return changesChoices(approval, partsOf(preview));
  const parts = edit?.userChanges.kind === 'none' && preview.kind === 'diff' ? partsOf(preview) : [];
  const word = typedWord(verdict);
  const needsWord = word !== '';
  const rules = needsWord ? [] : verdict.detail.rules;
  const hunks: readonly Offer[] = parts.length < 2 ? [] : [hunksOffer('Pick hunks', 'Hunks')];
  const shown = rules[rule === 'suggested' ? suggestedRule(verdict) : rule];
  return {
    accept: needsWord ? {by: 'word', word, does: 'allow'} : {by: 'key'},
    offers: needsWord
      ? [...hunks, refuseWithMessage]
      : [
          allowOffer('Yes', 'Yes'),
          ...sessionOffers(approval),
          ...(shown === undefined ? [] : [alwaysOffer(shown)]),
          ...hunks,
          refuseWithMessage,
        ],
    rules,
    command: access.kind === 'command' ? access.command : '',
    parts,
    editable: edit === undefined ? 'no' : 'yes',
  };
}

const offer = (key: keyof typeof approvalKeys, does: OfferAction, label: string, short: string): Offer => ({
  does,
  letter: approvalKeys[key],
  label,
  short,
});

const allowOffer = (label: string, short: string): Offer =>
  offer('allow', {kind: 'answer', answer: {decision: 'allow', scope: 'once'}}, label, short);
const sessionOffer = (label: string, short: string): Offer =>
  offer('allowSession', {kind: 'answer', answer: {decision: 'allow', scope: 'session'}}, label, short);
const hunksOffer = (label: string, short: string): Offer => offer('chooseHunks', {kind: 'choose-hunks'}, label, short);
const refuseOffer = (label: string, short: string): Offer => offer('refuse', {kind: 'refuse'}, label, short);

const refuseWithMessage = refuseOffer('No, and tell weft what to do instead', 'No');

/** The choices for a plan. A plan is approved once. The permission mode that follows decides about its actions. */
const planChoices: ApprovalChoices = {
  accept: {by: 'key'},
  offers: [
    allowOffer('Yes, and ask before changes', 'Yes'),
    sessionOffer('Yes, and accept edits this session', 'Accept edits'),
    refuseOffer('No, keep planning and tell weft what to change', 'No'),
  ],
  rules: [],
  command: '',
  parts: [],
  editable: 'yes',
};

/** Returns the choices for a command's changes. Offers no rule: a rule would cover the next command, and this one has already run. */
function changesChoices({verdict, sessionGrant}: Approval, parts: readonly ChangePart[]): ApprovalChoices {
  const word = typedWord(verdict);
  const needsWord = word !== '';
  return {
    accept: needsWord ? {by: 'word', word, does: 'keep'} : {by: 'key'},
    offers: [
      ...(needsWord ? [] : [allowOffer('Keep', 'Keep')]),
      ...(needsWord || sessionGrant === '' ? [] : [sessionOffer('Keep, and all edits this session', 'Session')]),
      ...(parts.length < 2 ? [] : [hunksOffer('Pick files', 'Pick')]),
      refuseOffer('Discard, and tell weft what to do instead', 'No'),
    ],
    rules: [],
    command: '',
    parts,
    editable: 'no',
  };
}

/** Returns the index of the rule to show first: the narrowest rule that allows any arguments if they are safe to allow, else the exact rule. */
export function suggestedRule({risk, sessionApproval, detail}: Verdict): number {
  const isWide = sessionApproval === 'kind' || risk === 'local-change';
  return isWide
    ? Math.max(
        0,
        detail.rules.findIndex(rule => rule.endsWith(':*)')),
      )
    : 0;
}

/** The longest label of a choice, so that choices leave enough rows for the action. */
const maxLabelLength = 120;

/** Formats `Bash(npm test:*)` as `npm test *`. Rules of other tools stay unchanged. */
function ruleText(rule: string): string {
  const [, pattern = rule] = /^Bash\((?<pattern>[^]*)\)$/u.exec(rule) ?? [];
  const text = visibleExactLine(pattern.replace(/:\*$/u, ' *'));
  if (text.length <= maxLabelLength) return text;
  return pattern.endsWith(':*') || pattern === rule ? clip(text, maxLabelLength) : 'this exact command';
}

const alwaysOffer = (rule: string): Offer =>
  offer('allowAlways', {kind: 'always', rule}, `Always in this project: ${ruleText(rule)}`, 'Always');

function sessionOffers({action, verdict, sessionGrant}: Approval): readonly Offer[] {
  if (sessionGrant === '') return [];
  const isAllEdits = accessOf(action).kind === 'edit' && verdict.sessionApproval === 'kind';
  const grant = `Yes, ${clip(visibleExactLine(sessionGrant), maxLabelLength)} for this session`;
  return [sessionOffer(isAllEdits ? 'All edits this session' : grant, 'Session')];
}
