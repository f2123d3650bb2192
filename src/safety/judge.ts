import type {Action} from '../actions/catalogue.ts';
import {unreachable} from '../base/unreachable.ts';
import {noDetail, type PermissionMode, type Verdict, type VerdictDetail} from '../domain/risk.ts';
import {actionPaths} from './action-paths.ts';
import {beyondDenyRules} from './beyond-deny-rules.ts';
import {commandForms, type CommandForms} from './command-forms.ts';
import {writesProtected} from './command-finding.ts';
import {fitsSomeForm} from './command-pattern.ts';
import {findingOf, type Evidence} from './finding.ts';
import {givenSecrets, ruleGives} from './given-secrets.ts';
import type {Finding} from './host-finding.ts';
import {anchor, groundOfOneMoment, makeGround, type Ground, type GroundOptions} from './ground.ts';
import {ownPlaceOf} from './own-places.ts';
import {readCommand, type ParsedCommand} from './read-command.ts';
import {resolvedForms} from './resolved-forms.ts';
import {ruleFor} from './rule-for.ts';
import {allRulesCover, rulesCover} from './rules-cover.ts';
import type {PermissionRule, PermissionRules} from './rules.ts';
import {whyTouchesOwn} from './touches-own.ts';

export interface JudgeOptions extends GroundOptions {
  readonly rules: PermissionRules;
  /** Where the next command would start. */
  readonly directory: () => string;
  /** The command that runs in a block, by the block's id; empty when there is none. */
  readonly blockCommand: (id: string) => string;
}

/**
 * The host's judgement of actions. What decides, in this order: a rule that denies; plan mode, for what is not known to only
 * read; a rule that may deny, where that cannot be told; bypassing, but for protected files; a rule that asks; a rule that allows, protected files
 * only by a pattern and weft's own grants only by name; acceptEdits, for ordinary edits; what the host found. What the model claims of its commands never loosens a verdict. A rule
 * with a pattern does not give secrets away unless it names them.
 */
export interface Judge {
  assess(action: Action, mode: PermissionMode, signal: AbortSignal): Promise<Verdict>;
}

export function makeJudge({rules, directory, blockCommand, ...options}: JudgeOptions): Judge {
  const lasting = makeGround(options);
  return {
    async assess(action, mode) {
      const ground = groundOfOneMoment(lasting);
      let forms: CommandForms | undefined;
      let parsed: ParsedCommand | undefined;
      const evidence: Evidence = {
        ground,
        directory: directory(),
        forms: command => (forms ??= resolvedForms(command, evidence.parsed(command))),
        parsed: command => (parsed ??= readCommand(command, {directory: directory(), ground})),
      };
      const finding = findingOf(action, evidence);
      const rule = await decidingRule(action, rules, evidence);
      const {risk} = finding;
      const given = givenSecrets(action);
      const detail: VerdictDetail = {
        ...finding.detail,
        rules: finding.detail.rules.filter(text => ruleGives(text, given)),
        places: actionPaths(action).map(written => ({written, ...ground.resolve(written)})),
      };
      const plain = isPlainEdit(action, finding) && given.length === 0;
      const isAlike = plain || (given.length === 0 && typesIntoRepl(action, blockCommand));
      const grantable = isAlike && rule?.behaviour !== 'ask' ? 'kind' : 'exact';
      const deny = (reason: string): Verdict => ({
        decision: 'deny',
        risk,
        reasons: [reason, ...finding.reasons],
        grantable: 'exact',
        detail: noDetail,
      });
      const ask = (...reasons: readonly string[]): Verdict => ({decision: 'ask', risk, reasons, grantable, detail});
      const allow: Verdict = {decision: 'allow', risk, reasons: [], grantable, detail};
      let found: Guarded | undefined;
      const guarded = (): Guarded => (found ??= guardedBy(action, finding, evidence));
      const confirmed = async (): Promise<boolean> => parsed?.extent === 'whole' && parsed.confirmed();
      const covered = async (): Promise<boolean> =>
        action.name === 'request-command-output' &&
        parsed?.extent === 'whole' &&
        // Where only the model's claims ask, no rule speaks of them.
        (parsed.concerns.length > 0 || parsed.calls.some(({reason}) => reason !== undefined)) &&
        rulesCover(parsed, rules, ground) &&
        guarded().what !== 'own' &&
        confirmed();

      if (rule?.behaviour === 'deny') return deny(`the rule ${rule.rule.text} forbids it`);
      if (mode === 'plan' && risk !== 'read-only') return deny('in plan mode nothing is changed or run');
      if (rule?.behaviour === 'ask' && (mode !== 'bypassPermissions' || rule.list === 'deny')) {
        return ask(`the rule ${rule.rule.text} says to ask`, ...finding.reasons);
      }
      const beyond =
        parsed === undefined
          ? undefined
          : beyondDenyRules(action.name === 'request-command-output' ? action.input.command : '', parsed, rules);
      if (beyond !== undefined) return ask(beyond, ...finding.reasons);
      if (
        rule?.behaviour === 'allow' &&
        ruleGives(rule.rule.text, given) &&
        (finding.decision === 'allow' || reaches(rule.rule, guarded(), ground))
      )
        return allow;
      if (mode === 'bypassPermissions' && guarded().what === 'nothing') return allow;
      if (mode === 'acceptEdits' && plain) return allow;
      if (given.length === 0 && (await covered())) return allow;
      if (finding.decision === 'allow') {
        if (action.name !== 'request-command-output') return allow;
        if (!(await confirmed())) return ask('two ways of reading it differ');
        // What a rule of the user's allows by name runs as the user would run it.
        const isAllowed = parsed?.extent === 'whole' && allRulesCover(parsed, rules, ground);
        return isAllowed ? allow : {...allow, detail: {...detail, environment: 'guarded'}};
      }
      if (mode === 'bypassPermissions') {
        // Of edits the finding has said so, with the names.
        return action.name === 'request-file-edits'
          ? ask(...finding.reasons)
          : ask(guarded().reason, ...finding.reasons);
      }
      if (found?.what === 'own' && action.name !== 'request-file-edits') return ask(found.reason, ...finding.reasons);
      return finding.reasons.length === 0 ? ask('edits ask first in this mode') : ask(...finding.reasons);
    },
  };
}

