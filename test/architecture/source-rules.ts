import type {SourceFile} from './source-file.ts';
import {emptyNames, longestFile} from './layers.ts';

/** A file that only passes on what others export hides where things are. */
export function isBarrel({program}: SourceFile): boolean {
  return (
    program.body.length > 0 &&
    program.body.every(
      ({type, ...rest}) =>
        type === 'ImportDeclaration' ||
        type === 'ExportAllDeclaration' ||
        (type === 'ExportNamedDeclaration' && !('declaration' in rest && rest.declaration !== null)),
    )
  );
}

/** What is wrong with a file's name, in words; `actions` are names that the seed gives and that stay as they are. */
export function nameFaults({path}: Pick<SourceFile, 'path'>, actions: ReadonlySet<string>): readonly string[] {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(\.test|\.types|\.d)?\.tsx?$/u, '');
  const words = name.split(/[-.]/u);
  return [
    ...(/^[a-z0-9]+(-[a-z0-9]+)*$/u.test(name) ? [] : [`${path}: file names are kebab-case`]),
    ...words.filter(word => emptyNames.includes(word)).map(word => `${path}: "${word}" says nothing of what it holds`),
    ...(words.some(word => /^v\d+$/u.test(word)) && !actions.has(name) ? [`${path}: no version numbers in names`] : []),
  ];
}

/** Suppressions that do not name one rule and a reason, as written. */
export function bareSuppressions({comments}: Pick<SourceFile, 'comments'>): readonly string[] {
  return suppressions({comments}).filter(
    comment => !/^(?:ox|es)lint-disable(?:-next-line|-line)? [\w@/-]+(?:, [\w@/-]+)* -- \S.{9,}/su.test(comment),
  );
}

/** Comments that switch a lint rule off. */
export const suppressions = ({comments}: Pick<SourceFile, 'comments'>): readonly string[] =>
  comments.filter(comment => /^(?:ox|es)lint-disable/u.test(comment));

/** Comments that make the compiler look away, as written. */
export const typeSuppressions = ({comments}: Pick<SourceFile, 'comments'>): readonly string[] =>
  comments.filter(comment => /^@ts-(?:ignore|expect-error|nocheck)/u.test(comment));

export const isLong = ({text}: Pick<SourceFile, 'text'>): boolean => text.split('\n').length - 1 > longestFile;

/** Whether the first thing in the file is a comment of some length. */
export const explainsItself = ({text, comments}: Pick<SourceFile, 'text' | 'comments'>): boolean =>
  /^\s*\/[/*]/u.test(text) && (comments[0]?.length ?? 0) >= 40;
