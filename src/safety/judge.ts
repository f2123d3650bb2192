import type {Reason} from '../domain/reason.ts';
import {type CommandAnalysis, analyzeCommand} from './commands/analyze-command.ts';
import {type HeldBack, staysInside} from './held-back.ts';
import {certainWrites, type CommandMachine} from './commands/certain-writes.ts';
import {commandForms, type CommandForms, resolvedForms} from './commands/command-forms.ts';
import {accessFinding, type JudgeEvidence} from './access-finding.ts';
import {
  belowRoots,
  cachedPathContext,
  makePathContext,
  type PathContext,
  type PathContextOptions,
  writtenParts,
} from './paths/path-context.ts';
import {type PathParts, partsOf, pathOf} from './paths/path-parts.ts';
import {matchesSomeForm} from './rules/command-pattern.ts';
import {allRulesCover, searchExclusions, matchingRule, rulesCover} from './rules/matching-rule.ts';
import {findDenyRuleBypass} from './rules/deny-rule-bypass.ts';
import {handedOverPlaceholders, ruleAllowsHandover} from './secrets/secret-handover.ts';
import type {Access, JudgedAction, RuleKinds, RuleReach} from '../domain/access.ts';
import type {ChangeExtent} from '../domain/checkpoint.ts';
import {confines, holdsChanges, type Proof} from '../domain/sandbox.ts';
import {isHeldByOverlay} from './commands/overlay-eligibility.ts';
import {type Executor, type Judged, judgedFor} from '../domain/executor.ts';
import type {CheckSetting, FoundCheck} from '../domain/receipt.ts';
import type {Obligation} from '../domain/obligation.ts';
import {noDetail, type PermissionMode, type Verdict, type VerdictDetail} from '../domain/risk.ts';
import {accessedPaths} from './paths/accessed-paths.ts';
import {checksIn, hidingIn, ranIn} from './commands/checks.ts';
import type {Finding} from './commands/command-finding.ts';
import {parseCondition} from './rules/hook-condition.ts';
import type {PermissionRule, PermissionRules} from './rules/permission-rule.ts';
import {runsProjectCode} from './rules/suggested-rules.ts';
import {coversProtection, protectionOf, protectionReason, type Protection} from './protection.ts';
import {isLineLikeOthers} from './typed-input.ts';
import type {OutsideText} from './outside/outside-text.ts';
import {outsideTextOf} from './outside/text-source.ts';
import type {OwnTexts} from './outside/outside-evidence.ts';

export interface JudgeOptions extends PathContextOptions, Pick<JudgeEvidence, 'secretNames' | 'blockCommand'> {
  readonly rules: PermissionRules;
  /** The checks that the user's settings name. */
  readonly checks?: readonly CheckSetting[] | undefined;
  /** The tools that conditions of hooks may name. */
  readonly ruleKinds: RuleKinds;
  /**
   * Proves what the sandbox confines. It is called when a command could run without an approval inside. `none`: commands are not
   * confined.
   */
  readonly sandbox: 'none' | (() => Promise<Proof>);
  /** Whether commands in an overlay run without an approval. A program that drives weft must request this. */
  readonly unasked: 'held-changes' | 'nothing';
  /** How a dry run holds changes back. */
  readonly heldBack?: HeldBack | undefined;
  /** Rules for commands that must run outside the sandbox. weft asks about these as it would without a sandbox. */
  readonly excluded: readonly PermissionRule[];
  /** Without it, no text counts as one from outside. */
  readonly outside?: OutsideOptions;
}

/** How the judge knows text from outside. The judges of a session and its sub-agents share one. */
export interface OutsideOptions extends Omit<OwnTexts, 'said'> {
  /** `undefined` until the first such text. */
  text: OutsideText | undefined;
  readonly outputs: () => readonly string[];
  /** When each command was judged that may run now. */
  readonly began: Map<string, number>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** `untrusted`: the user does not trust the folder, so its files come from outside. */
  readonly workspace: 'own' | 'untrusted';
}

