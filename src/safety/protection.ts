import {unreachable} from '../base/unreachable.ts';
import type {Access} from '../domain/access.ts';
import type {Reason} from '../domain/reason.ts';
import type {JudgeEvidence} from './access-finding.ts';
import type {CommandAnalysis} from './commands/analyze-command.ts';
import {type Finding, writesProtected} from './commands/command-finding.ts';
import {anchorPattern, type PathContext} from './paths/path-context.ts';
import {findWeftFileChange} from './paths/weft-file-changes.ts';
import {enclosingWeftFile} from './paths/weft-files.ts';
import type {PermissionRule} from './rules/permission-rule.ts';

/** Why no mode allows an action: it changes protected files, or weft's own. */
export type Protection =
  | {readonly kind: 'none'}
  | {readonly kind: 'protected'; readonly reason: Reason}
  | {readonly kind: 'weft-files'; readonly reason: Reason};

export const protectionReason = (protection: Protection): Reason =>
  protection.kind === 'none' ? changesProtected : protection.reason;

const changesProtected: Reason = {kind: 'writes-protected', paths: []};

export function protectionOf(access: Access, finding: Finding, evidence: JudgeEvidence): Protection {
  switch (access.kind) {
    case 'terminal-input':
      // Input to a shell is a command too.
      return weftFileProtection(access.input, {reading: 'unparsed', what: '', at: 0}, evidence) ?? {kind: 'none'};
    case 'command': {
      const {command} = access;
      return (
        weftFileProtection(command, evidence.parsed(command), evidence) ??
        (writesProtected(command, evidence) ? {kind: 'protected', reason: changesProtected} : {kind: 'none'})
      );
    }
    default:
      if (finding.target === 'weft-files') return {kind: 'weft-files', reason: changesProtected};
      return finding.target === 'protected' ? {kind: 'protected', reason: changesProtected} : {kind: 'none'};
  }
}

function weftFileProtection(command: string, parsed: CommandAnalysis, evidence: JudgeEvidence): Protection | undefined {
  const change = findWeftFileChange(command, {...evidence, parsed});
  return change === undefined ? undefined : {kind: 'weft-files', reason: {kind: 'weft-files', change}};
}

/**
 * True if an allow rule covers protected files. A rule without a pattern covers ordinary work only. weft's own files need a rule
 * that names them without wildcards.
 */
export function coversProtection({about}: PermissionRule, protection: Protection, context: PathContext): boolean {
  if (protection.kind === 'none') return true;
  if (protection.kind === 'protected') return about.kind !== 'every-call';
  switch (about.kind) {
    case 'paths':
      return anchorPattern(about.pattern, context).some(parts => {
        const end = parts.findIndex(({kind}) => kind !== 'name');
        const names = (end < 0 ? parts : parts.slice(0, end)).flatMap(part =>
          part.kind === 'name' ? [part.name] : [],
        );
        return enclosingWeftFile(names, context.weftFiles()) !== undefined;
      });
    case 'commands':
      return about.pattern.reach === 'whole' && !/(?<!\\)\*/u.test(about.pattern.text);
    case 'every-call':
    case 'domains':
    case 'names':
    case 'other':
      return false;
    default:
      return unreachable(about);
  }
}
