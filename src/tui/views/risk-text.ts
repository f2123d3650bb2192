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
  const said = [...verdict.reasons, ...claimsOf(action)].map(visibleLine);
  const reasons = said.filter((reason, at) => said.indexOf(reason) === at);
  return [
    {text: `Risk: ${riskText(verdict.risk, action)}. `, roles: [riskRole(verdict.risk)]},
    {text: sentenceOf(reasons), roles: []},
  ];
}

/** What the model says of its own command; in the words of the host's reasons, so that nothing is said twice. */
function claimsOf(action: Action): readonly string[] {
  if (action.name !== 'request-command-output') return [];
  const {readOnly, risky} = action.input.claims;
  return [
    ...(readOnly === 'yes' ? ['the model says it only reads'] : []),
    ...(risky === 'yes' ? ['the model calls it risky'] : []),
  ];
}

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
      return `weft has not judged this ${action.name === 'request-command-output' ? 'command' : 'action'}`;
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
