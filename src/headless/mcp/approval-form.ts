import type {Approval} from '../../actions/agent-event.ts';
import {type FileDiff, lineSigns, showsAll} from '../../actions/preview.ts';
import type {AskForm, FormReply} from '../../actions/served-tools.ts';
import type {ApprovalAnswer} from '../../agent/client.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine, visibleExactly} from '../../base/visible.ts';
import {planText} from '../../domain/plan.ts';
import {reasonText} from '../../domain/reason.ts';
import {typedWord} from '../../domain/typed-word.ts';
import {sessionOffer} from '../session-offer.ts';

const [decisionField, wordField] = ['decision', 'confirm'] as const;

/** The maximum number of lines of a change in a form. */
const maxLines = 400;

/** Returns an approval as a form for a client's user: what a card shows, and the same choices. */
export function approvalForm(approval: Approval): AskForm {
  const {asker, label, verdict, rationale, impact, sessionGrant} = approval;
  const word = typedWord(verdict);
  const who = asker === 'main' ? '' : `${visibleExactLine(asker.name)}: `;
  const message = [
    `${who}${visibleExactLine(label)}?`,
    previewText(approval),
    verdict.reasons.map(reason => `- ${visibleExactLine(reasonText(reason))}`).join('\n'),
    impact.summary === '' ? '' : `It ${visibleExactLine(impact.summary)}.`,
    rationale === '' ? '' : `The model says: ${visibleExactLine(rationale)}`,
  ];
  return {
    message: message.filter(part => part !== '').join('\n\n'),
    fields: {
      [decisionField]: {
        title: 'Decision',
        need: 'required',
        choices: [
          {value: 'allow-once', title: 'Allow once'},
          ...(verdict.sessionApproval === 'none'
            ? []
            : [
                {
                  value: 'allow-session',
                  title: sessionOffer(sessionGrant),
                },
              ]),
          {value: 'deny', title: 'Deny'},
        ],
      },
      ...(word === '' ? {} : {[wordField]: {title: `To allow it, type ${word}`, need: 'optional', choices: []}}),
    },
  };
}

/** Returns the answer of a form. Everything except a clear yes is a no. */
export function approvalAnswer(reply: FormReply, {verdict}: Pick<Approval, 'verdict'>): ApprovalAnswer {
  if (reply === 'declined') return refused('');
  const word = typedWord(verdict);
  const decision = reply[decisionField];
  const isSession = decision === 'allow-session' && verdict.sessionApproval !== 'none';
  if (decision !== 'allow-once' && !isSession) return refused('');
  if (word !== '' && reply[wordField]?.trim() !== word) return refused(`The user did not type ${word}.`);
  return {decision: 'allow', scope: isSession ? 'session' : 'once'};
}

const refused = (message: string): ApprovalAnswer => ({decision: 'refuse', message, by: 'user'});

function previewText({preview}: Approval): string {
  switch (preview.kind) {
    case 'none':
      return '';
    case 'command':
      return `${visibleExactly(preview.command)}\n(in ${visibleExactLine(preview.directory)})`;
    case 'arguments':
      return visibleExactLine(preview.text);
    case 'plan':
      return visibleExactly(planText(preview.plan));
    case 'diff':
      return diffText(preview.files);
    case 'changes': {
      const changes = preview.asked.map(({path, kind}) => `${kind} ${visibleExactLine(path)}`).join('\n');
      return `${visibleExactly(preview.command)}\n\nIt ran and wants to keep these changes:\n${changes}\n\n${diffText(preview.files)}`;
    }
    default:
      return unreachable(preview);
  }
}

function diffText(files: readonly FileDiff[]): string {
  const lines = files.flatMap(file => [
    `${fileName(file)} (+${file.added} -${file.removed})`,
    ...file.notes.map(note => visibleExactLine(note)),
    ...file.hunks.flatMap(hunk => hunk.lines.map(({kind, text}) => `${lineSigns[kind]}${visibleExactLine(text)}`)),
    ...(showsAll(file) ? [] : ['(This change is too large to show all of it.)']),
  ]);
  const more = lines.length - maxLines;
  return more <= 0 ? lines.join('\n') : `${lines.slice(0, maxLines).join('\n')}\n(${more} more lines are not shown.)`;
}

const fileName = ({path, movedFrom}: FileDiff): string =>
  visibleExactLine(movedFrom === undefined ? path : `${movedFrom} -> ${path}`);
