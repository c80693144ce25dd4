import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { collectAnswers } from './answers.ts'
import { collectInteractions } from './interactions.ts'

/**
 * The shape of a recorded response, event, or interaction of Slack: its field names and value types. Fields that occur in only some
 * recordings are included. The name `*` matches any ID. "list" and "object" stand for any content. (Recordings: slackapi/java-slack-sdk,
 * `json-logs/samples` and its tests; slackapi/bolt-python's tests; August 2026.)
 */
type Shape = string | readonly Shape[] | { readonly [name: string]: Shape }
type Section = 'methods' | 'events' | 'interactions'
const RECORDED: Record<Section, Record<string, Shape>> = JSON.parse(
  readFileSync(new URL('recorded.json', import.meta.url), 'utf8'),
)

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
function findDifferences(value: Json, shape: Shape, path: string): string[] {
  const recorded = shapeType(shape)
  const actual = jsonType(value)
  if (actual !== recorded && actual !== 'null' && recorded !== 'null')
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

/** Returns `path -` for each recorded field that is missing in every value. Doesn't list the fields inside a missing field. */
function findMissingFields(values: readonly Json[], shape: Shape, path: string): string[] {
  if (typeof shape === 'string') return []
  if (Array.isArray(shape)) {
    const items = values.flatMap((value) => (Array.isArray(value) ? value : []))
    const [item] = shape
    return item === undefined || items.length === 0 ? [] : findMissingFields(items, item, `${path}[]`)
  }
  const objects = values.filter(isFields)
  if (objects.length === 0) return []
  return Object.entries(shape).flatMap(([name, field]) => {
    const fieldValues = objects.flatMap((object): Json[] =>
      name === '*' ? Object.values(object) : name in object ? [object[name] ?? null] : [],
    )
    return fieldValues.length === 0
      ? [`${path}.${name} -`]
      : findMissingFields(fieldValues, field, `${path}.${name}`)
  })
}

function compareSection(section: Section, answers: Record<string, Fields[]>): string[] {
  return Object.entries(RECORDED[section]).flatMap(([name, shape]) => {
    const values = answers[name] ?? []
    if (values.length === 0) return [`${name} isn't sent`]
    return [
      ...values.flatMap((value) => findDifferences(value, shape, name)),
      ...findMissingFields(values, shape, name),
    ]
  })
}

/** Known differences, grouped by the reason why they don't matter to apps. */
const KNOWN_DIFFERENCES: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('differences.json', import.meta.url), 'utf8'),
)

it('matches Slack’s recorded responses, events, and interactions, except for the listed differences', async () => {
  const { methods, events } = await collectAnswers()
  const interactions = await collectInteractions()
  const currentDifferences = [
    ...new Set([
      ...compareSection('methods', methods),
      ...compareSection('events', events),
      ...compareSection('interactions', interactions),
    ]),
  ]
  expect(Object.keys(RECORDED.methods).length).toBe(72)
  expect(Object.keys(RECORDED.events).length + Object.keys(RECORDED.interactions).length).toBe(68)
  const knownDifferences = Object.values(KNOWN_DIFFERENCES).flat()
  // New differences fail the test, and so do listed ones that no longer exist.
  expect(currentDifferences.filter((difference) => !knownDifferences.includes(difference))).toEqual([])
  expect(knownDifferences.filter((difference) => !currentDifferences.includes(difference))).toEqual([])
})
