import { describe, expect, it } from 'vitest'
import { closestWord, closestWords, rateTypo } from '../../src/domain/mistyped-word.ts'

describe('the word closest to a typo', () => {
  it.each([
    { typed: 'lsit', meant: 'list' },
    { typed: 'shwo', meant: 'show' },
    { typed: 'SHOW', meant: 'show' },
    { typed: 'delet', meant: 'delete' },
    { typed: 'frobnicate', meant: undefined },
    { typed: 'x'.repeat(100_000), meant: undefined },
  ])('is $meant for $typed', ({ typed, meant }) => {
    expect(closestWord(typed, ['list', 'show', 'create', 'delete'])).toBe(meant)
  })

  it('may be several, and first the one that lacks only a letter', () => {
    expect(closestWords('umute', ['mute', 'unmute', 'list'])).toEqual(['unmute', 'mute'])
  })
})

it.each([
  ['listt', 'list', 'sure'],
  ['lst', 'list', 'sure'],
  ['LSIT', 'list', 'sure'],
  ['maintenence', 'maintenance', 'sure'],
  ['watchs', 'watch', 'sure'],
  ['main', 'maint', 'likely'],
  ['lidt', 'list', 'likely'],
  ['mote', 'mute', 'likely'],
  ['shop', 'show', 'hardly'],
  ['batch', 'watch', 'hardly'],
] as const)('rates %s as %s: %s', (typed, word, rating) => {
  expect(rateTypo(typed, word)).toBe(rating)
})