/** Judges actions by `steps`. The model's claims about its commands never loosen a verdict. */
export interface Judge {
  assess<Means>(
    action: JudgedAction,
    by: {
      readonly executor: Executor<Means>;
      readonly mode: PermissionMode;
      /** Returns what the user wrote in the session. */
      readonly said?: OwnTexts['said'];
    },
    signal: AbortSignal,
  ): Promise<Judged<Means>>;
  /**
   * Remembers what of the result of an action comes from outside. The command of the action ran in `directory`. `since` is the time
   * at which a resumed session began. Files that are older hold nothing that it read.
   */
  learn(access: Access, text: string, directory: string, since?: number): Promise<void>;
  /** Returns the paths that a command in a folder may change if they are certain. */
  writes(command: string, directory: string, machine: CommandMachine): Promise<ChangeExtent>;
  checksIn(command: string, directory: string): Promise<readonly FoundCheck[]>;
  /** Returns why a zero exit code of a command says nothing about a part of it. */
  hidingIn(command: string): Promise<FoundCheck['zero']>;
  /** Returns the parts of a command that may run a check. */
  ranIn(command: string): Promise<string>;
  /** Returns how much of an action in a folder a hook's condition covers. A condition that cannot be compared covers a part. */
  reach(condition: string, action: JudgedAction, directory: string): Promise<RuleReach>;
}

export function makeJudge(options: JudgeOptions): Judge {
  const lasting = makePathContext(options);
  return {
    async assess(action, {executor, mode, said = () => []}) {
      const {directory} = executor;
      const {access} = action;
      if (access.kind === 'command') options.outside?.began.set(access.command, options.outside.now());
      const facts = await collectFacts(
        action,
        {mode, said},
        {...options, directory, context: cachedPathContext(lasting)},
      );
      for (const {decide} of steps) {
        const judgement = await decide(facts);
        if (judgement === 'undecided') continue;
        return judgedFor(mode === 'plan' ? await confineInPlanMode(judgement, facts) : judgement, executor);
      }
      return judgedFor(ask(facts), executor);
    },
    async learn(access, text, directory, since) {
      const {outside} = options;
      if (outside === undefined) return;
      const learned = outsideTextOf(access, text, {
        context: cachedPathContext(lasting),
        directory,
        outputs: outside.outputs(),
        sourceOfFile: path => outside.text?.sourceOfFile(path, outside.changedAt),
        fetched: outside.text?.fetched,
        workspace: outside.workspace,
      });
      const to = outside.now();
      const command = access.kind === 'command' ? access.command : '';
      const from = outside.began.get(command);
      const carried = outside.text?.carried.get(command);
      if (carried !== undefined && from !== undefined)
        outside.text?.addTime({from, to, source: {...carried, files: 'foreign'}});
      if (learned === undefined) return;
      outside.text ??= new (await import('./outside/outside-text.ts')).OutsideText(since ?? from ?? to);
      outside.text.add(learned.text, learned.source, learned.files);
      if (learned.alsoIn !== 'files' && from !== undefined) outside.text.addTime({from, to, source: learned.source});
      if (learned.alsoIn === 'history') outside.text.fetched = learned.source;
    },
    writes: (command, directory, machine) =>
      certainWrites(analyzeCommand(command, {directory, context: cachedPathContext(lasting)}), machine),
    checksIn: async (command, directory) =>
      checksIn(command, {directory, context: cachedPathContext(lasting), named: options.checks ?? []}),
    hidingIn: async command => hidingIn(command, cachedPathContext(lasting)),
    ranIn: async command => ranIn(command),
    async reach(text, action, directory) {
      const condition = parseCondition(text, options.ruleKinds);
      if (condition.tag === 'failed') return condition.error.kind === 'never' ? 'none' : 'part';
      const evidence = evidenceOf({...options, directory, context: cachedPathContext(lasting)});
      return coverageOf(condition.value, action, evidence);
    },
  };
}

async function coverageOf(rule: PermissionRule, action: JudgedAction, evidence: JudgeEvidence): Promise<RuleReach> {
  const {access, tools} = action;
  if (access.kind !== 'mcp-tool' && !tools.includes(rule.tool)) return 'none';
  const asDenied = {allow: [], ask: [], deny: [rule]};
  const asAllowed = {allow: [rule], ask: [], deny: []};
  const parsed = access.kind === 'command' ? evidence.parsed(access.command) : undefined;
  const isTouched =
    (await decidingRule(action, asDenied, evidence)) !== undefined ||
    (parsed !== undefined && findDenyRuleBypass(commandOf(access), parsed, asDenied) !== undefined);
  if (!isTouched) return 'none';
  if (matchingRule(action, asAllowed, evidence) !== undefined) return 'whole';
  const isCovered =
    parsed?.reading === 'parsed' &&
    parsed.sideEffects.length === 0 &&
    allRulesCover(parsed, asAllowed, evidence.context) &&
    (await parsed.confirmed());
  return isCovered ? 'whole' : 'part';
}

