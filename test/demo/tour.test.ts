import type { Delivery } from '@signalman/playground'
import { expect, it } from 'vitest'
import { createTour, STEPS } from '../../src/demo/tour.ts'

const createDelivery = (kind: string, body: Delivery['request']['body'], at: string): Delivery => ({
  id: 'Q1',
  direction: 'to-app',
  kind,
  at,
  durationMs: 1,
  user: 'U1',
  request: { method: 'POST', url: '', headers: {}, body },
  response: null,
  verdict: 'ok',
  notes: [],
  retry: null,
})

it('checks off what was done since the tour started, and links to the order', async () => {
  const tour = createTour()
  const countDone = async (user: string, ...deliveries: Delivery[]) => {
    const blocks = JSON.stringify(await tour.blocks(user, deliveries))
    return Number(/(\d+) of 13 done/.exec(blocks)?.[1])
  }
  const before = new Date(Date.now() - 60_000).toISOString()
  const after = new Date(Date.now() + 60_000).toISOString()
  tour.start('<https://here.example/archives/C1/p1|the order>')
  expect(JSON.stringify(await tour.blocks('U1', []))).toContain(
    'Approve <https://here.example/archives/C1/p1|the order>',
  )
  expect(await countDone('U1', createDelivery('view_submission', {}, before))).toBe(0)
  expect(await countDone('U1', createDelivery('view_submission', {}, after))).toBe(1)
  expect(await countDone('U1', createDelivery('command', { command: '/hc', text: '' }, after))).toBe(2)
  // Switching to another person keeps the completed steps.
  expect(await countDone('U2')).toBe(3)
  const inspector = STEPS.findIndex(({ text }) => text.startsWith('Open the Inspector'))
  expect(await tour.press?.(`step-${inspector}`)).toEqual({})
  expect(await countDone('U1')).toBe(4)
  expect(await tour.press?.('step-1')).toEqual({ draft: '/hc' })
})
