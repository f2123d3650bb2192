import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {scanForAnchors} from '../../../../src/safety/secrets/anchors.ts';
import {makeLiteralFinder, shortestLiteral} from '../../../../src/safety/secrets/literal-finder.ts';

const few = fc.constantFrom('a', 'b', 'ä');
const literal = fc.string({unit: few, minLength: shortestLiteral, maxLength: 12});

test('finds the first of many, the longest at its place, as looking everywhere does', () => {
  fc.assert(
    fc.property(
      fc.array(literal, {maxLength: 8}),
      fc.string({unit: few, maxLength: 200}),
      fc.nat(20),
      (literals, text, from) => {
        let wanted: {from: number; literal: string} | undefined;
        for (let at = from; at < text.length && wanted === undefined; at += 1) {
          const [longest] = literals.filter(each => text.startsWith(each, at)).toSorted((a, b) => b.length - a.length);
          if (longest !== undefined) wanted = {from: at, literal: longest};
        }
        const finder = makeLiteralFinder(literals.slice(0, 4));
        for (const each of literals.slice(4)) finder.add(each);
        expect(finder.next(text, from)).toEqual(wanted);
        expect(finder.next(text, from, scanForAnchors(text))).toEqual(wanted);
      },
    ),
    {numRuns: 1000},
  );
});

test('knows where the end of a text begins one', () => {
  fc.assert(
    fc.property(fc.array(literal, {maxLength: 5}), fc.string({unit: few, maxLength: 40}), (literals, text) => {
      let wanted = text.length;
      for (let at = text.length - 1; at >= 0; at -= 1) {
        if (literals.some(each => each.length > text.length - at && each.startsWith(text.slice(at)))) wanted = at;
      }
      const finder = makeLiteralFinder(literals.slice(0, 2));
      finder.openFrom(text);
      for (const each of literals.slice(2)) finder.add(each);
      expect(finder.openFrom(text)).toBe(wanted);
    }),
    {numRuns: 1000},
  );
});
