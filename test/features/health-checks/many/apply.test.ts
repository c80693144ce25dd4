import { expect, it } from 'vitest'
import type { CommandContext } from '../../../../src/bot/routes/command-context.ts'
import { apply, type ManyDeps } from '../../../../src/features/health-checks/many/preview.ts'

/** A preview whose job can be started once, and requests that press its button. */
function createPreview() {
  const job = { state: 'prepared' }
  const starts: string[] = []
  const deps = {
    steps: { countByState: async () => ({ ready: 2 }), list: async () => [] },
    queue: {
      find: async () => ({
        state: job.state,
        body: { details: { title: 'Edit', verb: '/hc edit', account: 'A' } },
      }),
      start: async () => {
        starts.push(job.state)
        job.state = 'waiting'
      },
    },
  } as unknown as ManyDeps
  /** A request. What it remembers and begins outlives the process. */
  function createRequest() {
    const remembered = new Map<string, unknown>()
    const begun: string[] = []
    const press = async ({ dies = false } = {}) =>
      apply(
        deps,
        {
          api: async () => ({ account: 'A' }),
          async once(name: string, find: () => Promise<unknown>) {
            if (!remembered.has(name)) remembered.set(name, await find())
            return remembered.get(name)
          },
          async change(_: unknown, work: () => Promise<unknown>) {
            begun.push('begun')
            await work()
            if (dies) throw new Error('The process dies.')
            begun.push('done')
          },
        } as unknown as CommandContext,
        'J1',
      )
    return { press, begun }
  }
  return { createRequest, starts }
}

it('ends the start that it began, although a process died after the job had started', async () => {
  const { createRequest } = createPreview()
  const request = createRequest()
  await expect(request.press({ dies: true })).rejects.toThrow('dies')
  await request.press()
  expect(request.begun.at(-1)).toBe('done')
})

it('changes nothing at a second press', async () => {
  const { createRequest, starts } = createPreview()
  await createRequest().press()
  const second = createRequest()
  await second.press()
  expect(second.begun).toEqual([])
  expect(starts).toEqual(['prepared'])
})
