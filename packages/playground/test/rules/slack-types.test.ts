import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KINDS } from '../../src/rules/kinds.ts'

const FOLDER = dirname(createRequire(import.meta.url).resolve('@slack/types'))
const FILES = ['blocks', 'block-elements', 'composition-objects', 'extensions'].map(
  (name) => `block-kit/${name}.d.ts`,
)

interface Shape {
  name: string
  /** The literal of its `type`. */
  type: string | undefined
  fields: string[]
  parents: string[]
}

/** The names of the fields on the first level of a declaration's braces. */
function fieldsIn(body: string): string[] {
  let depth = 0
  return body.split('\n').flatMap((line) => {
    const name = depth === 1 ? /^\s*(\w+)\??:/.exec(line)?.[1] : undefined
    depth += (line.match(/\{/g) ?? []).length - (line.match(/\}/g) ?? []).length
    return name === undefined ? [] : [name]
  })
}

/** Interfaces, and types that are objects with more: unions of them name nothing new. */
function shapes(): Shape[] {
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

/** Objects without a `type` → the kinds that are them; null for what only other declarations are made of. */
const BY_NAME: Record<string, string[] | null> = {
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
  UrlImageObject: ['image', 'image element'],
  SlackFileImageObject: ['image', 'image element'],
}
const ONLY_PARTS = [
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
/** In the types and not in the table: why. */
const LEFT_OUT: Record<string, string> = {
  FileBlock: 'apps cannot send it',
  AttachmentAction: 'interactive attachments of old, which the playground refuses',
  OptionField: 'interactive attachments of old',
  Confirmation: 'interactive attachments of old',
  MessageAttachmentPreview: 'made by Slack',
  LinkUnfurls: 'an argument of chat.unfurl',
}
/** Fields of the types that the table leaves out on purpose. */
const FIELDS_LEFT_OUT: Record<string, string> = {
  'PlainTextOption.url': 'overflow menus only, which have an option of their own',
  'MrkdwnOption.url': 'overflow menus only',
}

const all = shapes()
const byName = new Map(all.map((shape) => [shape.name, shape]))

function allFields({ fields, parents }: Shape): string[] {
  const above = parents.flatMap((name) => byName.get(name) ?? [])
  return [...fields, ...above.flatMap(allFields)]
}

function kindsOf({ name, type }: Shape): string[] {
  if (name in LEFT_OUT) return []
  if (BY_NAME[name]) return BY_NAME[name]
  return [...KINDS.values()]
    .filter((kind) => type !== undefined && kind.type === type)
    .map((kind) => kind.name)
}

describe('the table of rules, beside the types of Slack’s own library', () => {
  it('has read them', () => {
    expect(all.length).toBeGreaterThan(75)
    expect(byName.get('CardBlock')?.fields).toContain('hero_image')
    expect(all.filter(({ name }) => name === 'Button').flatMap(allFields)).toContain('confirm')
  })

  it('has every block, element and object, or says why not', () => {
    const missing = all.filter(
      (shape) =>
        !ONLY_PARTS.includes(shape.name) &&
        !(shape.name in LEFT_OUT) &&
        BY_NAME[shape.name] !== null &&
        kindsOf(shape).length === 0,
    )
    expect(missing.map(({ name, type }) => `${name} ${type}`)).toEqual([])
    expect(Object.keys(LEFT_OUT).filter((name) => !byName.has(name))).toEqual([])
  })

  it('has every field of each', () => {
    const missing = all.flatMap((shape) =>
      kindsOf(shape).flatMap((name) => {
        const kind = KINDS.get(name)
        return allFields(shape)
          .filter((field) => kind && !kind.isOpen && !(field in kind.fields) && field !== 'type')
          .filter((field) => !(`${shape.name}.${field}` in FIELDS_LEFT_OUT))
          .map((field) => `${shape.name}.${field}: not in "${name}"`)
      }),
    )
    // An image's kinds in blocks and in elements differ in the block's own fields.
    const known = /^(?:ImageBlock\.(?:title|block_id): not in "image element")$/
    expect(missing.filter((one) => !known.test(one))).toEqual([])
  })
})
