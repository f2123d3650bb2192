import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {messageId} from '../../../src/domain/ids.ts';
import {keepForms, wireBytes, wireJson} from '../../../src/models/sendable-request.ts';
import {randomInputs} from '../../support/random-inputs.ts';

/** Lets `wireBytes` keep the bytes of a form. */
function keepBytes<Form extends object>(form: Form): Form {
  keepForms<Form>()('')({role: 'user', id: messageId(''), blocks: []}, () => [form]);
  return form;
}

const message = fc.record({role: fc.constantFrom('user', 'assistant'), content: fc.string({unit: 'binary'})});

test('bytes of growing, shortened and changed conversations are those of their JSON', () => {
  fc.assert(
    fc.property(
      fc.array(message, {minLength: 1, maxLength: 12}),
      fc.array(fc.record({kept: fc.nat(12), marked: fc.nat(3), changed: fc.nat(11), first: fc.nat(3)})),
      (messages, requests) => {
        const all = messages.map(keepBytes);
        for (const {kept, marked, changed, first} of requests) {
          const sent: object[] = all.slice(0, kept);
          // The last messages have cache marks, which move with each request.
          for (let at = Math.max(0, sent.length - marked); at < sent.length; at += 1) sent[at] = {...sent[at], mark: 1};
          if (changed % 3 === 0 && changed < sent.length)
            sent[changed] = keepBytes({role: 'user', content: 'x"messages":[]'});
          const system = {role: 'system', content: 'input":[]'};
          const body =
            [
              {messages: sent, model: 'a\uD800', left: undefined},
              {model: 'b', system: 'ä', messages: sent},
              {model: 'b', messages: [system, ...sent], stream: true},
              {model: 'b', instructions: 'ä', input: sent, messages: undefined, store: false},
            ][first] ?? {};
          expect(Buffer.from(wireBytes(body)).toString()).toBe(wireJson(body));
        }
      },
    ),
    {numRuns: randomInputs(1000)},
  );
});

test('the bytes of many conversations in turn are those of their JSON', () => {
  const conversations = Array.from({length: 30}, (_, index) =>
    Array.from({length: 3}, (_message, at) => keepBytes({role: 'user', content: `${index} ${at}`})),
  );
  for (const length of [1, 2, 3, 2])
    for (const all of [...conversations, ...Array.from({length: 40}, () => conversations[0] ?? [])]) {
      const body = {messages: all.slice(0, length)};
      expect(Buffer.from(wireBytes(body)).toString()).toBe(wireJson(body));
    }
});
