import { expect, it } from 'vitest'
import { createService } from '../../../src/api/service.ts'
import { subjectKey } from '../../../src/domain/watching/observe.ts'
import { lookAt } from '../../../src/watching/polling/look.ts'
import { reply, startVendor } from '../../api/vendor.ts'

const ROOT = '/healthcheck/v1/healthchecks'
const UNLISTED = Array.from({ length: 120 }, (_, index) => `unlisted-${index}`)
const KNOWN = UNLISTED.map((uuid) => subjectKey(uuid, 'UNHEALTHY'))

it('asks for each of many that are listed no more, some in each poll', async () => {
  await using vendor = await startVendor((response, { url }) => {
    const uuid = UNLISTED.find((one) => url === `${ROOT}/${one}`)
    // Neither up nor down for those that watch UNHEALTHY, so it stays known.
    if (uuid) return reply(response, { data: { uuid, name: uuid, status: 'INSTALLING' } })
    reply(response, { data: { total: 0, results: [] } })
  })
  await using service = createService({ baseUrls: { production: vendor.url, ote: vendor.url } })
  const api = service.with({ environment: 'production', token: 'a-token-of-some-length' })
  const { signal } = new AbortController()
  const asked = new Set<string>()
  for (const poll of [7, 8, 9]) {
    const question = { poll, statuses: ['UNHEALTHY'] as const, known: KNOWN, watches: [], signal }
    await lookAt(api, { ...question, wantsFull: () => true })
    const uuids = vendor.seen.splice(0).map(({ url }) => url.slice(`${ROOT}/`.length))
    const single = uuids.filter((uuid) => UNLISTED.includes(uuid))
    expect(single).toHaveLength(50)
    for (const uuid of single) asked.add(uuid)
  }
  expect(asked.size).toBe(UNLISTED.length)
})
