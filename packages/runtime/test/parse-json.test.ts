import { expect, it } from 'vitest'
import { parseJson } from '../src/parse-json.ts'

it.each([
  '{"a":[1,{"b":null}]}',
  `[${'"[[[{{{",'.repeat(500)}0]`,
  `[${'"\\"[",'.repeat(500)}0]`,
  `[${'[],{},'.repeat(500)}0]`,
  `${'['.repeat(200)}${']'.repeat(200)}`,
])('parses what JSON.parse parses: %.30s', (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

it.each([
  `${'['.repeat(201)}${']'.repeat(201)}`,
  `{"a":${'[{"a":'.repeat(150)}`,
  `${'["x",'.repeat(300)}`,
  '[',
  '"',
  '"\\',
  '',
])('rejects what is nested too deeply, or isn’t JSON: %.30s', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError)
})
