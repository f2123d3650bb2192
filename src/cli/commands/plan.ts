import {Option, type Command} from 'commander';
import {exiting} from '../exit-code.ts';
import {jsonFlag, type JsonOption, type MainOptions} from '../flags.ts';

export interface PlanOptions {
  readonly outputFormat: 'text' | 'json';
}

/** Loaded when one of the commands is called. */
const actions = () => import('./plan/run-plan.ts');

/** `weft plan`, and `weft plan run|list|show`; flags of weft itself stand before `plan`. */
export function addPlan(program: Command): void {
  const plan = program
    .command('plan')
    .description('Plan what a prompt asks for, and change nothing')
    .argument('[prompt...]', 'What is to be planned')
    .addOption(
      new Option('--output-format <format>', 'How the plan is printed').choices(['text', 'json']).default('text'),
    )
    .action(
      exiting(async (words: readonly string[], {outputFormat}: PlanOptions) =>
        (await actions()).makePlan(words, {...program.opts<MainOptions>(), outputFormat}),
      ),
    );
  plan
    .command('run')
    .description('Approve a plan and carry it out, once')
    .argument('<id>', 'Id of the plan')
    .action(exiting(async (id: string) => (await actions()).runPlan(id, program.opts<MainOptions>())));
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
