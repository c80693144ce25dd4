import { actions, commandButton } from '@signalman/slack'
import { expect, it } from 'vitest'
import { createDescribeEntity, parseEntityRef } from '../../../src/integrations/work-objects/entities.ts'

const readRef = (lines: readonly string[], disabledFeatures: readonly string[] = []) => {
  const blocks = actions(...lines.map((line) => commandButton('x', line)))
  return createDescribeEntity(new Set(disabledFeatures))({ blocks })?.external_ref.id
}

it.each<[string[], string | undefined, string[]?]>([
  [['/cert-order approve 2 hash', '/cert-order show 2'], 'order:production:2'],
  [['/cert-order show 2 --env ote'], 'order:ote:2'],
  [['/threat case a-1 --env production', '/threat details a-1'], 'threat:production:a-1'],
  // A message about two orders, or about no order at all, isn't a card of an order.
  [['/cert-order show 2', '/cert-order show 3'], undefined],
  [['/cert-order renew 2', '/threat queue', '/hc show x'], undefined],
  [['/cert-order show x'], undefined],
  [['/cert-order show 2'], undefined, ['cert-order']],
  [['/threat case a-1'], undefined, ['threat']],
  [[], undefined],
])('recognizes a card with the commands %j as %s', (lines, ref, disabledFeatures) => {
  expect(readRef(lines, disabledFeatures)).toBe(ref)
})

it('recognizes only the IDs of its own objects', () => {
  const allRights = { canSeePersonalData: true, canDecide: true }
  expect(parseEntityRef('order:ote:2')?.environment).toBe('ote')
  expect(parseEntityRef('order:ote:2')?.buildLines(allRights)).toEqual(['/cert-order show 2 --env ote'])
  expect(parseEntityRef('threat:production:x')?.buildLines(allRights)).toEqual([
    '/threat case x',
    '/threat x',
  ])
  for (const ref of ['order:ote:x', 'order:x:2', 'toString:ote:2', 'order:ote', 'order:ote:2:3', ''])
    expect(parseEntityRef(ref), ref).toBeUndefined()
})
