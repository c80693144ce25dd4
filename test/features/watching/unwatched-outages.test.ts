import { expect, it } from 'vitest'
import { createModel } from './model/model.ts'

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

/** The outage of a check whose last watch ends three minutes after it got this status. */
async function readOutage(status: string) {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinutes(3)
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(3)
  model.setStatus(0, status)
  await model.passMinutes(3)
  await model.unwatch(0)
  const [outage] = await model.store.watching.history.listOutages({
    ...SCOPE,
    ...{ from: new Date(0), to: model.now(), limit: 9 },
  })
  return outage
}

it.each([
  ['HEALTHY', 'recovered'],
  ['INSTALLING', 'installing'],
  ['UNHEALTHY', 'unseen'],
])('an outage whose last watch ends while the check is %s has ended as %s', async (status, ending) => {
  expect((await readOutage(status))?.ending).toBe(ending)
})