/** In plan mode, confines an allowed command to reading if the sandbox is proved to do so. */
async function confineInPlanMode(judgement: Judgement, facts: Facts): Promise<Judgement> {
  if (facts.access.kind !== 'command' || judgement.verdict.decision !== 'allow') return judgement;
  const proof = await facts.sandbox();
  return proof === 'none' || !confines(proof)
    ? judgement
    : withObligation(judgement, {kind: 'confined', to: 'read-only'});
}

/** A verdict and the obligations that come with it. */
type Judgement = Omit<Judged<never>, 'means'>;

const withObligation = ({verdict, obligations}: Judgement, more: Obligation): Judgement => ({
  verdict,
  obligations: [...obligations, more],
});

interface Step {
  readonly name: string;
  readonly decide: (facts: Facts) => Judgement | 'undecided' | Promise<Judgement | 'undecided'>;
}

/**
 * The first step that decides gives the verdict. If none does, the user is asked. Denials come first, so that nothing
 * loosens them. Then come ask rules, because the user wrote them for every mode. Only after those may a rule, a mode or
 * the host's own finding allow an action. Steps that make weft ask because of the mode come last.
 */
const steps: readonly Step[] = [
  {
    name: 'a rule denies it',
    decide: facts => (facts.rule?.behaviour === 'deny' ? deny(facts, ruleReason(facts.rule)) : 'undecided'),
  },
  {
    name: 'actions that are always refused are denied in every mode',
    decide: facts => (facts.finding.target === 'refused' ? refuse(facts) : 'undecided'),
  },
  {
    name: 'a dry run denies what may change something outside the workspace',
    decide: async facts =>
      facts.heldBack === undefined || (await staysInside(facts, facts.heldBack))
        ? 'undecided'
        : deny(facts, {kind: 'dry-run'}),
  },
  {
    // Reading the web changes nothing here. weft asks about data that is sent with it, as in other modes.
    name: 'plan mode denies actions that may do more than read',
    decide: facts =>
      facts.mode === 'plan' && facts.finding.risk !== 'read-only' && !readsWeb(facts.access)
        ? deny(facts, {kind: 'mode', mode: 'plan'})
        : 'undecided',
  },
  {
    // Bypass mode switches off ask rules, but not deny rules that may or may not be broken.
    name: 'a rule asks',
    decide: facts =>
      facts.rule?.behaviour === 'ask' && (facts.mode !== 'bypassPermissions' || facts.rule.list === 'deny')
        ? ask(facts, ruleReason(facts.rule))
        : 'undecided',
  },
  {
    name: 'a deny rule may forbid a program that the command computes',
    decide(facts) {
      if (facts.analysis === undefined) return 'undecided';
      const why = findDenyRuleBypass(commandOf(facts.access), facts.analysis, facts.rules);
      return why === undefined ? 'undecided' : ask(facts, {kind: 'possible-denial', why});
    },
  },
  {
    name: 'actions that always need an approval ask',
    decide: facts => (facts.finding.target === 'always-asked' ? ask(facts) : 'undecided'),
  },
  {
    // The text may be an instruction of somebody else. A permission for the model does not cover it.
    name: 'text from outside that leaves the machine, runs, or runs later asks',
    decide: facts => (facts.tainted.length > 0 ? ask(facts) : 'undecided'),
  },
  {
    name: "a rule allows it, protected files only by a pattern and weft's own files only by name",
    decide: facts =>
      facts.rule?.behaviour === 'allow' &&
      ruleAllowsHandover(facts.rule.rule.text, facts.placeholders) &&
      (facts.finding.decision === 'allow' || coversProtection(facts.rule.rule, facts.protection(), facts.context))
        ? allow(facts)
        : 'undecided',
  },
  {
    name: 'bypass mode allows everything but protected files',
    decide: facts =>
      facts.mode === 'bypassPermissions' && facts.protection().kind === 'none' ? allow(facts) : 'undecided',
  },
  {
    name: 'acceptEdits mode allows ordinary edits',
    decide: facts => (facts.mode === 'acceptEdits' && isPlainEdit(facts) ? allow(facts) : 'undecided'),
  },
  {
    name: 'rules together allow every part of the command',
    decide: async facts =>
      facts.partsAllowed() && facts.protection().kind !== 'weft-files' && (await facts.confirmed())
        ? allow(facts)
        : 'undecided',
  },
  {
    name: 'the host found it harmless',
    async decide(facts) {
      if (facts.finding.decision !== 'allow') return 'undecided';
      const {analysis} = facts;
      if (analysis === undefined) return allow(facts);
      if (!(await facts.confirmed())) return ask(facts, {kind: 'readings-differ'});
      // A program that a user's rule names runs in the user's environment.
      const isAllowed = analysis.reading === 'parsed' && allRulesCover(analysis, facts.rules, facts.context);
      return isAllowed ? allow(facts) : withObligation(allow(facts), {kind: 'restricted-environment'});
    },
  },
  {
    name: 'a proved overlay holds the changes of the command until someone decides about them',
    async decide(facts) {
      if (facts.unasked === 'nothing' || !(await facts.isHeld())) return 'undecided';
      const proof = await facts.sandbox();
      // weft reports once, not with every question, that the sandbox confines nothing.
      if (proof === 'none' || !holdsChanges(proof)) return 'undecided';
      return withObligation(allow(facts, {kind: 'sandboxed', changes: changesByMode[facts.mode]}), {
        kind: 'confined',
        to: 'sandbox',
      });
    },
  },
  {
    // The reasons of edits already name the protected files.
    name: 'bypass mode asks about protected files',
    decide: facts =>
      facts.mode !== 'bypassPermissions'
        ? 'undecided'
        : facts.access.kind === 'edit'
          ? ask(facts)
          : ask(facts, protectionReason(facts.protection())),
  },
  {
    name: "rules that allow it do not reach weft's own files",
    decide: facts =>
      facts.access.kind !== 'edit' && isAllowedByRules(facts) && facts.protection().kind === 'weft-files'
        ? ask(facts, protectionReason(facts.protection()))
        : 'undecided',
  },
  {
    name: 'edits ask in default mode',
    decide: facts => (facts.finding.reasons.length === 0 ? ask(facts, {kind: 'mode', mode: 'default'}) : 'undecided'),
  },
];

