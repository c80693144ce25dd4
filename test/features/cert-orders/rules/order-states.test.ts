import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import {
  drawOrderStates,
  generateOrderStatesPage,
  PAGE,
  PICTURE,
} from '../../../../docs/order-states-page.ts'
import {
  formatStatePredicate,
  ORDER_STATES,
  orderTransitionRows,
  STATE_TEXTS,
} from '../../../../src/features/cert-orders/rules/order-states.ts'

/** The states that can be reached from this one, including itself. */
function findReachable(from: string): Set<string> {
  const seen = new Set([from])
  for (const state of seen) for (const move of orderTransitionRows) if (move.from === state) seen.add(move.to)
  return seen
}

describe('the table of order states', () => {
  it('gives each state one name, which sentences repeat', () => {
    for (const state of ORDER_STATES) {
      const { name } = STATE_TEXTS[state]
      const predicate = formatStatePredicate(state)
      // “Outcome unknown” doesn't fit into a sentence as it is.
      if (state === 'unknown') expect(predicate).toBe('has an unknown outcome')
      else expect(predicate).toContain(name.toLowerCase())
    }
  })

  it('makes every state reachable from the initial one', () => {
    expect([...findReachable('awaiting')].toSorted()).toEqual([...ORDER_STATES].toSorted())
  })

  it('allows `submitting` only after `awaiting`, so that an order is sent once', () => {
    expect(orderTransitionRows.filter(({ to }) => to === 'submitting').map(({ from }) => from)).toEqual([
      'awaiting',
    ])
    for (const { to } of orderTransitionRows.filter(
      ({ from }) => from !== 'awaiting' && from !== 'submitting',
    ))
      expect(findReachable(to).has('awaiting') || findReachable(to).has('submitting')).toBe(false)
  })
})

it.each([
  { file: PAGE, generate: generateOrderStatesPage },
  { file: PICTURE, generate: drawOrderStates },
])('generates exactly the stored $file', async ({ file, generate }) => {
  const isCurrent = (await readFile(file, 'utf8')) === generate()
  expect(isCurrent, `${file} is out of date: run npm run generate`).toBe(true)
})
