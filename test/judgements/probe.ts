/** Asks for everything that is said of a command. Only this file knows the internals of the judgement. */
import {ruleKinds, judgedAction} from '../../src/actions/catalogue.ts';
import {grantingSettings} from '../../src/config/settings-schema.ts';
import {decodeAction} from '../../src/actions/decode-action.ts';
import {weftItself} from '../../src/domain/executor.ts';
import {reasonText} from '../../src/domain/reason.ts';
import type {FileEffect, PermissionMode, Verdict} from '../../src/domain/risk.ts';
import type {Proof} from '../../src/domain/sandbox.ts';
import {readingOf} from '../../src/safety/commands/effects.ts';
import {analyzeCommand} from '../../src/safety/commands/analyze-command.ts';
import {resolvedForms} from '../../src/safety/commands/command-forms.ts';
import {fileEffects} from '../../src/safety/commands/file-effects.ts';
import {pathsInCommand, searchedFolders} from '../../src/safety/commands/command-paths.ts';
import {type JudgeOptions, makeJudge} from '../../src/safety/judge.ts';
import {cachedPathContext, makePathContext} from '../../src/safety/paths/path-context.ts';
import {parseRule, type PermissionRule} from '../../src/safety/rules/permission-rule.ts';
import {broadRuleProblem} from '../../src/safety/rules/suggested-rules.ts';
import {secretNamesIn} from '../../src/safety/secrets/placeholders.ts';
import {listFolder} from '../../src/workspace/files/list-folder.ts';
import {readBytes} from '../../src/workspace/files/regular-files.ts';
import {makePaths} from '../../src/workspace/files/resolve-path.ts';
import {fileEffect} from '../../src/workspace/impact/file-effect.ts';
import {makeImpact} from '../../src/workspace/impact/make-impact.ts';

/** Where commands are judged: a workspace on the disk, and the user's home. */
export interface Place {
  readonly root: string;
  readonly home: string;
  /** The folder that holds both, whose name is another one each time. */
  readonly above: string;
}

/**
 * All that is said of a command, field by field, as texts that can be compared. Lists are in order where the order says something.
 */
export interface Answer {
  readonly decision: string;
  readonly risk: string;
  readonly reasons: string;
  /** The rules offered with the question. */
  readonly rules: string;
  readonly pagers: string;
  readonly word: string;
  readonly destructive: string;
  readonly session: string;
  readonly highlights: string;
  readonly critical: string;
  /** The decision under a rule of its first word, and one of its first two words; and why such a rule is broad. */
  readonly covered: string;
  readonly broad: string;
  readonly mentioned: string;
  readonly written: string;
  readonly searched: string;
  /** Why each part of it asks. */
  readonly parts: string;
  /** What is lost by each part. */
  readonly loss: string;
  /** The decision and the reasons under rules that deny. */
  readonly denied: string;
  /** The decision with a proven overlay, and in the mode that bypasses permissions. */
  readonly held: string;
  readonly bypass: string;
  /** What the card says of the loss. */
  readonly impact: string;
}

/** `most`: without what takes long, the last four. */
export type Probe = (command: string, fields: 'all' | 'most') => Promise<Answer>;

const denials = [
  ...['rm', 'curl', 'git push', 'cp', 'node'].map(words => `Bash(${words}:*)`),
  'Read(secret/**)',
  'Edit(src/**)',
];

const proof: Proof = {
  provider: 'bwrap',
  works: true,
  proven: {files: true, network: true, processes: true, overlay: true},
  hosts: 'closed',
  reason: '',
};

