import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { collectAnswers } from './answers.ts'
import { collectInteractions } from './interactions.ts'

/**
 * The shape of a recorded response, event, or interaction of Slack: its field names and value types. Fields that occur in only some
 * recordings are included. The name `*` matches any ID. "list" and "object" stand for any content, "string or number" for one of two.
 */
type Shape = string | readonly Shape[] | { readonly [name: string]: Shape }
type Section = 'methods' | 'events' | 'interactions'
type Table = Record<Section, Record<string, Shape>>

const readJson = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

/**
 * Recordings of slackapi/java-slack-sdk (`json-logs/samples` and its tests) and slackapi/bolt-python's tests; August 2026. A shape
 * that starts with `=` is the one at that path.
 */
const RECORDED: Table = readJson('recorded.json')

const resolve = (shape: Shape): Shape =>
  typeof shape === 'string' && shape.startsWith('=')
    ? resolve(
        shape
          .slice(1)
          .split('/')
          // Safe cast: the path names lists by `0`, and objects by a name.
          .reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], RECORDED) as Shape,
      )
    : shape

function jsonType(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return isFields(value) ? 'object' : typeof value
}

function shapeType(shape: Shape): string {
  if (typeof shape === 'string') return shape
  return Array.isArray(shape) ? 'list' : 'object'
}

/** Compares a value with a recorded shape. Returns `path: type, recorded type` for a different type, and `path +` for an extra field. */
function findDifferences(value: Json, found: Shape, path: string): string[] {
  const shape = resolve(found)
  const recorded = shapeType(shape)
  const actual = jsonType(value)
  if (!recorded.split(' or ').includes(actual) && actual !== 'null' && recorded !== 'null')
    return [`${path}: ${actual}, recorded ${recorded}`]
  if (typeof shape === 'string' || value === null) return []
  if (Array.isArray(value)) {
    const [item] = Array.isArray(shape) ? shape : []
    return item === undefined ? [] : value.flatMap((element) => findDifferences(element, item, `${path}[]`))
  }
  if (!isFields(value) || Array.isArray(shape)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = getField(shape, name)
    return field === undefined ? [`${path}.${name} +`] : findDifferences(inner, field, `${path}.${name}`)
  })
}

function getField(shape: Shape, name: string): Shape | undefined {
  const fields = Object.entries(shape)
  return fields.find(([key]) => key === name)?.[1] ?? fields.find(([key]) => key === '*')?.[1]
}

type Answers = Record<Section, Record<string, Fields[]>>

let collected: Answers
beforeAll(async () => {
  collected = { ...(await collectAnswers()), interactions: await collectInteractions() }
})

function compare(table: Table): string[] {
  const differences = (['methods', 'events', 'interactions'] as const).flatMap((section) =>
    Object.entries(table[section]).flatMap(([name, shape]) => {
      const values = collected[section][name] ?? []
      if (values.length === 0) return [`${name} isn't sent`]
      return values.flatMap((value) => findDifferences(value, shape, name))
    }),
  )
  return [...new Set(differences)]
}

/** Compares with the known differences, which are grouped by the reason why they don't matter to apps. */
function expectKnown(currentDifferences: readonly string[], fileName: string): void {
  const knownDifferences = Object.values<string[]>(readJson(fileName)).flat()
  // New differences fail the test, and so do listed ones that no longer exist.
  expect(currentDifferences.filter((difference) => !knownDifferences.includes(difference))).toEqual([])
  expect(knownDifferences.filter((difference) => !currentDifferences.includes(difference))).toEqual([])
}

it('sends only fields that Slack’s recorded responses, events, and interactions have, with their types, except for the listed ones', () => {
  expectKnown(compare(RECORDED), 'differences.json')
})