/**
 * The handling of changes of a command that ran without an approval, by mode. The other modes decide before the
 * command's changes are judged.
 */
const changesByMode = {
  default: 'ask',
  plan: 'ask',
  bypassPermissions: 'ask',
  acceptEdits: 'count as edits',
  dontAsk: 'are dropped',
} as const;

const readsWeb = ({kind}: Access): boolean => kind === 'web-page' || kind === 'web-query';

const ruleReason = ({rule, behaviour}: DecidingRule): Reason => ({
  kind: 'rule',
  behaviour: behaviour === 'deny' ? 'deny' : 'ask',
  rule: rule.text,
});

const deny = ({finding}: Facts, reason: Reason): Judgement => ({
  verdict: {
    decision: 'deny',
    risk: finding.risk,
    reasons: [reason, ...finding.reasons],
    sessionApproval: 'exact',
    detail: noDetail,
  },
  obligations: [],
});

const refuse = ({finding: {risk, reasons}, sessionApproval, detail}: Facts): Judgement => ({
  verdict: {decision: 'deny', risk, reasons, sessionApproval, detail},
  obligations: [],
});

const ask = (
  {finding, tainted, sessionApproval, detail, obligations}: Facts,
  ...reasons: readonly Reason[]
): Judgement => ({
  verdict: {
    decision: 'ask',
    risk: finding.risk,
    reasons: [...tainted, ...reasons, ...finding.reasons],
    sessionApproval,
    detail,
  },
  obligations,
});

const allow = ({finding, sessionApproval, detail, obligations}: Facts, ...reasons: readonly Reason[]): Judgement => ({
  verdict: {decision: 'allow', risk: finding.risk, reasons, sessionApproval, detail},
  obligations,
});

/** The facts for the steps. Slow ones are computed once, when a step needs them. */
interface Facts {
  readonly access: Access;
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
  readonly context: PathContext;
  readonly finding: Finding;
  readonly rule: DecidingRule | undefined;
  /** The texts from outside in the action. Empty in bypass mode. */
  readonly tainted: readonly Reason[];
  /** The analysis of a command, or `undefined` for other actions. */
  readonly analysis: CommandAnalysis | undefined;
  /** Placeholders that the action turns into secrets in a new place. */
  readonly placeholders: readonly string[];
  readonly sessionApproval: Verdict['sessionApproval'];
  readonly detail: VerdictDetail;
  /** Conditions of every approval by a rule, a mode or a person. */
  readonly obligations: readonly Obligation[];
  readonly protection: () => Protection;
  /** True if the user's rules allow each part of a command about which weft would ask. */
  readonly partsAllowed: () => boolean;
  /** True if an overlay holds all effects of the command besides reading. */
  readonly isHeld: () => Promise<boolean>;
  readonly unasked: JudgeOptions['unasked'];
  readonly heldBack: JudgeOptions['heldBack'];
  readonly sandbox: () => Promise<Proof | 'none'>;
  /** True if tree-sitter's grammar agrees with the analysis of the command. */
  readonly confirmed: () => Promise<boolean>;
}

