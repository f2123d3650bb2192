import {existsSync} from 'node:fs';
import {visibleLine} from '../../../base/visible.ts';
import {
  chooseModel,
  configuredProvider,
  type ModelChoice,
  modelChoice,
  providerNamed,
  requireModel,
} from '../../../app/choose-model.ts';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import type {MainOptions} from '../../../app/main-options.ts';
import {note, print} from '../../../app/output.ts';
import {contextFor} from '../../../app/run-context.ts';
import {checkModel, type ModelCheck, checkNames, checksUsage} from '../../../models/model-checks.ts';
import {costOfMany, modelTable} from '../../../models/model-facts.ts';
import {outputRedactor} from '../../../app/output-redactor.ts';
import type {JsonOption} from '../../flags.ts';
import {abortOnSignals} from '../../signals.ts';
import {printDocument} from '../../rows.ts';

export type TestOptions = Pick<MainOptions, 'cwd' | 'provider' | 'baseUrl' | 'model'> & JsonOption;

/**
 * `weft models test [URL|MODEL]`: checks what weft needs of a model, with one request for each check. The exit code is
 * 1 if the model lacks something that it claims to have.
 */
export async function testModel(named: string | undefined, {json, ...options}: TestOptions): Promise<ExitCode> {
  const context = contextFor(await withNamed(named, options));
  for (const notice of await context.notices()) note(visibleLine(notice));
  // Another model must not answer for this one.
  const choice = {...modelChoice(context), fallbackModels: {...context.settings.fallbackModels, value: []}};
  const chosen = await chooseModel(choice, AbortSignal.timeout(connectMs));
  requireModel(chosen);
  const {port, model} = chosen;
  // The checks find out anew what the server refuses.
  if (existsSync(choice.refusals))
    await (await import('../../../app/refusal-memory.ts')).forgetRefusals(choice.refusals, model);
  const info = modelTable(choice.models, {provider: configuredProvider(choice) ?? ''}).infoOf(model);
  const contextWindow = info.contextWindow || port.facts(model).contextWindow;
  const cost = costOfMany(info, checksUsage);
  const price = cost === 'unknown' ? '' : `, about $${cost.toFixed(2)}`;
  note(
    visibleLine(
      `testing ${model} with ${checkNames.length} requests of about ${checksUsage.inputTokens.toLocaleString('en-US')} tokens in all${price}`,
    ),
  );
  const secrets = outputRedactor({...process.env, ...chosen.secrets});
  // The checks before the signal are printed.
  const {signal, stopped} = abortOnSignals();
  const found: ModelCheck[] = [];
  const waiting = setInterval(() => note(stillWaiting(checkNames[found.length])), stillWaitingMs);
  for await (const {detail, ...check} of checkModel({port, model, info: {...info, contextWindow}}, signal)) {
    const shown = {...check, detail: secrets.redact(detail).replaceAll(/\[\[secret:[^\]]*\]\]/gu, '(hidden)')};
    found.push(shown);
    waiting.refresh();
    if (json === undefined) print(lineOf(shown));
  }
  clearInterval(waiting);
  const failed = found.filter(({ok}) => !ok).length;
  const code = stopped();
  if (code !== undefined) {
    const rest = checkNames.slice(found.length);
    const interrupted = {ok: false, detail: 'not run: interrupted', interrupted: true} as const;
    if (json !== undefined) printDocument([...found, ...rest.map(check => ({check, ...interrupted}))]);
    else print(`interrupted: ${found.length - failed} of ${found.length} checks passed, ${rest.length} not run\n`);
    return code;
  }
  if (json !== undefined) printDocument(found);
  else print(`${found.length - failed} of ${found.length} checks passed\n`);
  return failed === 0 ? exitCode.done : exitCode.failed;
}

const connectMs = 10_000;
/** Milliseconds of silence after which weft says that it waits. */
const stillWaitingMs = 15_000;

const stillWaiting = (check = ''): string => `${check}: still waiting for the model's answer. Ctrl+C stops the test.`;

const lineOf = ({check, ok, detail}: ModelCheck): string =>
  visibleLine(`${ok ? '✓' : '✗'} ${check.padEnd(14)}  ${detail}`) + '\n';

/** Returns the options with the argument: the address of a server, or a model. */
async function withNamed(named: string | undefined, options: Omit<TestOptions, 'json'>): Promise<Partial<MainOptions>> {
  if (named === undefined) return options;
  if (!/^https?:\/\//iu.test(named)) return {...options, model: named};
  const choice = modelChoice(contextFor(options));
  // OpenAI's servers have their paths below /v1, and people leave that out.
  const isAnthropic = /\/anthropic\b/u.test(named);
  const baseUrl = !isAnthropic && URL.parse(named)?.pathname === '/' ? `${named.replace(/\/+$/u, '')}/v1` : named;
  const provider = options.provider ?? (await configuredAt(named, choice)) ?? (isAnthropic ? 'anthropic' : 'openai');
  return {...options, provider, baseUrl: provider === 'anthropic' ? named : baseUrl};
}

/** Returns the configured provider if it is at this address. Any other provider's key must not go there. */
async function configuredAt(address: string, choice: ModelChoice): Promise<string | undefined> {
  const name = configuredProvider(choice);
  if (name === undefined || name === 'replay') return undefined;
  const {baseUrl = ''} = await providerNamed(name, choice);
  return plain(baseUrl) === plain(address) ? name : undefined;
}

const plain = (address: string): string => address.replace(/(?:\/v1)?\/*$/u, '');
