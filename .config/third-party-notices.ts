import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import * as z from 'zod/mini';

const packageJson = z.object({name: z.string(), version: z.string(), license: z.optional(z.string())});

/** Files in which packages give the terms under which they may be passed on. */
const licenceFile = /^(?:licen[cs]e|copying|notice|thirdpartynotices?)(?:[.-].*)?$/iu;

/** The copyright lines of packages under the MIT licence that ship without its text, as they stand in their repositories. */
const withoutText: ReadonlyMap<string, readonly string[]> = new Map([
  [
    '@xterm/headless',
    [
      'Copyright (c) 2017-2019, The xterm.js authors (https://github.com/xtermjs/xterm.js)',
      'Copyright (c) 2014-2016, SourceLair Private Company (https://www.sourcelair.com)',
      'Copyright (c) 2012-2013, Christopher Jeffrey (https://github.com/chjj/)',
    ],
  ],
  ['pg-types', ['Copyright (c) 2014 Brian M. Carlson']],
  ['pgpass', ['Copyright (c) 2013-2016 Hannes Hörl']],
  ['yoga-layout', ['Copyright (c) Facebook, Inc. and its affiliates.']],
]);

/** Parts of other projects inside packages, whose licence texts the packages leave out. */
const embedded: readonly {readonly owner: string; readonly parts: readonly string[]; readonly text: string}[] = [
  {
    owner: 'unpdf',
    parts: ['PDF.js 6.1.200 (Apache-2.0)'],
    text: 'Copyright Mozilla Foundation\n\nThe text of the Apache License 2.0 follows the name openai.',
  },
  {
    owner: '@vscode/tree-sitter-wasm',
    parts: ['tree-sitter 0.25.1 (MIT)', 'tree-sitter-bash (MIT)'],
    text: mitLicence(['Copyright (c) 2018-2024 Max Brunsfeld', 'Copyright (c) 2017 Max Brunsfeld']),
  },
  {
    owner: 'mdream',
    parts: [
      'dlmalloc 0.2.13 (MIT or Apache-2.0)',
      'rust-std (MIT or Apache-2.0)',
      'wasm-bindgen 0.2.127 (MIT or Apache-2.0)',
    ],
    text: 'Rust crates, and the standard library of Rust. The text of the Apache License 2.0 follows the name openai.',
  },
];

/**
 * The licences of all packages that these modules (paths of files) belong to, as one text for people. Packages with the same licence
 * text stand together. The text is in the order of the packages' names, and is the same on every machine. A package without a licence
 * text is an error: it must not be passed on.
 */
export function thirdPartyNotices(modules: Iterable<string>): string {
  const folders = new Set([...modules].flatMap(path => packageFolder(path) ?? []));
  const found = [...folders].map(licenceOf);
  const packages = new Map<string, string[]>();
  for (const [name, text] of found.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    packages.set(text, [...(packages.get(text) ?? []), name]);
  }
  const line = '-'.repeat(80);
  const sections = [...packages].map(([text, names]) => [line, ...names, line, '', text, ''].join('\n'));
  const names = new Set(found.map(([name]) => name.split(' ')[0] ?? ''));
  const inside = embedded
    .filter(({owner}) => names.has(owner))
    .map(({owner, parts, text}) => [line, ...parts.map(part => `${part}, in ${owner}`), line, '', text, ''].join('\n'));
  return [
    'weft contains parts of these packages, under the licences that follow their names.',
    '',
    ...sections,
    ...inside,
  ].join('\n');
}

/** The folder of the package that a module belongs to; `undefined` for a module of weft's own. */
function packageFolder(path: string): string | undefined {
  const inPackage = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(path);
  return inPackage?.[1];
}

/** A package's name, version and kind of licence, and the text of its licence. */
function licenceOf(folder: string): readonly [string, string] {
  const {name, version, license} = packageJson.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const files = readdirSync(folder).filter(file => licenceFile.test(file));
  const copyright = withoutText.get(name);
  const texts =
    license === 'MIT' && copyright !== undefined && files.length === 0
      ? [mitLicence(copyright)]
      : files.toSorted().map(file => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  if (license === undefined || texts.length === 0)
    throw new Error(`${folder} has no licence: it cannot be part of weft`);
  return [`${name} ${version} (${license})`, texts.join('\n\n')];
}

/** The MIT licence, which is weft's own too, with other copyright lines. */
function mitLicence(copyright: readonly string[]): string {
  const own = readFileSync(new URL('../LICENSE', import.meta.url), 'utf8');
  return own.replace(/^Copyright .*$/mu, copyright.join('\n')).trim();
}
