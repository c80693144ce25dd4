import { describe, expect, it } from 'vitest'
import { pollService } from '../../../src/features/watching/polling/poll-service.ts'
import { ApiError } from '../../../src/service/errors.ts'

type Get = () => string | ApiError

/** A service that lists these checks by status, and answers a look-up of any other one with `get`. */
function createService(lists: Readonly<Record<string, readonly string[] | ApiError>>, get: Get = () => GONE) {
  const requests: string[] = []
  const toCheck = (uuid: string, status: string) => ({ uuid, name: uuid, status })
  const healthChecks = {
    async *listAll({ status }: { status: string }) {
      const uuids = lists[status] ?? []
      if (uuids instanceof ApiError) throw uuids
      for (let start = 0; start === 0 || start < uuids.length; start += 500) {
        requests.push(status)
        const results = uuids.slice(start, start + 500).filter((uuid) => uuid !== UNREADABLE)
        const unreadable = uuids.includes(UNREADABLE) ? 1 : 0
        yield { total: uuids.length, results: results.map((uuid) => toCheck(uuid, status)), unreadable }
      }
    },
    async get(uuid: string) {
      requests.push(uuid)
      const answer = get()
      if (answer instanceof ApiError) throw answer
      return toCheck(uuid, answer)
    },
  }
  const poll = async (known: Readonly<Record<string, 'down' | 'up'>>) => {
    const incidents = new Map(
      Object.entries(known).map(([uuid, state]) => [uuid, { isDown: state === 'down', isInstalling: false }]),
    )
    const found = await pollService({ healthChecks } as never, incidents, new AbortController().signal)
    return Object.fromEntries(
      Object.entries(found).flatMap(([state, uuids]) =>
        uuids.size > 0 ? [[state, [...uuids.keys()].sort()]] : [],
      ),
    )
  }
  return { poll, requests }
}

const GONE = new ApiError('not-found', 'no such check')
const FAILING = new ApiError('unavailable', 'HTTP 500')
const UNREADABLE = 'unreadable'
const names = (count: number) => Array.from({ length: count }, (_, index) => `web-${index}`)

describe('a poll', () => {
  it('asks only for what is down while nothing that is known as down is missing', async () => {
    const { poll, requests } = createService({ UNHEALTHY: ['shop'] })
    expect(await poll({ shop: 'down', mail: 'up' })).toEqual({ bad: ['shop'], good: ['mail'] })
    expect(requests).toEqual(['UNHEALTHY'])
  })

  it('finds thousands that are up again in lists, and stops once nothing is missing', async () => {
    const all = names(3000)
    const { poll, requests } = createService({ HEALTHY: [...all, ...names(9000)] })
    expect((await poll(Object.fromEntries(all.map((name) => [name, 'down'])))).good).toHaveLength(3000)
    expect(requests).toHaveLength(1 + 6)
  })

  it('takes a check for deleted only if it is in no list and a look-up says so twice', async () => {
    const answers = [GONE, GONE, GONE, 'UNHEALTHY', FAILING]
    const { poll } = createService({ INSTALLING: ['new'] }, () => answers.shift() ?? FAILING)
    expect(await poll({ new: 'down', gone: 'down', moved: 'down', unread: 'down' })).toEqual({
      ...{ bad: ['moved'], deleted: ['gone'] },
      installing: ['new', 'unread'],
    })
  })

  it('keeps what it has read if the rest can’t be read, which is neither up nor down', async () => {
    const { poll } = createService(
      { UNHEALTHY: ['db'], HEALTHY: FAILING, INSTALLING: FAILING },
      () => FAILING,
    )
    expect(await poll({ shop: 'down', mail: 'up' })).toEqual({
      bad: ['db'],
      good: ['mail'],
      installing: ['shop'],
    })
  })

  it('leaves what is known as it is if a row of what is down can’t be read', async () => {
    const { poll } = createService({ UNHEALTHY: ['db', UNREADABLE], HEALTHY: ['mail'] }, () => FAILING)
    expect(await poll({ shop: 'down', mail: 'up' })).toEqual({ bad: ['db'], good: ['mail'] })
  })

  it('looks up a limited number of checks, whatever is missing', async () => {
    const { poll, requests } = createService({})
    await poll(Object.fromEntries(names(500).map((name) => [name, 'down'])))
    expect(requests).toHaveLength(3 + 2 * 20)
  })

  it('fails if what is down can’t be listed', async () => {
    await expect(createService({ UNHEALTHY: FAILING }).poll({})).rejects.toThrow('HTTP 500')
  })
})
