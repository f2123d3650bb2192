import {serverPartOf} from '../domain/mcp-tool-name.ts';
import {type Reason, sameReason} from '../domain/reason.ts';
import type {CommandAnalysis} from './commands/analyze-command.ts';
import type {CommandForms} from './commands/command-forms.ts';
import {handoverReasons} from './secrets/secret-handover.ts';
import type {Access} from '../domain/access.ts';
import {unreachable} from '../base/unreachable.ts';
import {noDetail, type RiskLevel} from '../domain/risk.ts';
import {percentDecoded, readWebUrl} from '../domain/web-url.ts';
import {accessedPaths, globStarts} from './paths/accessed-paths.ts';
import {commandFinding, type Finding} from './commands/command-finding.ts';
import {belowRoots, type PathContext, realParts, writtenParts} from './paths/path-context.ts';
import {isWithin} from './paths/path-parts.ts';
import {protectedPart} from './paths/protected-paths.ts';
import {looksSecret} from './paths/secret-paths.ts';
import {enclosingWeftFile} from './paths/weft-files.ts';
import {dangersOfLine, typingTarget} from './typed-input.ts';

/** The evidence for judging an action, besides its access. */
export interface JudgeEvidence {
  readonly context: PathContext;
  /** Returns the names of the secrets in a text, including those that placeholders represent. */
  readonly secretNames: (text: string) => readonly string[];
  /** The folder in which a command would start. */
  readonly directory: string;
  /** Returns the command that runs in a block, or an empty text if there is none. */
  readonly blockCommand: (id: string) => string;
  /** Returns the texts of the judged command that rules are compared with, computed once. */
  readonly forms: (command: string) => CommandForms;
  /** Returns the analysis of the judged command, computed once. */
  readonly parsed: (command: string) => CommandAnalysis;
}

/**
 * Makes a first judgment: reading inside the workspace and talking to the user are allowed, and weft asks about
 * everything else. `risk` is the worst possible effect of the action.
 */
export function accessFinding(access: Access, risk: RiskLevel, evidence: JudgeEvidence): Finding {
  const {context, forms, parsed} = evidence;
  switch (access.kind) {
    case 'none':
    case 'skill':
    case 'agent':
      return {...asked, decision: 'allow', risk: 'read-only', reasons: []};
    case 'plan':
      // No rule or mode can decide this for the user.
      return {...asked, risk: 'read-only', reasons: [{kind: 'plan'}], target: 'always-asked'};
    case 'computer-request':
      return {...asked, risk, reasons: [{kind: 'computer'}], target: 'always-asked'};
    case 'computer-steps': {
      // The user approved all steps, or they are refused at run time. weft still asks about secrets.
      const reasons = handoverReasons(access);
      return {...asked, decision: reasons.length === 0 ? 'allow' : 'ask', risk, reasons};
    }
    case 'read':
      return readFinding(access.paths, context);
    case 'search':
      return searchFinding(access, context);
    case 'edit':
      return editFinding(access, context);
    case 'command':
      return commandFinding(
        {...access, handed: handoverReasons(access)},
        {context, forms, parsed: parsed(access.command)},
      );
    case 'terminal-input':
      return inputFinding(access, risk, evidence);
    case 'mcp-tool':
      // A server's claims about its own tool do not count.
      return {
        ...asked,
        risk,
        reasons: [
          ...(access.standing === 'changed' ? ([{kind: 'mcp-tool-changed', server: access.server}] as const) : []),
          {kind: 'mcp-tool', server: access.server},
          ...handoverReasons(access),
        ],
        detail: {...noDetail, rules: [access.toolName, serverPartOf(access.toolName) ?? []].flat()},
      };
    case 'mcp-resource':
      return {
        ...asked,
        risk,
        reasons: [{kind: 'mcp-resource', server: access.server}, ...handoverReasons(access)],
        detail: {...noDetail, rules: [access.toolName]},
      };
    case 'web-page':
    case 'web-query':
      return webFinding(access, evidence.secretNames);
    default:
      return unreachable(access);
  }
}

const asked = {decision: 'ask', target: 'ordinary', detail: noDetail} as const;

/** Judges terminal input. weft always asks about it. A line for a shell is also judged as a command, which adds the command's reasons. */
function inputFinding(
  access: Extract<Access, {kind: 'terminal-input'}>,
  risk: RiskLevel,
  evidence: JudgeEvidence,
): Finding {
  const own: readonly Reason[] = [{kind: 'program-input'}, ...handoverReasons(access)];
  const detail = {...noDetail, criticalRanges: [{from: 0, to: access.input.length}]};
  const target = typingTarget(evidence.blockCommand(access.blockId));
  if (target !== 'shell') {
    const reasons = target === 'interpreter' || target === 'debugger' ? [...own, ...dangersOfLine(access.input)] : own;
    return {...asked, risk, reasons, detail};
  }
  const {input} = access;
  const command = {
    kind: 'command',
    command: input,
    place: 'foreground',
    claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
  } as const;
  const found = commandFinding(
    {...command, handed: handoverReasons(command)},
    {...evidence, parsed: evidence.parsed(input)},
  );
  return {
    decision: 'ask',
    risk: found.risk === 'destructive' ? 'destructive' : risk,
    reasons: [...own, ...found.reasons.filter(reason => !own.some(known => sameReason(known, reason)))],
    target: 'ordinary',
    // The shell's folder is unknown, so the files that the command would affect are unknown, too.
    detail: {...detail, highlights: found.detail.highlights, confirmWord: found.detail.confirmWord},
  };
}

