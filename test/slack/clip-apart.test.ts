import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clipApart, clipOptions } from '../../packages/slack/src/blocks/clip-apart.ts'
import { commandMenu } from '../../packages/slack/src/blocks/command-buttons.ts'

const MAX = 40

it('clips texts that begin alike so that they still differ, and others as usual', () => {
  const part = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(part, part, part, (start, left, right) => {
      const texts = [start + left, start + right] as const
      const clipped = [clipApart(texts[0], [texts[1]], MAX), clipApart(texts[1], [texts[0]], MAX)]
      for (const [index, text] of texts.entries()) {
        expect(clipped[index]?.length).toBeLessThanOrEqual(MAX)
        expect(clipped[index]?.isWellFormed()).toBe(true)
        if (text.length <= MAX) expect(clipped[index]).toBe(text)
      }
      if (texts[0] !== texts[1]) expect(clipped[0]).not.toBe(clipped[1])
    }),
  )
})

it('gives no two buttons the same label, however alike they are, and whatever number one has', () => {
  const text = fc.oneof(
    fc.constantFrom('same', 'same (2)', 'same (3)', 'x'.repeat(MAX), `${'x'.repeat(MAX)}y`),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 100 }), (texts) => {
      const labels = clipOptions(texts, MAX)
      expect(new Set(labels).size).toBe(texts.length)
      expect(Math.max(0, ...labels.map(({ length }) => length))).toBeLessThanOrEqual(MAX)
      expect(labels.every((label) => label.isWellFormed())).toBe(true)
    }),
  )
})

it('tells the options of a menu apart, however alike they are', () => {
  const [start, middle] = [
    'Resume the watch of team-payments-production-europe-west-1-',
    '-a-long-middle'.repeat(5),
  ]
  const labels = [`${start}x${middle}1`, `${start}x${middle}2`, `${start}y${middle}1`, 'same', 'same']
  const { options = [] } = commandMenu(
    'End…',
    labels.map((label, index) => ({ label, value: `${index}` })),
  )
  expect(new Set(options.map(({ text }) => text.text)).size).toBe(labels.length)
})

it('tells three apart of which two differ late', () => {
  const start = 'Production frontend Main, '
  const middle = ', behind the load balancer of the second availability zone, '
  const texts = [`${start}a${middle}old`, `${start}b${middle}old`, `${start}b${middle}new`]
  const clipped = texts.map((text) => clipApart(text, texts, MAX))
  expect(new Set(clipped).size).toBe(3)
})
