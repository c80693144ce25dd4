import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { KINDS } from '../../src/rules/kinds.ts'

const FOLDER = dirname(createRequire(import.meta.url).resolve('@slack/types'))
const FILES = ['blocks', 'block-elements', 'composition-objects', 'extensions'].map(
  (name) => `block-kit/${name}.d.ts`,
)

export interface Shape {
  name: string
  /** The literal of its `type`. */
  type: string | undefined
  fields: string[]
  parents: string[]
}

/** The names of the top-level fields of a declaration. */
function fieldsIn(body: string): string[] {
  let depth = 0
  return body.split('\n').flatMap((line) => {
    const name = depth === 1 ? /^\s*(\w+)\??:/.exec(line)?.[1] : undefined
    depth += (line.match(/\{/g) ?? []).length - (line.match(/\}/g) ?? []).length
    return name === undefined ? [] : [name]
  })
}

/** Interfaces, and type aliases of object types. Unions of them add no fields. */
function typeShapes(): Shape[] {
  const text = [...FILES, 'message-attachments.d.ts']
    .map((file) => readFileSync(join(FOLDER, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''))
    .join('\n')
  const declaration =
    /^(?:export )?(?:interface (\w+)(?: extends ([\w, ]+))?|type (\w+) =) (\{[\s\S]*?^\}.*)/gm
  return [...text.matchAll(declaration)].map(([, face, parents = '', alias, body = '']) => ({
    name: face ?? alias ?? '',
    type: /^ {4}type: '(\w+)'/m.exec(body)?.[1],
    fields: fieldsIn(body),
    parents: [...parents.split(', '), ...(body.split('\n').at(-1)?.match(/\w+/g) ?? [])].filter(Boolean),
  }))
}

/** Objects without a `type` → their kinds in the rules; null for types that only other declarations use. */
export const TYPE_NAMES: Record<string, string[] | null> = {
  Confirm: ['confirmation'],
  ConfirmationDialog: ['confirmation'],
  DispatchActionConfig: ['dispatch configuration'],
  PlainTextOption: ['menu option', 'overflow option'],
  MrkdwnOption: ['box option'],
  OptionGroup: ['option group'],
  SlackFileViaUrl: ['slack file'],
  SlackFileViaId: ['slack file'],
  BaseConversationFilter: ['conversation filter'],
  TableBlockColumnSettings: ['column settings'],
  MessageAttachment: ['attachment'],
  MessageAttachmentField: ['attachment field'],
  RichTextStyleable: null,
  ImageBlock: ['image'],
  ImageElement: ['image element'],
  UrlImageObject: null,
  SlackFileImageObject: null,
}
export const ONLY_PARTS = [
  'Block',
  'Action',
  'Actionable',
  'Confirmable',
  'Dispatchable',
  'Focusable',
  'MaxItemsSelectable',
  'Placeholdable',
  'URLRespondable',
  'RichTextBorderable',
  'OptionDescriptor',
]
/** Types that the rules leave out, and why. */
export const LEFT_OUT: Record<string, string> = {
  FileBlock: "apps can't send it",
  AttachmentAction: 'legacy interactive attachments, which the playground refuses',
  OptionField: 'legacy interactive attachments',
  Confirmation: 'legacy interactive attachments',
  MessageAttachmentPreview: 'made by Slack',
  LinkUnfurls: 'an argument of chat.unfurl',
}
/** Fields that the rules leave out, and why. */
export const FIELDS_LEFT_OUT: Record<string, string> = {
  'PlainTextOption.url': 'only in overflow menus, whose options are a separate kind',
  'MrkdwnOption.url': 'only in overflow menus',
}

export const all = typeShapes()
export const byName = new Map(all.map((shape) => [shape.name, shape]))

export function allFields({ fields, parents }: Shape): string[] {
  const above = parents.flatMap((name) => byName.get(name) ?? [])
  return [...fields, ...above.flatMap(allFields)]
}

export function kindsOf({ name, type }: Shape): string[] {
  if (name in LEFT_OUT) return []
  if (TYPE_NAMES[name]) return TYPE_NAMES[name]
  return [...KINDS.values()]
    .filter((kind) => type !== undefined && kind.type === type)
    .map((kind) => kind.name)
}
