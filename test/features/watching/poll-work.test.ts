import { startEngine } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createPollWork, type PollDeps } from '../../../src/features/watching/polling/poll-work.ts'
import { WATCH_WORK } from '../../../src/features/watching/rows/work.ts'
import { createLog } from '../../../src/log.ts'
import { ApiError } from '../../../src/service/errors.ts'
import { listings } from '../../../src/service/health-checks.ts'
import { startSqliteFile } from '../../databases/databases.ts'
import { changeWatching } from '../../decide.ts'
import { ALL_CHECKS } from './all-checks.ts'

const HOUR_MS = 3_600_000
const lease = { owner: 'one', signal: new AbortController().signal }
const log = createLog('silent')
const checkPerson = async (): Promise<void> => undefined

/** Runs the poll of one environment, with these parts. */
const runPoll = ({ polls, ...deps }: Partial<PollDeps> & { polls: object }) =>
  createPollWork({
    ...{ intervalMs: HOUR_MS, checkPerson, log, wake: () => undefined },
    ...{ getApi: () => Promise.reject(new Error('unreachable')), ...deps },
    watching: { polls } as never,
  }).run({ work: { id: 'P1', workspaceId: 'T1', key: 'production' }, ...lease } as never)

it('repeats a failed poll soon enough that people hear of it in time, however long the interval is', async () => {
  const saved: unknown[] = []
  const scope = { workspaceId: 'T1', environment: 'production' }
  const find = async () => ({ scope, state: {}, known: new Map() })
  const save = async (_: unknown, __: unknown, outcome: unknown) => saved.push(outcome) === 0
  const repeated = { state: 'waiting', dueInMs: 75_000, isSuccess: true }
  expect(await runPoll({ polls: { find, save } })).toEqual(repeated)
  expect(saved).toEqual(['unreachable'])
  const fails = () => Promise.reject(new Error('The database is away.'))
  expect(await runPoll({ polls: { find: fails, save } })).toEqual(repeated)
  expect(await runPoll({ polls: { find, save: fails } })).toEqual(repeated)
})

it('looks now and then whether those who are on something are still there, also if Slack fails for one, or is silent', async () => {
  const onIt = (by: string) => ({ isDown: true, isInstalling: false, onIt: { by } })
  const known = new Map(Object.entries({ a: onIt('U1'), b: onIt('U2'), c: onIt('U1') }))
  const asked: string[] = []
  const pollAs = async (polls: number) =>
    runPoll({
      polls: {
        find: async () => ({ scope: { environment: 'production' }, state: { polls }, known }),
        save: async () => false,
      },
      getApi: async () =>
        ({
          healthChecks: {
            ...listings({ get: async () => ({ total: 0, results: [], unreadable: 0 }) } as never),
            get: async () => Promise.reject(new ApiError('not-found', 'no such check')),
          },
        }) as never,
      checkPerson: async (_, userId) => {
        asked.push(userId)
        if (userId === 'U1') throw new Error('Slack is unavailable.')
        // The next poll doesn't wait for Slack.
        if (asked.length === 10) await new Promise(() => undefined)
      },
    })
  for (let polls = 0; polls < 100; polls += 1) expect((await pollAs(polls)).state).toBe('waiting')
  expect(asked.toSorted()).toEqual([...Array(5).fill('U1'), ...Array(5).fill('U2')])
})

it('ends once nothing is watched anymore', async () => {
  expect(await runPoll({ polls: { find: async () => undefined } })).toEqual({ state: 'done' })
})

it('takes the same token at another address for another account, whose checks nobody has deleted', async () => {
  const known = new Map([['u1', { isDown: true, isInstalling: false }]])
  const saved: { outcome: unknown; account: string | undefined }[] = []
  const pollAt = async (address: string, account?: string) => {
    const polls = {
      find: async () => ({ scope: { environment: 'production' }, state: { account }, known }),
      listFormer: async () => ['u1'],
      save: async (_: unknown, __: unknown, outcome: unknown, polled: { account?: string }) =>
        saved.unshift({ outcome, account: polled.account }) === 0,
    }
    const healthChecks = {
      // Its http answers every request with a page.
      ...listings({ get: async () => ({ total: 0, results: [], unreadable: 0 }) } as never),
      get: async () => Promise.reject(new ApiError('not-found', 'no such check')),
    }
    await runPoll({ polls, getApi: async () => ({ address, account: 'a', healthChecks }) as never })
    return saved[0]
  }
  const first = await pollAt('https://one.example.com')
  const again = await pollAt('https://one.example.com', first?.account)
  expect(again?.outcome).not.toHaveProperty('isAnotherAccount')
  const moved = await pollAt('https://two.example.com', first?.account)
  expect(moved?.outcome).toMatchObject({ isAnotherAccount: true })
})

it('polls other workspaces while one hangs, and says how late it is', async () => {
  await using database = await startSqliteFile()
  await using store = await openStore(database)
  for (const workspaceId of ['T1', 'T2'])
    await changeWatching(store, 'T1', ({ watches }) =>
      watches.add({
        ...{ id: newId(), workspaceId, environment: 'production', channelId: 'C1', filter: ALL_CHECKS },
        ...{ afterBadPolls: 1, ownerId: 'U1' },
      }),
    )
  let polls = 0
  const hanging = Promise.withResolvers<never>()
  const getApi = async (workspaceId: string) => {
    if (workspaceId === 'T1') return hanging.promise
    polls += 1
    throw new Error('unreachable')
  }
  const { watching } = store
  const kind = createPollWork({ watching, getApi, checkPerson, intervalMs: 20, log, wake: () => undefined })
  await using engine = startEngine({ store: store.work, kinds: [kind], log, times: { pollMs: 20 } })
  await expect.poll(() => polls).toBeGreaterThan(5)
  await expect.poll(async () => (await watching.readStats()).polls.lagSeconds).toBeGreaterThan(0.2)
  expect((await store.work.listLeases()).map(({ kind: name }) => name)).toContain(WATCH_WORK.poll)
  hanging.reject(new Error('stopped'))
  expect(engine.owner).toBeTruthy()
})
