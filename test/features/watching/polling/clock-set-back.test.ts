import { MINUTE_MS } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { createModel } from '../model/model.ts'

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

it.each([3, 30])(
  'of an outage during which the clock was set back by %i minutes, keeps each fall before its rise',
  async (minutes) => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinutes(60)
    const startedAt = model.now()
    model.setStatus(0, 'UNHEALTHY')
    await model.passMinute()
    await model.jumpClock(-minutes)
    await model.passMinute()
    model.setStatus(0, 'HEALTHY')
    await model.passMinute()
    model.setStatus(0, 'UNHEALTHY')
    await model.passMinute()
    model.setStatus(0, 'HEALTHY')
    await model.passMinutes(90)
    const [outage] = await model.store.watching.history.listOutages({
      ...SCOPE,
      ...{ from: new Date(0), to: model.now(), limit: 9 },
    })
    expect(outage?.downs).toHaveLength(2)
    for (const { from, to } of outage?.downs ?? []) {
      // At most as long as it really was down.
      expect(to?.getTime()).toBeGreaterThanOrEqual(from.getTime())
      expect(to?.getTime()).toBeLessThanOrEqual(startedAt.getTime() + 5 * MINUTE_MS)
    }
    expect(outage?.endedAt).toEqual(outage?.downs.at(-1)?.to)
  },
)
