import type {RequestedRuleChange, RuleRow} from '../../agent/client.ts';
import {faultText} from '../../domain/fault.ts';
import {ruleLists, type RuleScope} from '../../domain/risk.ts';
import {type Choice, choicePanel, type ChoicePanel, type ChoiceRow, choicesMissing} from '../state/panels/choice.ts';
import type {CommandContext, SlashCommand} from './command.ts';

export const permissionsCommand: SlashCommand = {
  name: 'permissions',
  aliases: [],
  usage: '/permissions [allow|ask|deny RULE]',
  summary: 'show, add and remove rules',
  choices: ruleLists.map(list => ({value: list, summary: `a rule for what weft ${listMeaning(list)}`})),
  run(argument, context) {
    const [, word = '', rule = ''] = /^(\S+)\s+(\S[^]*)$/u.exec(argument) ?? [];
    const list = ruleLists.find(each => each === word);
    if (argument === '') context.openLoading(title, 'Reading the rules …', ruleChoices(context));
    else if (list === undefined) {
      context.notify('warning', 'Write the list and the rule: /permissions allow Bash(npm test:*)');
    } else context.open(scopePanel(list, rule));
  },
};

/** Says what came of it. */
export async function changeRule(rule: RequestedRuleChange, context: CommandContext): Promise<void> {
  const text = await context.answerTo({query: 'change-rule', rule});
  if (text !== undefined) context.notify('info', text);
}

const title = 'Permission rules';

function listMeaning(list: RuleRow['list']): string {
  return {allow: 'does without asking', ask: 'asks about', deny: 'never does'}[list];
}

async function ruleChoices({options, signal}: CommandContext): Promise<ChoicePanel> {
  const answer = await options.engine.query({query: 'permission-rules'}, signal);
  if (answer.tag === 'ok') return rulesPanel(answer.value);
  return choicesMissing(title, 'failed', answer.tag === 'failed' ? faultText(answer.error) : 'It was cancelled');
}

/** The rules and who set them; below them, how to add one. */
const rulesPanel = (rules: readonly RuleRow[]): ChoicePanel =>
  choicePanel({
    title,
    note: '',
    does: 'select',
    empty: '',
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
        choice: {effects: [{do: 'write', text: `/permissions ${list} `}], next: 'none'},
      })),
    ],
  });

/** A rule of the session or of a settings file can be removed; what flags and the environment say counts until weft ends. */
function removalOf({list, rule, source}: RuleRow): Choice {
  const scope = scopes.find(each => each === source);
  if (scope === undefined) {
    return {
      effects: [{do: 'notify', text: `${rule} was given with ${source}: it counts until weft ends`}],
      next: 'none',
    };
  }
  return {
    effects: [],
    next: {
      panel: 'confirm',
      title: 'Remove this rule?',
      subject: `${list} ${rule} (${source})`,
      does: 'remove',
      yes: {do: 'change-rule', rule: {change: 'remove', list, rule, scope}},
      no: [],
      enter: 'nothing',
      other: 'none',
    },
  };
}

const scopes = ['session', 'local', 'project', 'user'] as const satisfies readonly RuleScope[];

/** Asks how far a new rule reaches. */
const scopePanel = (list: RuleRow['list'], rule: string): ChoicePanel =>
  choicePanel({
    title: `${list} ${rule}`,
    note: '',
    does: 'add',
    empty: '',
    rows: scopes.map(scope => ({
      label: scopeLabels[scope],
      details: [],
      mark: 'none',
      choice: {effects: [{do: 'change-rule', rule: {change: 'add', list, rule, scope}}], next: 'none'},
    })),
  });

const scopeLabels = {
  session: 'For this session',
  local: 'Always in this project, for you',
  project: 'Always in this project, for everybody',
  user: 'In all your projects',
} as const satisfies Record<RuleScope, string>;
