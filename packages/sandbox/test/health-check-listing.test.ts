import { beforeAll, describe, expect, it } from 'vitest'
import { CHECKS, createCheck, errorMessages, useSandbox } from './client.ts'

interface Page {
  data: { total: number; limit: number; offset: number; results: { name: string; uuid: string }[] }
}

const { call } = useSandbox()
const list = async (query: string): Promise<Page['data']> => {
  const answer = await call('GET', `${CHECKS}?${query}`)
  if (answer.status !== 200) throw new Error(answer.text)
  // The response to a listing, which the tests below compare.
  return answer.json<Page>().data
}
const listNames = async (query: string): Promise<string[]> =>
  (await list(query)).results.map(({ name }) => name)

const EXAMPLES = [
  { name: 'alpha [1]', customer_id: 1000, protocol: 'TCP', target: '192.0.2.1' },
  { name: 'Beta', customer_id: 1100, protocol: 'HTTP', target: 'beta.example.com' },
  { name: 'alphabet?', customer_id: 1110, protocol: 'HTTPS', target: 'https://alpha.example.com/x' },
  { name: 'Ärger', customer_id: 2000, protocol: 'HTTP', target: 'ALPHA.example.com' },
]

beforeAll(async () => {
  for (const check of EXAMPLES) await createCheck(call, check)
  const { results } = await list('name=Beta')
  await call('PUT', `/_sandbox/health-checks/${results[0]?.uuid}/status`, { status: 'UNHEALTHY' })
})

describe('the list of health checks', () => {
  it.each([
    ['', ['alpha [1]', 'alphabet?', 'Beta', 'Ärger']],
    ['name=alpha', []],
    ['name=ALPHABET?', ['alphabet?']],
    ['name=alpha*', ['alpha [1]', 'alphabet?']],
    ['name=*bet*', ['alphabet?', 'Beta']],
    ['name=alpha%20[*', ['alpha [1]']],
    ['status=UNHEALTHY', ['Beta']],
    ['status=INSTALLING&protocol=HTTP', ['Ärger']],
    ['target=alpha.EXAMPLE.com', ['Ärger']],
    ['target=*alpha.example.com*', ['alphabet?', 'Ärger']],
    ['customer_id=1000', ['alpha [1]', 'alphabet?', 'Beta']],
    ['customer_id=1100', ['alphabet?', 'Beta']],
    ['customer_id=1100&include_subsidiaries=false', ['Beta']],
    ['include_subsidiaries=false', ['alpha [1]']],
    ['offset=1&limit=2', ['alphabet?', 'Beta']],
  ])('returns the matching checks for ?%s: %j', async (query, expected) => {
    expect(await listNames(query)).toEqual(expected)
  })

  it('returns total, limit, and offset', async () => {
    expect(await list('limit=2&offset=1&name=*a*')).toMatchObject({ total: 3, limit: 2, offset: 1 })
    expect(await list('')).toMatchObject({ total: 4, limit: 100, offset: 0 })
    expect(await list('limit=501')).toMatchObject({ limit: 500 })
  })

  it('returns numeric fields as numbers and times as in JSON, and includes the optional fields', async () => {
    const { results } = await list('name=alphabet*')
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
    expect(results[0]).toMatchObject({
      ...{ customer_id: 1110, port: 5432, frequency: 60, verify_ssl: true },
      ...{ created_at: time, modified_at: time },
    })
  })

  it('can be sorted by UUID', async () => {
    const uuids = (await list('sort=uuid')).results.map(({ uuid }) => uuid)
    expect(uuids).toEqual(uuids.toSorted())
  })

  it('rejects each invalid parameter', async () => {
    const query = 'limit=0&offset=-1&sort=status&name=&status=healthy&protocol=UDP&target=&customer_id=x'
    const answer = await call('GET', `${CHECKS}?${query}&include_subsidiaries=yes&page=2`)
    expect(answer.status).toBe(400)
    expect(errorMessages(answer)).toEqual([
      'limit must be a whole number, 1 or more.',
      'offset must be a whole number, 0 or more.',
      'sort must be one of name, uuid.',
      'name must be a string of 1 to 2048 characters.',
      'status must be one of INSTALLING, HEALTHY, UNHEALTHY.',
      'protocol must be one of TCP, HTTP, HTTPS.',
      'target must be a string of 1 to 2048 characters.',
      'customer_id must be a whole number, 1 or more.',
      'include_subsidiaries must be one of true, false.',
      'page is not a known field; leave it out.',
    ])
    expect(errorMessages(await call('GET', `${CHECKS}?limit=1&limit=2`))).toHaveLength(1)
  })
})
