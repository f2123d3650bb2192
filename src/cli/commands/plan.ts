import {Option, type Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import {type MainOptions} from '../../app/main-options.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';

export interface PlanOptions {
  readonly outputFormat: 'text' | 'json';
}

/** Loaded when one of the commands is called. */
const actions = () => import('./plan/run-plan.ts');

/** Flags of weft itself that count for planning, which may stand before `plan` and after it. */
const planFlags: ReadonlySet<string | undefined> = new Set(
  `--model --fallback-model --provider --base-url --replay --record --sandbox --allowed-tools --disallowed-tools --allowedTools --disallowedTools --max-turns --max-cost --cwd
  --add-dir --system-prompt --append-system-prompt --agent --agents --settings --mcp-config --strict-mcp-config --plugin-dir --verbose
  --debug`.split(/\s+/u),
);

/** Those that count where a plan is carried out. */
const runFlags: ReadonlySet<string | undefined> = new Set([
  ...planFlags,
  '--permission-mode',
  '--output-format',
  '--include-partial-messages',
  '--timeout',
]);

/** `weft plan`, and `weft plan run|list|show`. */
export function add(plan: Command, program: Command): void {
  plan
    .argument('[prompt...]', 'What is to be planned')
    .addOption(
      new Option('--output-format <format>', 'How the plan is printed').choices(['text', 'json']).default('text'),
    )
    .action(
      exiting(async (words: readonly string[], options: PlanOptions) =>
        (await actions()).makePlan(words, {...program.opts<MainOptions>(), ...options}),
      ),
    );
  for (const option of program.options) if (planFlags.has(option.long)) plan.addOption(option);
  const run = plan
    .command('run')
    .description('Approve a plan and carry it out, once')
    .argument('<id>', 'Id of the plan')
    .action(
      exiting(async (id: string, options: Partial<MainOptions>) =>
        (await actions()).runPlan(id, {...program.opts<MainOptions>(), ...options}),
      ),
    );
  for (const option of program.options) if (runFlags.has(option.long)) run.addOption(option);
  plan
    .command('list')
    .description('List the plans, newest first')
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption) => (await actions()).listPlans(options)));
  plan
    .command('show')
    .description('Show a plan and how far it is')
    .argument('<id>', 'Id of the plan')
    .option(...jsonFlag)
    .action(exiting(async (id: string, options: JsonOption) => (await actions()).showPlan(id, options)));
}