/**
 * A rule that asks or denies may speak of text that is only shown. Where it does not speak of what is run, the grammar has to agree
 * with that reading; where nothing can be read for sure, somebody is asked about what stands in a here-document.
 */
async function decidingRule(
  action: Action,
  rules: PermissionRules,
  evidence: Evidence,
): Promise<ReturnType<typeof ruleFor>> {
  const rule = ruleFor(action, rules, evidence);
  if (action.name !== 'request-command-output') return rule;
  const {command} = action.input;
  const forms = evidence.forms(command);
  const everyWay = {...forms, run: () => forms.forms};
  const isDoubtful = [...rules.deny, ...rules.ask].some(
    ({about}) =>
      about.kind === 'commands' && fitsSomeForm(about.pattern, everyWay) && !fitsSomeForm(about.pattern, forms),
  );
  const parsed = evidence.parsed(command);
  if (isDoubtful && !(parsed.extent === 'whole' && (await parsed.confirmed())))
    return ruleFor(action, rules, {...evidence, forms: () => everyWay});
  if (rule?.behaviour !== 'deny' || parsed.extent === 'whole' || forms.extent === 'partial') return rule;
  const shown = withoutDocuments(command);
  if (shown === command) return rule;
  const bare = commandForms(shown);
  const isCertain = ruleFor(action, rules, {...evidence, forms: () => bare})?.behaviour === 'deny';
  return isCertain ? rule : {...rule, behaviour: 'ask'};
}

/** Without the bodies of here-documents that are not expanded or hold nothing to expand. */
const withoutDocuments = (command: string): string =>
  command.replaceAll(
    /(<<-?[ \t]*(['"]?)(\w+)\2[^\n]*\n)(?:[^\n]*\n)*?[ \t]*\3(?=\n|$)/gu,
    (all, head: string, quote: string) => (quote === '' && /[$`]/u.test(all.slice(head.length)) ? all : head),
  );

/** What no mode lets through, and why. */
interface Guarded {
  readonly what: 'nothing' | 'protected' | 'own';
  readonly reason: string;
}

function guardedBy(action: Action, finding: Finding, evidence: Evidence): Guarded {
  const protects: Guarded = {what: 'protected', reason: 'it changes what can run or grant rights'};
  const nothing: Guarded = {what: 'nothing', reason: ''};
  if (action.name === 'write-to-long-running-shell-command') {
    // What is typed into a shell is a command, too.
    const typed = whyTouchesOwn(action.input.input, {...evidence, parsed: {extent: 'partial', what: '', at: 0}});
    return typed === undefined ? nothing : {what: 'own', reason: `it ${typed}`};
  }
  if (action.name !== 'request-command-output') {
    return finding.scope === 'own' ? {...protects, what: 'own'} : finding.scope === 'protected' ? protects : nothing;
  }
  const {command} = action.input;
  const own = whyTouchesOwn(command, {...evidence, parsed: evidence.parsed(command)});
  if (own !== undefined) return {what: 'own', reason: `it ${own}`};
  return writesProtected(command, evidence) ? protects : nothing;
}

/**
 * Whether a rule that allows speaks of what is guarded: one of a tool's name alone speaks of ordinary work, and of weft's own
 * files only one that names them.
 */
function reaches({about}: PermissionRule, {what}: Guarded, ground: Ground): boolean {
  if (what === 'nothing') return true;
  if (what === 'protected') return about.kind !== 'every-call';
  switch (about.kind) {
    case 'paths':
      return anchor(about.pattern, ground).some(parts => {
        const end = parts.findIndex(({kind}) => kind !== 'name');
        const names = (end < 0 ? parts : parts.slice(0, end)).flatMap(part =>
          part.kind === 'name' ? [part.name] : [],
        );
        return ownPlaceOf(names, ground.ownPlaces()) !== undefined;
      });
    case 'commands':
      return about.pattern.reach === 'whole' && !/(?<!\\)\*/u.test(about.pattern.text);
    case 'every-call':
    case 'other':
      return false;
    default:
      return unreachable(about);
  }
}

/** Edits that a mode may let through: inside the workspace and of nothing that could run or change weft's own rules. */
const isPlainEdit = (action: Action, finding: Finding): boolean =>
  action.name === 'request-file-edits' && finding.risk === 'local-change' && finding.scope === 'ordinary';

/** Further lines to the same interpreter are more of the same. A shell, or a way to another machine, takes anything. */
const typesIntoRepl = (action: Action, blockCommand: JudgeOptions['blockCommand']): boolean =>
  action.name === 'write-to-long-running-shell-command' &&
  /^(?:[\w./-]*\/)?(?:i?python[\d.]*|bpython|node|deno|bun|irb|pry|ghci|R|julia|lua|php|iex|erl|scala|clj|sbcl|guile|racket|utop|ocaml|swipl|bc|dc|maxima|octave|gp|sqlite3|psql|mysql|mariadb|mongosh|duckdb|redis-cli|gdb|lldb|pdb)(?:\s[^;&|<>`$()\n]*)?$/u.test(
    blockCommand(action.input.blockId).trim(),
  );
