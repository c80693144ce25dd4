import { expect, it } from 'vitest'
import { homeHeldBlocks } from '../../../../src/features/watching/views/watches.ts'
import { outage } from '../models.ts'

it('shows what somebody is on in the environment in which it is down', () => {
  const web = outage('web')
  const text = JSON.stringify(homeHeldBlocks([{ environment: 'ote', outage: web }]))
  expect(text).toContain('web (OTE) is down since <!date^')
  // Home is bound to production: a button says itself where it looks.
  expect(text).toContain(`/hc show ${web.check.uuid} --env ote`)
})
