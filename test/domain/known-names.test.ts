import { describe, expect, it } from 'vitest'
import { findSimilarChecks, hasPart, toKnown, toLetters } from '../../src/domain/known-names.ts'

const NAMES = ['Bank open API', 'Bank login', 'shop-front', 'Café backend', 'mail', 'web-01', 'web-02']
const CHECKS = NAMES.map((name) => ({ uuid: name, name }))
const findSimilar = async (typed: string) => (await findSimilarChecks(CHECKS, typed)).map(({ name }) => name)

describe('a mistyped check name', () => {
  it.each([
    ['Bank openn API', 'Bank open API'],
    ['bank opne api', 'Bank open API'],
    ['Bank  open-API', 'Bank open API'],
    ['open api', 'Bank open API'],
    ['shopfront', 'shop-front'],
    ['cafe backend', 'Café backend'],
    ['mial', 'mail'],
    ['wbe-01', 'web-01'],
    ['bakcend', 'Café backend'],
  ])('gets a suggestion: %s probably means %s', async (typed, meant) => {
    expect((await findSimilar(typed))[0]).toBe(meant)
  })

  it.each(['nothing like it', 'xy', 'opem', 'bakcend of it', '*', '', 'z'.repeat(5000)])(
    'gets no suggestion if nothing is similar: %s',
    async (typed) => {
      expect(await findSimilar(typed)).toEqual([])
    },
  )
})

it('takes only a text with a dot for a host', async () => {
  const checks = [
    { uuid: '1', name: 'Shop', target: 'shop.com' },
    { uuid: '2', name: 'Comm', target: '192.0.2.1' },
  ]
  const find = async (typed: string) => (await findSimilarChecks(checks, typed)).map(({ name }) => name)
  expect(await find('com')).toEqual(['Comm'])
  expect(await find('shop.com')).toEqual(['Shop'])
})

it.each([
  ['web-1', 'web-1 api', true],
  ['web-1', 'web-10', false],
  ['web-1', 'web-10 and web-1', true],
  ['web', 'web-10', true],
  ['ack', 'Payments callback', false],
  ['ack', 'Pager ack', true],
  ['Café', 'old cafe', true],
  ['10', 'web-110', false],
  ['', 'web', false],
])('is part of a name from the beginning of a word or number: %s of %s', (part, name, expected) => {
  expect(hasPart(toKnown({ uuid: 'u', name }), toLetters(part))).toBe(expected)
})

it('suggests nothing, rather than failing, among more names than a call may have arguments', async () => {
  const checks = Array.from({ length: 150_000 }, (_, index) => ({ uuid: `${index}`, name: `a${index}` }))
  expect(await findSimilarChecks(checks, 'nothing of it')).toEqual([])
})
