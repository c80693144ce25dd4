import { expect, it } from 'vitest'
import { parseJson } from '../src/parse-json.ts'

it.each([
  '{"a":[1,{"b":null}]}',
  `[${'"[[[{{{",'.repeat(500)}0]`,
  `[${'"\\"[",'.repeat(500)}0]`,
  `[${'[],{},'.repeat(500)}0]`,
])('parses what JSON.parse parses: %.30s', (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

it.each([
  `${'['.repeat(150_001)}${']'.repeat(150_001)}`,
  `{"a":${'[{"a":'.repeat(150_000)}`,
  `${'["x",'.repeat(160_000)}`,
  '[',
  '"',
  '"\\',
  '',
])('rejects what is nested too deeply, or isn’t JSON: %.30s', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError)
})

it('parses what is nested 150,000 deep', () => {
  expect(Array.isArray(parseJson(`${'['.repeat(150_000)}${']'.repeat(150_000)}`))).toBe(true)
})