async function collectFacts(
  action: JudgedAction,
  {mode, said}: Pick<OwnTexts, 'said'> & {readonly mode: PermissionMode},
  {
    rules,
    sandbox,
    unasked,
    heldBack,
    excluded,
    outside,
    ...given
  }: JudgeOptions & Pick<JudgeEvidence, 'context' | 'directory'>,
): Promise<Facts> {
  const {context, directory, blockCommand} = given;
  const evidence = evidenceOf(given);
  const {access} = action;
  const finding = accessFinding(access, action.risk, evidence);
  const rule = await decidingRule(action, rules, evidence);
  const placeholders = handedOverPlaceholders(access);
  const ofCommand = access.kind === 'command' ? evidence.parsed(access.command) : undefined;
  const tainted: readonly Reason[] =
    outside?.text === undefined || mode === 'bypassPermissions'
      ? []
      : await (
          await import('./outside/outside-reasons.ts')
        ).outsideReasons(action, {
          text: outside.text,
          own: {...outside, said},
          rules,
          context,
          analysis: ofCommand,
          finding,
        });
  let protection: Protection | undefined;
  let partsAllowed: boolean | undefined;
  const facts: Facts = {
    access,
    mode,
    rules,
    context,
    finding,
    rule,
    tainted,
    analysis: ofCommand,
    placeholders,
    sessionApproval: 'exact',
    detail: {
      ...finding.detail,
      // No rule for the action covers text from outside.
      rules: (tainted.length > 0 ? [] : finding.detail.rules).filter(text => ruleAllowsHandover(text, placeholders)),
    },
    obligations:
      access.kind === 'command'
        ? [
            {kind: 'directory', path: directory},
            ...(ofCommand?.reading === 'parsed' &&
            allRulesCover(ofCommand, {allow: excluded, ask: [], deny: []}, context)
              ? [{kind: 'confined', to: 'outside'} as const]
              : []),
          ]
        : [...pathObligations(access, context), ...searchExclusions(access, rules, context)],
    protection: () => (protection ??= protectionOf(access, finding, evidence)),
    partsAllowed: () =>
      (partsAllowed ??=
        placeholders.length === 0 &&
        ofCommand?.reading === 'parsed' &&
        // If only the model's claims require a question, rules do not apply.
        (ofCommand.sideEffects.length > 0 || ofCommand.invocations.some(({reason}) => reason !== undefined)) &&
        rulesCover(ofCommand, rules, context)),
    isHeld: async () =>
      access.kind === 'command' &&
      access.place === 'foreground' &&
      access.claims.risky !== 'yes' &&
      placeholders.length === 0 &&
      ofCommand !== undefined &&
      matchingRule(action, {allow: [], ask: excluded, deny: []}, evidence) === undefined &&
      finding.reasons.every(({kind}) => kind !== 'sends') &&
      facts.protection().kind === 'none' &&
      isHeldByOverlay(access.command, ofCommand, context),
    unasked,
    heldBack,
    sandbox: async () => (sandbox === 'none' ? 'none' : sandbox()),
    confirmed: async () => ofCommand?.reading === 'parsed' && ofCommand.confirmed(),
  };
  if (finding.target === 'always-asked' || tainted.length > 0 || finding.reasons.some(({kind}) => kind === 'sends'))
    return {...facts, sessionApproval: 'none'};
  const isAlike = rule?.behaviour !== 'ask' && coversAlike(facts, blockCommand);
  return {...facts, sessionApproval: isAlike ? 'kind' : 'exact'};
}

function pathObligations(access: Access, context: PathContext): readonly Obligation[] {
  const paths = accessedPaths(access).map(written => ({written, ...context.resolve(written)}));
  if (paths.length === 0) return [];
  const links = paths.filter(({written, path}) =>
    leadsThroughLink(writtenParts(written, context), partsOf(path), context),
  );
  return [{kind: 'paths', paths, links: links.map(({written}) => written)}];
}

