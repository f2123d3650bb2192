import type {Approval} from '../../actions/agent-event.ts';
import type {Action} from '../../actions/catalogue.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import type {RiskLevel} from '../../domain/risk.ts';
import {sentenceOf} from '../text/sentence.ts';
import type {Span} from '../text/wrap.ts';
import type {Role} from '../theme/theme.ts';

/** `Risk: can destroy data. It deletes a folder; the model calls it risky.`: the host's word first, then why. */
export function riskSpans({action, verdict}: Approval): readonly [Span, Span] {
  const said = [...verdict.reasons, ...claimsOf(action, verdict.risk)].map(visibleLine);
  return [
    {text: `Risk: ${riskText(verdict.risk, action)}. `, roles: [riskRole(verdict.risk)]},
    {text: sentenceOf([...new Set(said)]), roles: []},
  ];
}

/** What the model says of its own command, above all where weft does not agree; in the words of the host's reasons. */
function claimsOf(action: Action, risk: RiskLevel): readonly string[] {
  if (action.name !== 'request-command-output') return [];
  const {readOnly, risky} = action.input.claims;
  return [
    ...(readOnly === 'yes' ? [readOnlyClaims[risk]] : []),
    ...(risky === 'yes' ? ['the model calls it risky'] : []),
    ...(risky === 'no' && readOnly !== 'yes' && (risk === 'destructive' || risk === 'external')
      ? ['the model called it harmless, weft does not']
      : []),
  ];
}

const readOnlyClaims: Readonly<Record<RiskLevel, string>> = {
  'read-only': 'the model says it only reads',
  'local-change': 'the model called it read-only, weft does not',
  external: 'the model called it read-only, weft does not',
  destructive: 'the model called it read-only, weft does not',
  unknown: 'the model called it read-only, which weft cannot confirm',
};

/** A risk in words a person uses. */
function riskText(risk: RiskLevel, action: Action): string {
  switch (risk) {
    case 'read-only':
      return 'only reads';
    case 'local-change':
      return 'changes files on this machine';
    case 'external':
      return 'reaches outside this machine';
    case 'destructive':
      return 'can destroy data';
    case 'unknown':
      return `unknown, weft cannot tell what this ${action.name === 'request-command-output' ? 'command' : 'action'} does`;
    default:
      return unreachable(risk);
  }
}

function riskRole(risk: RiskLevel): Role {
  switch (risk) {
    case 'read-only':
      return 'success';
    case 'local-change':
    case 'unknown':
      return 'warning';
    case 'external':
    case 'destructive':
      return 'error';
    default:
      return unreachable(risk);
  }
}
