import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { BLOCK_KINDS, KINDS } from '../../src/rules/kinds.ts'
import { allElements, allInputs } from './payloads.ts'

/** Types of objects inside blocks and elements: parts of rich text, table cells, text objects, and the sources of a task. */
const RENDERED_PARTS = [
  'broadcast',
  'channel',
  'color',
  'date',
  'emoji',
  'link',
  'mrkdwn',
  'plain_text',
  'raw_number',
  'raw_text',
  'rich_text_list',
  'rich_text_preformatted',
  'rich_text_quote',
  'rich_text_section',
  'team',
  'text',
  'url',
  'user',
  'usergroup',
] as const

/** The types in `@slack/types` that the page doesn't render, each with the reason. */
const NOT_RENDERED: Readonly<Record<string, string>> = {
  blocks: 'a chunk of a stream: the message shows the resulting blocks',
  markdown_text: 'a chunk of a stream: the message shows the resulting text',
  plan_update: 'a chunk of a stream: the message shows the resulting plan',
  task_update: 'a chunk of a stream: the message shows the resulting task',
  select: 'a menu of a legacy interactive attachment, which the server refuses',
}

const FOLDER = dirname(createRequire(import.meta.url).resolve('@slack/types'))
const FILES = ['blocks', 'block-elements', 'composition-objects']
  .map((name) => `block-kit/${name}.d.ts`)
  .concat('message-attachments.d.ts', 'chunk.d.ts')

/** Every value that a `type` field can have in @slack/types. */
const libraryTypes = FILES.flatMap((file) =>
  [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/^ {4}type: ([^;]*'[^;]*);/gm)].flatMap(
    ([, literals = '']) => [...literals.matchAll(/'(\w+)'/g)].map(([, literal = '']) => literal),
  ),
)

function collectTypes(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(collectTypes)
  if (!isFields(value)) return []
  return [
    ...(typeof value.type === 'string' ? [value.type] : []),
    ...Object.values(value).flatMap(collectTypes),
  ]
}

/** The page must render all of these. TypeScript, the tests below, and rendered-blocks.test.ts check that. */
const BLOCKS = [...BLOCK_KINDS.keys(), 'file']
const ELEMENTS = [...KINDS.values()].flatMap(({ family, type }) =>
  family === 'element' && type && type !== 'url' ? [type] : [],
)

describe('the Block Kit types that the page renders', () => {
  const rendered = new Set<string>([...BLOCKS, ...ELEMENTS, ...RENDERED_PARTS])

  it('include every type in @slack/types except the documented omissions', () => {
    expect(libraryTypes.length).toBeGreaterThan(60)
    expect(
      [...new Set(libraryTypes)].filter((type) => !rendered.has(type) && NOT_RENDERED[type] === undefined),
    ).toEqual([])
  })

  it('don’t include the documented omissions, which all still exist in @slack/types', () => {
    expect(
      Object.keys(NOT_RENDERED).filter((type) => rendered.has(type) || !libraryTypes.includes(type)),
    ).toEqual([])
  })

  it('include only blocks that messages or modals can contain, so the browser tests can cover them', () => {
    const uncovered = [...BLOCK_KINDS.values()].filter(
      ({ surfaces = [] }) => !surfaces.includes('message') && !surfaces.includes('modal'),
    )
    expect(uncovered.map(({ type }) => type)).toEqual([])
  })

  it('include only elements that the browser tests use', () => {
    const usedTypes = new Set(collectTypes([...allElements, ...allInputs]))
    expect(ELEMENTS.filter((type) => !usedTypes.has(type))).toEqual([])
  })
})
