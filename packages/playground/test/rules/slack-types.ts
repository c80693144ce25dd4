import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { KINDS } from '../../src/rules/kinds.ts'

const FOLDER = dirname(createRequire(import.meta.url).resolve('@slack/types'))
const FILES = ['blocks', 'block-elements', 'composition-objects', 'extensions'].map(
  (name) => `block-kit/${name}.d.ts`,
)

/** An interface or object type that @slack/types declares. */
export interface Shape {
  name: string
  /** The literal type of its `type` field. */
  type: string | undefined
  fields: string[]
  parents: string[]
}

/** Returns the names of a declaration's top-level fields. */
function parseFieldNames(body: string): string[] {
  let depth = 0
  return body.split('\n').flatMap((line) => {
    const name = depth === 1 ? /^\s*(\w+)\??:/.exec(line)?.[1] : undefined
    depth += (line.match(/\{/g) ?? []).length - (line.match(/\}/g) ?? []).length
    return name === undefined ? [] : [name]
  })
}

/** Reads the interfaces and the type aliases of object types. Unions are skipped, because they add no fields. */
function readShapes(): Shape[] {
  const text = [...FILES, 'message-attachments.d.ts']
    .map((file) => readFileSync(join(FOLDER, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''))
    .join('\n')
  const declaration =
    /^(?:export )?(?:interface (\w+)(?: extends ([\w, ]+))?|type (\w+) =) (\{[\s\S]*?^\}.*)/gm
  return [...text.matchAll(declaration)].map(([, interfaceName, parents = '', alias, body = '']) => ({
    name: interfaceName ?? alias ?? '',
    type: /^ {4}type: '(\w+)'/m.exec(body)?.[1],
    fields: parseFieldNames(body),
    parents: [...parents.split(', '), ...(body.split('\n').at(-1)?.match(/\w+/g) ?? [])].filter(Boolean),
  }))
}

/** The rules' kinds for types without a unique `type` field. Null for types that are only used to declare other types. */
export const KINDS_BY_TYPE: Record<string, string[] | null> = {
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
/** Base types that other types extend. They never occur in a payload by themselves. */
export const BASE_TYPES = [
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
export const OMITTED_TYPES: Record<string, string> = {
  FileBlock: "apps can't send it",
  AttachmentAction: 'legacy interactive attachments, which the playground refuses',
  OptionField: 'legacy interactive attachments',
  Confirmation: 'legacy interactive attachments',
  MessageAttachmentPreview: 'made by Slack',
  LinkUnfurls: 'an argument of chat.unfurl',
}
/** Fields that the rules leave out, and why. */
export const OMITTED_FIELDS: Record<string, string> = {
  'PlainTextOption.url': 'only in overflow menus, whose options are a separate kind',
  'MrkdwnOption.url': 'only in overflow menus',
}

export const SHAPES = readShapes()
export const SHAPES_BY_NAME = new Map(SHAPES.map((shape) => [shape.name, shape]))

export function listAllFields({ fields, parents }: Shape): string[] {
  const inherited = parents.flatMap((name) => SHAPES_BY_NAME.get(name) ?? [])
  return [...fields, ...inherited.flatMap(listAllFields)]
}

export function findKinds({ name, type }: Shape): string[] {
  if (name in OMITTED_TYPES) return []
  if (KINDS_BY_TYPE[name]) return KINDS_BY_TYPE[name]
  return [...KINDS.values()]
    .filter((kind) => type !== undefined && kind.type === type)
    .map((kind) => kind.name)
}
