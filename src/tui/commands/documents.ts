import {firstLine, pluralize} from '../../base/clip.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {documentName, documentText, findDocument, noDocumentText, type SessionDocument} from '../../domain/document.ts';
import {commandEffect} from '../state/effect.ts';
import {type Choice, choicePanel, type ChoicePanel, type ChoiceRow, doing} from '../state/panels/panel.ts';
import {type CommandContext, editedText, slashCommand} from './command.ts';

/** The plans and notes that are kept with the session: shown, edited in the user's editor, and taken back to an earlier version. */
export const documentsCommand = slashCommand({
  name: 'documents',
  aliases: ['docs'],
  usage: '/documents [show|edit|restore ID [VERSION] | new TITLE]',
  summary: 'plans and notes kept with the session: show, edit, write one; @doc:ID attaches one',
  choices: [
    {value: 'show', summary: 'show a document, or an earlier version of it'},
    {value: 'edit', summary: 'edit a document in your editor'},
    {value: 'restore', summary: 'make an earlier version the newest'},
    {value: 'new', summary: 'write one of your own in your editor'},
  ],
  run: (argument, context) => void runDocuments(argument, context),
});

async function runDocuments(argument: string, context: CommandContext): Promise<void> {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  if (word === 'new') {
    if (rest === '') context.notify('info', 'Write the title behind it: /documents new Release plan');
    else await edit({title: rest}, '', context);
    return;
  }
  const documents = await context.answerTo({query: 'documents'});
  if (documents === undefined) return;
  if (word === '') {
    context.open(documentsPanel(documents));
    return;
  }
  const [, named = '', version = ''] = /^(.*?)(?:\s+(\d{1,6}))?$/u.exec(rest) ?? [];
  const document = findDocument(named, documents);
  if (!words.has(word)) context.notify('warning', `There is no /documents ${word}. Write show, edit, restore or new.`);
  else if (document === undefined) context.notify('warning', noDocumentText(named, documents));
  else if (word === 'edit') await edit({id: document.id}, documentText(document), context);
  else await atVersion(document, {word, version}, context);
}

const words: ReadonlySet<string> = new Set(['show', 'edit', 'restore']);

/** Shows a version, or writes it once more. */
async function atVersion(
  document: SessionDocument,
  {word, version}: {readonly word: string; readonly version: string},
  context: CommandContext,
): Promise<void> {
  const number = version === '' ? document.versions.length : Number(version);
  const chosen = document.versions[number - 1];
  if (chosen === undefined || (word === 'restore' && version === '')) {
    context.notify(
      'warning',
      `${documentName(document)} has ${pluralize(document.versions.length, 'version')}: name one.`,
    );
    return;
  }
  if (word === 'show') {
    context.notify('info', `${heading(document, number)}\n\n${visible(chosen.text)}`.trimEnd());
    return;
  }
  const written = await context.answerTo({query: 'write-document', document: {id: document.id}, text: chosen.text});
  if (written !== undefined) context.notify('info', `${documentName(written)} says what version ${number} said.`);
}

const heading = ({id, title, versions}: SessionDocument, number: number): string =>
  `${id}  ${visibleLine(title)}  version ${number} of ${versions.length}, by ${versions[number - 1]?.by === 'user' ? 'you' : 'the agent'}`;

async function edit(
  document: {readonly id: string} | {readonly title: string},
  text: string,
  context: CommandContext,
): Promise<void> {
  const edited = await editedText({text, name: 'document.md'}, context);
  if (edited === undefined) return;
  const written = await context.answerTo({query: 'write-document', document, text: edited});
  if (written !== undefined) {
    context.notify('info', `${documentName(written)} is kept. The agent hears of it with your next prompt.`);
  }
}

const documentsPanel = (documents: readonly SessionDocument[]): ChoicePanel =>
  choicePanel({
    title: 'Documents',
    does: 'open',
    empty: 'No documents in this session yet. Write one: /documents new TITLE',
    rows: documents.map(document => ({
      label: `${document.id}  ${visibleLine(document.title)}`,
      details: [pluralize(document.versions.length, 'version'), visibleLine(firstLine(documentText(document), 80))],
      mark: 'none',
      choice: {effects: [], next: documentPanel(document)},
    })),
  });

function documentPanel(document: SessionDocument): ChoicePanel {
  const {id, title, versions} = document;
  const earlier = versions.slice(0, -1).map((version, at): ChoiceRow => ({
    label: `Restore version ${at + 1}`,
    details: [`by ${version.by === 'user' ? 'you' : 'the agent'}`, visibleLine(firstLine(version.text, 60))],
    mark: 'none',
    choice: command(`restore ${id} ${at + 1}`),
  }));
  return choicePanel({
    title: `${id}  ${visibleLine(title)}`,
    note: pluralize(versions.length, 'version'),
    does: 'select',
    rows: [
      {label: 'Show', details: ['what it says now'], mark: 'none', choice: command(`show ${id}`)},
      {label: 'Edit', details: ['in your editor'], mark: 'none', choice: command(`edit ${id}`)},
      {
        label: 'Mention',
        details: [`@doc:${id} in your prompt`],
        mark: 'none',
        choice: doing({do: 'write', text: `@doc:${id} `}),
      },
      ...earlier.toReversed(),
    ],
  });
}

const command = (argument: string): Choice => doing(commandEffect('documents', argument));