/** True if a path below a root leads elsewhere than its names say. The roots themselves may be links. */
function leadsThroughLink(written: PathParts, real: PathParts, context: PathContext): boolean {
  const places = (path: PathParts): readonly string[] =>
    [path, ...belowRoots(path, context).map(({below}) => below)].map(pathOf);
  const named = places(written);
  return places(real).every(place => !named.includes(place));
}

/** Makes the evidence about one action. Each analysis runs once. */
function evidenceOf(given: Omit<JudgeEvidence, 'forms' | 'parsed'>): JudgeEvidence {
  const {context, directory} = given;
  let forms: CommandForms | undefined;
  let analysis: CommandAnalysis | undefined;
  const evidence: JudgeEvidence = {
    ...given,
    forms: command => (forms ??= resolvedForms(command, evidence.parsed(command))),
    parsed: command => (analysis ??= analyzeCommand(command, {directory, context})),
  };
  return evidence;
}

type DecidingRule = NonNullable<ReturnType<typeof matchingRule>>;

const commandOf = (access: Access): string => (access.kind === 'command' ? access.command : '');

const isAllowedByRules = ({rule, placeholders, partsAllowed}: Facts): boolean =>
  (rule?.behaviour === 'allow' && ruleAllowsHandover(rule.rule.text, placeholders)) || partsAllowed();

/**
 * Returns the rule that matches the action. An ask or deny rule may match text that the command only prints. If it
 * matches nothing that is run, it still counts unless the grammar confirms this. If the command cannot be parsed, a
 * deny rule that matches only the body of a here-document counts as an ask rule.
 */
async function decidingRule(
  action: JudgedAction,
  rules: PermissionRules,
  evidence: JudgeEvidence,
): Promise<DecidingRule | undefined> {
  const rule = matchingRule(action, rules, evidence);
  const {access} = action;
  if (access.kind !== 'command') return rule;
  const {command} = access;
  const forms = evidence.forms(command);
  const everyWay = {...forms, run: () => forms.forms};
  const isDoubtful = [...rules.deny, ...rules.ask].some(
    ({about}) =>
      about.kind === 'commands' && matchesSomeForm(about.pattern, everyWay) && !matchesSomeForm(about.pattern, forms),
  );
  const parsed = evidence.parsed(command);
  if (isDoubtful && !(parsed.reading === 'parsed' && (await parsed.confirmed())))
    return matchingRule(action, rules, {...evidence, forms: () => everyWay});
  if (rule?.behaviour !== 'deny' || parsed.reading === 'parsed' || forms.extent === 'partial') return rule;
  const shown = withoutDocuments(command);
  if (shown === command) return rule;
  const bare = commandForms(shown);
  const isCertain = matchingRule(action, rules, {...evidence, forms: () => bare})?.behaviour === 'deny';
  return isCertain ? rule : {...rule, behaviour: 'ask'};
}

/** Removes the bodies of here-documents that are not expanded or contain nothing to expand. */
const withoutDocuments = (command: string): string =>
  command.replaceAll(
    /(<<-?[ \t]*(['"]?)(\w+)\2[^\n]*\n)(?:[^\n]*\n)*?[ \t]*\3(?=\n|$)/gu,
    (all, head: string, quote: string) => (quote === '' && /[$`]/u.test(all.slice(head.length)) ? all : head),
  );

/** True for an edit that a mode may allow: of ordinary files inside the workspace, without secrets. */
const isPlainEdit = ({access, finding, placeholders}: Facts): boolean =>
  access.kind === 'edit' &&
  finding.risk === 'local-change' &&
  finding.target === 'ordinary' &&
  placeholders.length === 0;

/**
 * True if an approval for the session may cover more than this action:
 * - ordinary edits;
 * - further lines for the same interpreter, unless this line is dangerous itself;
 * - runs of the project's own tests or scripts with any arguments.
 */
function coversAlike(facts: Facts, blockCommand: JudgeOptions['blockCommand']): boolean {
  const {access, placeholders, finding} = facts;
  if (isPlainEdit(facts)) return true;
  if (access.kind === 'web-page') return finding.detail.rules.length > 0;
  if (placeholders.length > 0) return false;
  if (access.kind === 'terminal-input') return isLineLikeOthers(access, blockCommand(access.blockId));
  return access.kind === 'command' && finding.risk === 'unknown' && runsProjectCode(access.command);
}
