import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import {
  drawOrderStates,
  generateOrderStatesPage,
  PAGE,
  PICTURE,
} from '../../../../docs/order-states-page.ts'
import { orderTransitionRows } from '../../../../src/features/cert-orders/rules/order-states.ts'

function findReachable(from: string): Set<string> {
  const seen = new Set([from])
  for (const state of seen) for (const move of orderTransitionRows) if (move.from === state) seen.add(move.to)
  return seen
}

it('the table of order states allows `submitting` only after `awaiting`, so that an order is sent once', () => {
  expect(orderTransitionRows.filter(({ to }) => to === 'submitting').map(({ from }) => from)).toEqual([
    'awaiting',
  ])
  for (const { to } of orderTransitionRows.filter(({ from }) => from !== 'awaiting' && from !== 'submitting'))
    expect(findReachable(to).has('awaiting') || findReachable(to).has('submitting')).toBe(false)
})

it.each([
  { file: PAGE, generate: generateOrderStatesPage },
  { file: PICTURE, generate: drawOrderStates },
])('generates exactly the stored $file', async ({ file, generate }) => {
  const isCurrent = (await readFile(file, 'utf8')) === generate()
  expect(isCurrent, `${file} is out of date: run npm run generate`).toBe(true)
})
