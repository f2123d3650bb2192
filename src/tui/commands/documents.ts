import {firstLine, pluralize} from '../../base/clip.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {documentName, documentText, findDocument, noDocumentText, type SessionDocument} from '../../domain/document.ts';
import {commandEffect} from '../state/effect.ts';
import {type Choice, choicePanel, type ChoicePanel, type ChoiceRow, choiceOfEffects} from '../state/panels/panel.ts';
import {type CommandContext, editInEditor, slashCommand} from './command.ts';

/** Lists the session's plans and notes. They can be shown, edited in the user's editor, and restored to an earlier version. */
export const documentsCommand = slashCommand({
  name: 'documents',
  aliases: ['docs'],
  usage: '/documents [show|edit|restore ID [VERSION] | new TITLE]',
  summary: "View and edit the session's plans and notes (@doc:ID attaches one)",
  choices: [
    {value: 'show', summary: 'Show a document or an earlier version'},
    {value: 'edit', summary: 'Edit a document in your editor'},
    {value: 'restore', summary: 'Restore an earlier version'},
    {value: 'new', summary: 'Write a document in your editor'},
  ],
  run: (argument, context) => void runDocuments(argument, context),
});

async function runDocuments(argument: string, context: CommandContext): Promise<void> {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  if (word === 'new') {
    if (rest === '') context.notify('info', 'Add a title: /documents new Release plan');
    else await edit({title: rest}, '', context);
    return;
  }
  const documents = await context.runQuery({query: 'documents'});
  if (documents === undefined) return;
  if (word === '') {
    context.open(documentsPanel(documents));
    return;
  }
  const [, named = '', version = ''] = /^(.*?)(?:\s+(\d{1,6}))?$/u.exec(rest) ?? [];
  const document = findDocument(named, documents);
  if (!subcommands.has(word))
    context.notify('warning', `Unknown command /documents ${word}. Choose from show, edit, restore, new.`);
  else if (document === undefined) context.notify('warning', noDocumentText(named, documents));
  else if (word === 'edit') await edit({id: document.id}, documentText(document), context);
  else await showOrRestoreVersion(document, {word, version}, context);
}

const subcommands: ReadonlySet<string> = new Set(['show', 'edit', 'restore']);

/** Shows a version, or saves it again as the newest. */
async function showOrRestoreVersion(
  document: SessionDocument,
  {word, version}: {readonly word: string; readonly version: string},
  context: CommandContext,
): Promise<void> {
  const number = version === '' ? document.versions.length : Number(version);
  const chosen = document.versions[number - 1];
  if (chosen === undefined || (word === 'restore' && version === '')) {
    context.notify(
      'warning',
      `${documentName(document)} has ${pluralize(document.versions.length, 'version')}. Say which one: /documents ${word} ${document.id} 1`,
    );
    return;
  }
  if (word === 'show') {
    context.notify('info', `${heading(document, number)}\n\n${visible(chosen.text)}`.trimEnd());
    return;
  }
  const written = await context.runQuery({query: 'write-document', document: {id: document.id}, text: chosen.text});
  if (written !== undefined) context.notify('info', `Restored ${documentName(written)} to version ${number}`);
}

const heading = ({id, title, versions}: SessionDocument, number: number): string =>
  `${id}  ${visibleLine(title)}  version ${number} of ${versions.length}, by ${versions[number - 1]?.by === 'user' ? 'you' : 'the agent'}`;

async function edit(
  document: {readonly id: string} | {readonly title: string},
  text: string,
  context: CommandContext,
): Promise<void> {
  const edited = await editInEditor({text, name: 'document.md'}, context);
  if (edited === undefined) return;
  const written = await context.runQuery({query: 'write-document', document, text: edited});
  if (written !== undefined) {
    context.notify('info', `Saved ${documentName(written)}. The agent sees the change with your next prompt.`);
  }
}

const documentsPanel = (documents: readonly SessionDocument[]): ChoicePanel =>
  choicePanel({
    title: 'Documents',
    does: 'open',
    empty: 'No documents yet. Write one: /documents new TITLE',
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
      {label: 'Show', details: ['latest version'], mark: 'none', choice: command(`show ${id}`)},
      {label: 'Edit', details: ['in your editor'], mark: 'none', choice: command(`edit ${id}`)},
      {
        label: 'Mention',
        details: [`adds @doc:${id} to your prompt`],
        mark: 'none',
        choice: choiceOfEffects({do: 'write', text: `@doc:${id} `}),
      },
      ...earlier.toReversed(),
    ],
  });
}

const command = (argument: string): Choice => choiceOfEffects(commandEffect('documents', argument));