/** Asks about commands that would run in the root of the workspace. */
export function makeProbe({root, home, above}: Place): Probe {
  const paths = makePaths({roots: [root], home});
  const effects = new Map<string, FileEffect>();
  const options: JudgeOptions = {
    sandbox: 'none',
    unasked: 'held-changes',
    excluded: [],
    ruleKinds,
    rules: {allow: [], ask: [], deny: []},
    roots: [root],
    home,
    resolve: once(path => paths.resolve(path)),
    list: once(listFolder),
    read: once(readBytes),
    findWorkspaceProgram: () => undefined,
    effectOf(command) {
      const key = JSON.stringify(command);
      const known = effects.get(key) ?? fileEffect(command, {home, readCommand: readingOf});
      effects.set(key, known);
      return known;
    },
    blockCommand: () => '',
    weftFolders: {folders: [`${home}/.config/weft`, `${home}/.local/share/weft`], variables: {}, grantingSettings},
    secretNames: secretNamesIn,
  };
  const {signal} = new AbortController();
  const impact = makeImpact({
    roots: [root],
    home,
    environment: process.env,
    canQueryGit: () => true,
    readCommand: readingOf,
  });
  const context = makePathContext(options);
  const plain = makeJudge(options);
  const overlay = makeJudge({...options, sandbox: async () => proof});
  const denying = makeJudge({...options, rules: {allow: [], ask: [], deny: denials.flatMap(parsed)}});
  const told = (text: string): string =>
    text
      .replaceAll(root, '/w')
      .replaceAll(home, '/home/me')
      .replaceAll(above, '/above')
      .replaceAll(/\/proc\/\d+/gu, '/proc/self');
  const lines = (texts: readonly string[]): string => told(texts.join('\n'));

  return async (command, fields) => {
    const action = decodeAction('Bash', {command});
    if (action.tag === 'failed') throw new Error(`No command: ${command}`);
    const verdictOf = async (judge: typeof plain, mode: PermissionMode = 'default'): Promise<Verdict> =>
      (await judge.assess(judgedAction(action.value), {executor: weftItself(root), mode}, signal)).verdict;
    const verdict = await verdictOf(plain);
    const {decision, risk, reasons, sessionApproval, detail} = verdict;
    const asks = decision === 'ask';
    const rules = (fields === 'all' ? openRules(command) : openRules(command).slice(-1)).flatMap(text =>
      parsed(text).map(rule => ({text, rule})),
    );
    const covered: string[] = [];
    for (const {text, rule} of asks ? rules : []) {
      const judge = makeJudge({...options, rules: {allow: [rule], ask: [], deny: []}});
      covered.push(`${text} ${(await verdictOf(judge)).decision}`);
    }
    const here = cachedPathContext(context);
    const analysis = analyzeCommand(command, {directory: root, context: here});
    const forms = resolvedForms(command, analysis);
    const {mentioned, written} = pathsInCommand(forms);
    const unknown = {denied: '', held: '', bypass: '', impact: ''};
    const slow = async (): Promise<typeof unknown> => {
      const denied = await verdictOf(denying);
      const {summary, paths: hit, diffs} = await impact.find(detail.destructiveCommands, signal);
      return {
        denied: lines([denied.decision, ...denied.reasons.map(reasonText)]),
        held: asks ? (await verdictOf(overlay)).decision : decision,
        bypass: asks ? (await verdictOf(plain, 'bypassPermissions')).decision : decision,
        // The system's files have other lines on each machine.
        impact: lines([
          hit.some(path => path.startsWith('/etc/')) ? summary.replaceAll(/\d+ lines/gu, 'lines') : summary,
          ...hit,
          ...diffs.map(({path}) => path),
        ]),
      };
    };
    return {
      decision,
      risk,
      reasons: lines(reasons.map(reasonText)),
      rules: lines(detail.rules),
      pagers: lines(detail.pagers),
      word: detail.confirmWord,
      destructive: lines(detail.destructiveCommands.map(each => JSON.stringify(each))),
      session: sessionApproval,
      highlights: rangesIn(command, detail.highlights),
      critical: rangesIn(command, detail.criticalRanges),
      covered: lines(covered),
      broad: lines(rules.map(({text, rule}) => `${text} ${broadRuleProblem(rule) ?? ''}`)),
      mentioned: lines(mentioned.toSorted()),
      written: lines(written.toSorted()),
      searched: lines(searchedFolders(forms).map(({folder, names}) => `${folder} ${names}`)),
      parts: analysis.reading === 'unparsed' ? analysis.what : lines(analysis.invocations.map(partText(command))),
      loss: analysis.reading === 'unparsed' ? '' : lines(lossOf(command, fileEffects(analysis, here), analysis)),
      ...(fields === 'all' ? await slow() : unknown),
    };
  };
}

type Analysis = Extract<ReturnType<typeof analyzeCommand>, {readonly reading: 'parsed'}>;

const partText =
  (command: string) =>
  ({range, reason, elsewhere}: Analysis['invocations'][number]): string =>
    `${command.slice(range.from, range.to)}: ${JSON.stringify(reason) ?? 'reads'} ${elsewhere}`;

const lossOf = (
  command: string,
  {ofInvocation, ofSideEffect}: ReturnType<typeof fileEffects>,
  {invocations, sideEffects}: Analysis,
): readonly string[] => [
  ...invocations.map(each => `${command.slice(each.range.from, each.range.to)}: ${lossText(ofInvocation(each))}`),
  ...sideEffects.map(each => `${command.slice(each.range.from, each.range.to)}: ${lossText(ofSideEffect(each))}`),
];

const lossText = ({loses, touches, moves}: FileEffect): string =>
  `${loses} ${touches.toSorted().join(' ')} moves ${moves.toSorted().join(' ')}`;

const rangesIn = (command: string, ranges: Verdict['detail']['highlights']): string =>
  ranges.map(({from, to}) => command.slice(from, to)).join('\n');

/** `Bash(go:*)` and `Bash(go build:*)` for `go build -o x`. */
function openRules(command: string): readonly string[] {
  const [first, second] = command.split(/\s+/u);
  return [first, second === undefined ? undefined : `${first ?? ''} ${second}`].flatMap(words =>
    words === undefined || words === '' ? [] : `Bash(${words}:*)`,
  );
}

function parsed(text: string): readonly PermissionRule[] {
  const rule = parseRule(text, ruleKinds);
  return rule.tag === 'ok' ? [rule.value] : [];
}

/** Looks each thing up once: the disk stays as it is. */
function once<Found>(look: (path: string) => Found): (path: string) => Found {
  const known = new Map<string, Found>();
  return path => {
    const found = known.get(path) ?? look(path);
    known.set(path, found);
    return found;
  };
}
