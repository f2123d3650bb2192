import {accessOf} from '../../actions/catalogue.ts';
import type {Approval} from '../../actions/agent-event.ts';
import type {ApprovalAnswer} from '../../agent/client.ts';
import {clip} from '../../base/clip.ts';
import {visibleExactLine} from '../../base/visible.ts';
import type {Verdict} from '../../domain/risk.ts';
import {approvalKeys} from '../terminal/keymap.ts';
import {type ChangePart, partsOf} from './change-parts.ts';

/** What an approval card offers, depending on the action and its risk. */
export interface ApprovalChoices {
  readonly accept: Acceptance;
  /** The answers in the order of their numbers, without those that only a typed word gives. */
  readonly offers: readonly Offer[];
  /** Rules that "always" can store, narrowest first; with none it is not offered. */
  readonly rules: readonly string[];
  /** The command, which can be edited before it runs; empty for other actions. */
  readonly command: string;
  /** The parts of a change that can be dropped, as long as it is the agent's own. */
  readonly parts: readonly ChangePart[];
  /** Whether the proposal can be opened in an editor. */
  readonly editable: 'yes' | 'no';
}

/** What accepts a proposal: a key, or for what destroys something a typed word, the confirm word. */
export type Acceptance =
  | {readonly by: 'key'}
  | {readonly by: 'word'; readonly word: string; readonly does: 'allow' | 'keep'};

/** An answer that a card offers. Its letter means the same on every card. */
export interface Offer {
  readonly does: OfferedAnswer;
  readonly letter: string;
  readonly label: string;
  /** For a card with little room. */
  readonly short: string;
}

type OfferedAnswer =
  | {readonly kind: 'answer'; readonly answer: ApprovalAnswer}
  /** Stores one of the rules, which is the one that is shown. */
  | {readonly kind: 'always'; readonly rule: string}
  | {readonly kind: 'choose-hunks'}
  /** Asks what to do instead. */
  | {readonly kind: 'refuse'};

/** An action that destroys something or sends private data can only be allowed once. `rule` is the rule that "always" shows, as its index. */
export function choicesOf(approval: Approval, rule: number | 'suggested' = 'suggested'): ApprovalChoices {
  const {action, preview, verdict} = approval;
  const access = accessOf(action);
  const edit = access.kind === 'edit' && preview.kind === 'diff' ? access : undefined;
  if (preview.kind === 'plan') return planChoices;
  if (preview.kind === 'changes') return changesChoices(approval, partsOf(preview));
  const parts = edit?.userChanges.kind === 'none' && preview.kind === 'diff' ? partsOf(preview) : [];
  const takesWord = verdict.risk === 'destructive' || verdict.detail.confirmWord !== '';
  const rules = takesWord ? [] : verdict.detail.rules;
  const hunks: readonly Offer[] = parts.length < 2 ? [] : [hunksOffer('Pick hunks', 'Hunks')];
  const shown = rules[rule === 'suggested' ? suggestedRule(verdict) : rule];
  return {
    accept: takesWord ? {by: 'word', word: typeableWord(verdict.detail.confirmWord), does: 'allow'} : {by: 'key'},
    offers: takesWord
      ? [...hunks, refusal]
      : [
          allowOffer('Yes', 'Yes'),
          ...sessionOffers(approval),
          ...(shown === undefined ? [] : [alwaysOffer(shown)]),
          ...hunks,
          refusal,
        ],
    rules,
    command: access.kind === 'command' ? access.command : '',
    parts,
    editable: edit === undefined ? 'no' : 'yes',
  };
}

const offer = (key: keyof typeof approvalKeys, does: OfferedAnswer, label: string, short: string): Offer => ({
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

const refusal = refuseOffer('No, and tell weft what to do instead', 'No');

/** A plan is approved once, and what it does is asked about by the mode that follows. */
const planChoices: ApprovalChoices = {
  accept: {by: 'key'},
  offers: [
    allowOffer('Go ahead; ask before changes', 'Go ahead'),
    sessionOffer('Go ahead, accept edits this session', 'Accept edits'),
    refuseOffer('Keep planning, and tell weft what to plan instead', 'No'),
  ],
  rules: [],
  command: '',
  parts: [],
  editable: 'yes',
};

/** No rule is offered: it would speak of the next command, and this one has run. */
function changesChoices(
  {verdict: {risk, detail}, sessionGrant}: Approval,
  parts: readonly ChangePart[],
): ApprovalChoices {
  const takesWord = risk === 'destructive' || detail.confirmWord !== '';
  return {
    accept: takesWord ? {by: 'word', word: typeableWord(detail.confirmWord), does: 'keep'} : {by: 'key'},
    offers: [
      ...(takesWord ? [] : [allowOffer('Keep', 'Keep')]),
      ...(takesWord || sessionGrant === '' ? [] : [sessionOffer('Keep, and all edits this session', 'Session')]),
      ...(parts.length < 2 ? [] : [hunksOffer('Pick files', 'Pick')]),
      refuseOffer('Drop, and tell weft what to do instead', 'Drop'),
    ],
    rules: [],
    command: '',
    parts,
    editable: 'no',
  };
}

/** The rule that is shown first: where any arguments may follow, the narrowest that lets them; else the exact one. */
export function suggestedRule({risk, sessionApproval, detail}: Verdict): number {
  const isWide = sessionApproval === 'kind' || risk === 'local-change';
  return isWide
    ? Math.max(
        0,
        detail.rules.findIndex(rule => rule.endsWith(':*)')),
      )
    : 0;
}

/** What a choice says must not take the rows of what it is about. */
const longestLabel = 120;

/** `npm test *` for the rule `Bash(npm test:*)`, as people write it; rules of other tools stay as they are. */
function ruleText(rule: string): string {
  const [, pattern = rule] = /^Bash\((?<pattern>[^]*)\)$/u.exec(rule) ?? [];
  const text = visibleExactLine(pattern.replace(/:\*$/u, ' *'));
  if (text.length <= longestLabel) return text;
  return pattern.endsWith(':*') || pattern === rule ? clip(text, longestLabel) : 'this exact command';
}

const alwaysOffer = (rule: string): Offer =>
  offer('allowAlways', {kind: 'always', rule}, `Always in this project: ${ruleText(rule)}`, 'Always');

function sessionOffers({action, verdict, sessionGrant}: Approval): readonly Offer[] {
  if (sessionGrant === '') return [];
  const isAllEdits = accessOf(action).kind === 'edit' && verdict.sessionApproval === 'kind';
  const grant = `Yes, ${clip(visibleExactLine(sessionGrant), longestLabel)} for this session`;
  return [sessionOffer(isAllEdits ? 'All edits this session' : grant, 'Session')];
}

const longestWord = 30;

/** The confirm word, or `yes` where it could not be typed. */
const typeableWord = (word: string): string =>
  word === '' || word.length > longestWord || /\s/u.test(word) || visibleExactLine(word) !== word ? 'yes' : word;
