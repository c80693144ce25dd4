import { describe, expect, it } from 'vitest'
import { findSimilarlyNamed } from '../../src/domain/mistyped-check-name.ts'

const NAMES = ['Bank open API', 'Bank login', 'shop-front', 'Café backend', 'mail', 'web-01', 'web-02']
const findSimilar = (typed: string) => findSimilarlyNamed(typed, NAMES, (name) => name, 5)

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
  ])('gets a suggestion: %s probably means %s', (typed, meant) => {
    expect(findSimilar(typed)[0]).toBe(meant)
  })

  it.each(['nothing like it', 'xy', 'opem', 'bakcend of it', '*', '', 'z'.repeat(5000)])(
    'gets no suggestion if nothing is similar: %s',
    (typed) => {
      expect(findSimilar(typed)).toEqual([])
    },
  )
})
