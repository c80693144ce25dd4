import { expect, it } from 'vitest'
import type { Failed, Order } from '../../../src/features/cert-orders/rules/order.ts'
import { describeCorrection } from '../../../src/features/cert-orders/views/words.ts'

const corrects = { by: 'UBO', said: 'failed' as const }

it.each<{ outcome: Failed; since: string }>([
  {
    outcome: { kind: 'failed', why: 'Too late.', said: [], isUnsent: true, corrects },
    since: 'Signalman has since found that it wasn’t sent.',
  },
  {
    outcome: { kind: 'failed', why: 'Refused.', said: [], corrects },
    since: 'The service has since confirmed it.',
  },
])('says who corrected a recorded outcome: $since', ({ outcome, since }) => {
  // Cast, because only the outcome is read.
  const order = { state: 'failed', content: { outcome } } as Order
  expect(describeCorrection(order, new Map())).toEqual([`✏️ UBO had recorded that it failed. ${since}`])
})