function readFinding(paths: readonly string[], context: PathContext): Finding {
  const readable = context.alsoReadable?.() ?? [];
  const outside = pathsOutside(paths, context).filter(path => !readable.some(folder => isWithin(path, folder)));
  const secret = secretsIn(paths, context);
  const reasons: readonly Reason[] = [...withPaths('reads-outside', outside), ...withPaths('reads-secrets', secret)];
  const decision = reasons.length === 0 ? 'allow' : 'ask';
  return {...asked, decision, risk: 'read-only', reasons};
}

const secretsIn = (paths: readonly string[], context: PathContext): readonly string[] => [
  ...new Set(paths.filter(path => namesSecret(path, context))),
];

/** True if the name in the workspace, or the name of a link's target, says that the file contains secrets. */
const namesSecret = (path: string, context: PathContext): boolean =>
  [writtenParts(path, context), realParts(path, context)].some(parts =>
    belowRoots(parts, context).some(({below}) => looksSecret(below.join('/'))),
  );

function searchFinding(access: Extract<Access, {kind: 'search'}>, context: PathContext): Finding {
  const found = readFinding(accessedPaths(access), context);
  const {unclear} = globStarts(access);
  if (unclear.length === 0) return found;
  const reason: Reason = {kind: 'unclear-search', patterns: unclear};
  return {...found, decision: 'ask', reasons: [...found.reasons, reason]};
}

function editFinding(access: Extract<Access, {kind: 'edit'}>, context: PathContext): Finding {
  const paths = accessedPaths(access);
  const outside = pathsOutside(paths, context);
  const places = context.weftFiles();
  const weftFilePaths = paths.flatMap(
    path =>
      enclosingWeftFile(realParts(path, context), places) ??
      enclosingWeftFile(writtenParts(path, context), places) ??
      [],
  );
  const guarded = paths.flatMap(
    path =>
      protectedPart(realParts(path, context), context) ?? protectedPart(writtenParts(path, context), context) ?? [],
  );
  // A protected file's reason is stricter.
  const secret = weftFilePaths.length + guarded.length > 0 ? [] : secretsIn(paths, context);
  return {
    decision: 'ask',
    risk: 'local-change',
    reasons: [
      ...withPaths('writes-outside', outside),
      ...withPaths('writes-secrets', secret),
      ...withPaths('writes-weft-files', weftFilePaths),
      ...withPaths('writes-protected', guarded),
      ...handoverReasons(access),
    ],
    target:
      weftFilePaths.length > 0
        ? 'weft-files'
        : guarded.length > 0
          ? 'protected'
          : outside.length > 0
            ? 'outside'
            : secret.length > 0
              ? 'secret'
              : 'ordinary',
    detail: noDetail,
  };
}

/** Returns the reason, or nothing if there are no paths. */
const withPaths = (
  kind:
    | 'reads-outside'
    | 'reads-secrets'
    | 'writes-outside'
    | 'writes-secrets'
    | 'writes-weft-files'
    | 'writes-protected',
  paths: readonly string[],
): readonly Reason[] => (paths.length === 0 ? [] : [{kind, paths}]);

export const pathsOutside = (paths: readonly string[], {resolve}: PathContext): readonly string[] => [
  ...new Set(
    paths
      .map(resolve)
      .filter(({place}) => place === 'outside-workspace')
      .map(({path}) => path),
  ),
];

/**
 * Judges a web page or search. weft asks about both, because a request can carry data out. A private network address is
 * denied. weft asks about reading from this machine, and about sending a secret, whatever rules and modes allow.
 */
function webFinding(
  access: Extract<Access, {kind: 'web-page' | 'web-query'}>,
  secretNames: (text: string) => readonly string[],
): Finding {
  if (access.kind === 'web-query') {
    const secrets = secretReasons(access.text, {to: {kind: 'search-engine'}, secretNames});
    return {
      ...fromWeb,
      reasons: [{kind: 'web-query'}, ...secrets],
      target: secrets.length === 0 ? 'ordinary' : 'always-asked',
      detail: {...noDetail, rules: secrets.length === 0 ? ['WebSearch'] : []},
    };
  }
  const read = readWebUrl(access.url);
  // Decoding already rejects such a call.
  if (read.tag === 'failed') return {...fromWeb, reasons: [{kind: 'web-refused', why: read.error}], target: 'refused'};
  const {host, port, scope} = read.value;
  if (scope === 'private') {
    const why = `${host} is an address of a private network`;
    return {...fromWeb, reasons: [{kind: 'web-refused', why}], target: 'refused'};
  }
  const secrets = secretReasons(access.url, {to: {kind: 'host', host}, secretNames});
  const reasons: readonly Reason[] = [
    scope === 'loopback' ? {kind: 'web-loopback', host} : {kind: 'web-page', host},
    ...(port === 'standard' ? [] : [{kind: 'web-port', port} as const]),
    ...secrets,
  ];
  if (scope === 'loopback' || secrets.length > 0) return {...fromWeb, reasons, target: 'always-asked'};
  const rules = port === 'standard' ? [`WebFetch(domain:${host.includes(':') ? `[${host}]` : host})`] : [];
  return {...fromWeb, reasons, target: 'ordinary', detail: {...noDetail, rules}};
}

const fromWeb = {...asked, risk: 'external'} as const;

/** Returns a reason for each secret in a text, including percent-encoded ones. */
function secretReasons(
  text: string,
  {to, secretNames}: Pick<JudgeEvidence, 'secretNames'> & Pick<Extract<Reason, {kind: 'secret'}>, 'to'>,
): readonly Reason[] {
  const names = new Set([...secretNames(text), ...secretNames(percentDecoded(text))]);
  return [...names].map((name): Reason => ({kind: 'secret', name, to}));
}
