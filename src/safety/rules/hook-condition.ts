import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {RuleKinds} from '../../domain/access.ts';
import {parseRule, type PermissionRule} from './permission-rule.ts';

/**
 * Reads the condition of a hook: one permission rule, as in Claude Code.
 *
 * The error is `never` if weft has no such tool, so the hook never runs. It is `unclear` if the text is not one rule; its message
 * is for the user.
 */
export function parseCondition(
  text: string,
  ruleKinds: RuleKinds,
): Outcome<PermissionRule, {readonly kind: 'never'} | {readonly kind: 'unclear'; readonly message: string}> {
  if (/\)\s*(?:[|&,]+|or|and)\s*[\w-]+\(/iu.test(text)) {
    return failed({
      kind: 'unclear',
      message: `${JSON.stringify(text)} is more than one rule. Give each rule its own hook.`,
    });
  }
  const read = parseRule(text, ruleKinds);
  if (read.tag === 'ok') return read;
  switch (read.error.kind) {
    case 'unknown-tool':
      return failed({kind: 'never'});
    case 'unread-pattern':
      return ok(read.error.strict);
    case 'malformed':
      return failed({kind: 'unclear', message: read.error.message});
    default:
      return unreachable(read.error);
  }
}
