import * as z from 'zod/mini';
import {parseJson} from '../base/json.ts';
import {ok} from '../base/outcome.ts';
import {changeFile, readTextFile} from '../config/change-file.ts';
import {messageId} from '../domain/ids.ts';
import {type KeptRefusals, type KnownRefusal, lastingKinds, takesAway} from '../models/refusals.ts';

const dayMs = 86_400_000;
/** Refusals are tried again after a week, because servers change. Those whose repair takes something away, after a day. */
const lifeMs = ({is}: Pick<KnownRefusal, 'is'>): number => (takesAway(is) ? dayMs : 7 * dayMs);
/** The maximum number of models of which refusals are kept, and of refusals of each. */
const maxModels = 200;
const maxRefusals = 30;

const names = z.array(z.string());
const refusalSchema = z.object({
  at: z.number(),
  is: z.union([
    z.object({kind: z.enum(lastingKinds)}),
    z.object({kind: z.literal('call-id'), most: z.number()}),
    z.object({kind: z.literal('beta'), names}),
    z.object({kind: z.literal('max-tokens'), most: z.number(), input: z.number(), window: z.number()}),
    z.object({kind: z.literal('parameter'), names}),
  ]),
  said: z.enum(['', 'between_tools']),
  messages: z.array(z.pipe(z.string(), z.transform(messageId))),
});
type Kept = KnownRefusal & {readonly at: number};
const fileSchema = z.record(z.string(), z.array(z.unknown()));

export interface RefusingServer {
  readonly provider: string;
  readonly baseUrl: string | undefined;
  readonly wireApi: string | undefined;
  readonly seesImages: (model: string) => boolean;
}

/** Forgets the refusals of a model, whichever server they came from. */
export const forgetRefusals = (file: string, model: string): Promise<unknown> =>
  changeRefusals(file, Date.now, all => Object.entries(all).filter(([key]) => !key.endsWith(` ${model}`)));

/**
 * Opens the file that keeps the lessons of one server's refusals. `seesImages` is true if the user's settings say that a
 * model does. `now` returns milliseconds since the epoch.
 */
export function openRefusals(
  file: string,
  {provider, baseUrl = '', wireApi = '', seesImages}: RefusingServer,
  now: () => number,
): KeptRefusals {
  // The address without credentials.
  const {origin, pathname} = URL.parse(baseUrl) ?? {origin: '', pathname: ''};
  const keyOf = (model: string): string => [provider, `${origin}${pathname}`, wireApi, model].join(' ');
  const change = async (model: string, update: (kept: readonly Kept[]) => readonly Kept[]): Promise<void> => {
    await changeRefusals(file, now, ({[keyOf(model)]: of = [], ...others}) => {
      const after = update(of);
      return [...Object.entries(others), ...(after.length === 0 ? [] : [[keyOf(model), after] as const])];
    });
  };
  return {
    recall(model: string): readonly KnownRefusal[] {
      const text = readTextFile(file);
      const kept = readRefusals(text.tag === 'ok' ? text.value : undefined, now())[keyOf(model)] ?? [];
      return seesImages(model) ? kept.filter(({is}) => is.kind !== 'no-images') : kept;
    },
    keep: (model: string, known: readonly KnownRefusal[]): Promise<void> =>
      change(model, kept => {
        const added = known.map(each => ({...each, at: now()}));
        const isAdded = ({is}: Kept): boolean => added.some(each => JSON.stringify(each.is) === JSON.stringify(is));
        return [...kept.filter(each => !isAdded(each)), ...added].slice(-maxRefusals);
      }),
    forget: (model: string): Promise<void> => change(model, () => []),
  };
}

/** Changes the file. `change` returns the entries to keep, oldest first. */
const changeRefusals = (
  file: string,
  now: () => number,
  change: (all: KeptByModel) => readonly (readonly [key: string, kept: readonly Kept[]])[],
): Promise<unknown> =>
  changeFile(file, text => {
    const entries = change(readRefusals(text, now())).slice(-maxModels);
    return ok(`${JSON.stringify(Object.fromEntries(entries))}\n`);
  });

type KeptByModel = Readonly<Record<string, readonly Kept[]>>;

/** Reads what is still young. Anything else in the file is ignored. */
function readRefusals(text: string | undefined, now: number): KeptByModel {
  const parsed = parseJson(text ?? '');
  const file = fileSchema.safeParse(parsed.tag === 'ok' ? parsed.value : {}).data ?? {};
  return Object.fromEntries(
    Object.entries(file).flatMap(([key, list]) => {
      const kept = list.flatMap(each => refusalSchema.safeParse(each).data ?? []);
      const young = kept.filter(each => each.at <= now && now - each.at < lifeMs(each));
      return young.length === 0 ? [] : [[key, young]];
    }),
  );
}
