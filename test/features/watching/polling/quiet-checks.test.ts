import { describe, expect, it } from 'vitest'
import { readCardTexts } from '../model/card-texts.ts'
import { createModel } from '../model/model.ts'

/** With more than 200 health checks, a poll lists only those that are down. */
describe.each([0, 300])('a check that is up again, in a workspace with %i more', (extraChecks) => {
  async function readCardAfter(
    change: (model: Awaited<ReturnType<typeof createModel>>) => void,
    minutes: number,
  ): Promise<string> {
    await using model = await createModel({ extraChecks })
    await model.watch(0, 0, 1)
    await model.passMinutes(3)
    model.setStatus(0, 'UNHEALTHY')
    await model.passMinutes(3)
    model.setStatus(0, 'HEALTHY')
    await model.passMinutes(2)
    change(model)
    await model.passMinutes(minutes)
    return readCardTexts(model).join()
  }

  it('isn’t up anymore once it’s deleted', async () => {
    expect(await readCardAfter((model) => model.removeCheck(0), 3)).toContain('⚪ check-a1 was deleted')
  })

  it('is being installed as soon as the service says so', async () => {
    const text = await readCardAfter((model) => model.setStatus(0, 'INSTALLING'), 3)
    expect(text).toContain('🟡 check-a1 is being installed · since')
  })

  it('doesn’t count as up for ten minutes while its status is unknown', async () => {
    const text = await readCardAfter((model) => model.setStatus(0, 'WHATEVER'), 15)
    expect(text).toContain('Closes if it stays up for 10 minutes.')
  })
})
