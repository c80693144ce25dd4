import { expect, it } from 'vitest'
import { mapConcurrently } from '../../../../src/features/health-checks/bulk/map-concurrently.ts'
import { planChecks, readEach } from '../../../../src/features/health-checks/bulk/plan-checks.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import { createService } from './changes-run.ts'

const NAMES = Array.from({ length: 400 }, (_, index) => `web-${index}`)
const CHECKS = NAMES.map((name) => ({ uuid: name, name }))
const away = new ApiError('unavailable', 'Away.')
const odd = new ApiError('unreadable', 'Odd.')

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

it('doesn’t wait for what it began after a service had stopped answering', async () => {
  let begun = 0
  const checks = { get: hang }
  const isFull = Promise.withResolvers<void>()
  /** The first ones are given up by their own time limit, and all others only by whoever asked. */
  async function hang(_: string, signal?: AbortSignal): Promise<never> {
    begun += 1
    if (begun === 16) isFull.resolve()
    if (begun > 16) await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    await isFull.promise
    throw away
  }
  // Cast: these are all that a plan uses.
  const api = { healthChecks: checks, alerts: { list: hang } } as unknown as Parameters<typeof planChecks>[0]
  const planned = planChecks(api, CHECKS, () => ({ set: { frequency: 30 } }), { withAlerts: false })
  await expect(planned).rejects.toBe(away)
  expect(begun).toBeLessThan(32)
})

it.each<[string, (ApiError | undefined)[], 'all of them' | 'each of them']>([
  ['the only check', [away], 'all of them'],
  ['both checks', [away, away], 'all of them'],
  ['two of three', [away, undefined, away], 'each of them'],
  ['one beside an odd one', [odd, away], 'each of them'],
  ['odd ones alone, however many', Array(400).fill(odd), 'each of them'],
  ['one in ten of many', NAMES.map((name) => (name.endsWith('7') ? away : undefined)), 'each of them'],
])('knows whether it’s about all checks that some can’t be read: %s', async (_, errors, about) => {
  const read = readEach(errors, async (error) => {
    if (error) throw error
    return undefined
  })
  if (about === 'all of them') await expect(read).rejects.toBe(away)
  else expect(await read).toEqual(errors)
})

it('begins nothing more after an error, but stops and awaits what it began', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const third = Promise.withResolvers<void>()
  const mapping = mapConcurrently(
    [1, 2, 3, 4, 5, 6],
    async (item, signal) => {
      begun.push(item)
      if (item === 3) third.resolve()
      await third.promise
      if (item === 1) throw away
      await new Promise((resolve) => setImmediate(resolve))
      if (signal.aborted) ended.push(item)
    },
    3,
  )
  await expect(mapping).rejects.toBe(away)
  expect([begun, ended]).toEqual([
    [1, 2, 3],
    [2, 3],
  ])
})
