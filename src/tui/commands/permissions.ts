import type {RequestedRuleChange, RuleRow} from '../../agent/client.ts';
import {ruleLists, type RuleScope} from '../../domain/risk.ts';
import {
  type Choice,
  choicePanel,
  type ChoicePanel,
  type ChoiceRow,
  confirmPanel,
  doing,
} from '../state/panels/panel.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

export const permissionsCommand = slashCommand({
  name: 'permissions',
  usage: '/permissions [allow|ask|deny RULE]',
  summary: 'show, add and remove rules',
  choices: ruleLists.map(list => ({value: list, summary: `a rule for what weft ${listMeaning(list)}`})),
  run(argument, context) {
    const [, word = '', rule = ''] = /^(\S+)\s+(\S[^]*)$/u.exec(argument) ?? [];
    const list = ruleLists.find(each => each === word);
    if (argument === '')
      openList({title, loading: 'Reading the rules …', request: {query: 'permission-rules'}}, rulesPanel, context);
    else if (list === undefined) {
      context.notify('warning', 'Write the list and the rule: /permissions allow Bash(npm test:*)');
    } else context.open(scopePanel(list, rule));
  },
});

export async function changeRule(rule: RequestedRuleChange, context: CommandContext): Promise<void> {
  const text = await context.answerTo({query: 'change-rule', rule});
  if (text !== undefined) context.notify('info', text);
}

const title = 'Permission rules';

function listMeaning(list: RuleRow['list']): string {
  return {allow: 'does without asking', ask: 'asks about', deny: 'never does'}[list];
}

/** The rules and who set them; below them, how to add one. */
const rulesPanel = (rules: readonly RuleRow[]): ChoicePanel =>
  choicePanel({
    title,
    does: 'select',
    rows: [
      ...rules.map(row => ({
        label: row.rule,
        details: [row.list, row.source, row.reason === '' ? '' : `no effect: ${row.reason}`],
        mark: 'none' as const,
        choice: removalOf(row),
      })),
      ...ruleLists.map((list): ChoiceRow => ({
        label: `Add a rule to ${list}`,
        details: [listMeaning(list)],
        mark: 'none',
        choice: doing({do: 'write', text: `/permissions ${list} `}),
      })),
    ],
  });

/** A rule of the session or of a settings file can be removed; what flags and the environment say counts until weft ends. */
function removalOf({list, rule, source}: RuleRow): Choice {
  const scope = scopes.find(each => each === source);
  if (scope === undefined) {
    return doing({do: 'notify', text: `${rule} was given with ${source}: it counts until weft ends`});
  }
  return {
    effects: [],
    next: confirmPanel({
      title: 'Remove this rule?',
      subject: `${list} ${rule} (${source})`,
      does: 'remove',
      yes: {do: 'change-rule', rule: {change: 'remove', list, rule, scope}},
    }),
  };
}

const scopes = ['session', 'local', 'project', 'user'] as const satisfies readonly RuleScope[];

/** Asks how far a new rule reaches. */
const scopePanel = (list: RuleRow['list'], rule: string): ChoicePanel =>
  choicePanel({
    title: `${list} ${rule}`,
    does: 'add',
    rows: scopes.map(scope => ({
      label: scopeLabels[scope],
      details: [],
      mark: 'none',
      choice: doing({do: 'change-rule', rule: {change: 'add', list, rule, scope}}),
    })),
  });

const scopeLabels = {
  session: 'For this session',
  local: 'Always in this project, for you',
  project: 'Always in this project, for everybody',
  user: 'In all your projects',
} as const satisfies Record<RuleScope, string>;
