import { expect, it } from 'vitest'
import { planChecks } from '../../../../src/features/health-checks/bulk/plan-checks.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import { createService } from './changes-run.ts'

const NAMES = Array.from({ length: 400 }, (_, index) => `web-${index}`)
const CHECKS = NAMES.map((name) => ({ uuid: name, name }))
const away = new ApiError('unavailable', 'Away.')

/** Plans an edit of all, of a service that can't show these. Returns the plan or its error, and how many reads it took. */
async function plan(isUnread: (uuid: string) => boolean) {
  let reads = 0
  const { api } = createService(NAMES, {
    answer(_, uuid) {
      reads += 1
      if (isUnread(uuid)) throw away
      return undefined
    },
  })
  // Cast: these are all that a plan uses.
  const planned = planChecks(api as unknown as Parameters<typeof planChecks>[0], CHECKS, () => ({
    set: { frequency: 30 },
  }))
  return { result: await planned.catch((error: unknown) => error), reads: () => reads }
}

it('plans nothing more once as many checks in a row can’t be read as are read at once', async () => {
  const { result, reads } = await plan(() => true)
  expect(result).toBe(away)
  expect(reads()).toBeLessThanOrEqual(32)
})

it('leaves out the checks that can’t be read if others can', async () => {
  const { result } = await plan((uuid) => uuid.endsWith('7'))
  expect(result).toMatchObject({ rows: { length: 360 }, leftOut: { length: 40 } })
})
