import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'
import { CHECKS, type Client, checkBody, createCheck, createClient, errorMessages } from './client.ts'

interface Row {
  uuid: string
  name: string
  status: string
  http_server_address?: string
  verify_ssl?: boolean
}

let sandbox: Sandbox
let call: Client

beforeAll(async () => {
  sandbox = await startSandbox({ seed: false, checking: false })
  call = createClient(sandbox.productionUrl)
})
beforeEach(async () => {
  await call('DELETE', '/_sandbox/variants')
  for (const { uuid } of await list()) await call('DELETE', `${CHECKS}/${uuid}`)
})
afterAll(() => sandbox[Symbol.asyncDispose]())

async function list(query = ''): Promise<Row[]> {
  const answer = await call('GET', `${CHECKS}?${query}`)
  if (answer.status !== 200) throw new Error(answer.text)
  // The response to a listing, which the tests below compare.
  const { total, results } = answer.json<{ data: { total: number; results: Row[] } }>().data
  expect(total).toBe(results.length)
  return results
}
const listNames = async (query = ''): Promise<string[]> => (await list(query)).map(({ name }) => name)
const setVariants = async (variants: object): Promise<void> =>
  expect((await call('PUT', '/_sandbox/variants', variants, { token: null })).status).toBe(200)

describe('a listing', () => {
  const STORED = '192.0.2.77'
  const RESOLVED = '192.0.2.10'

  it.each([
    [
      'stored addresses and verify_ssl by default',
      {},
      [STORED, undefined, undefined],
      [true, undefined, true],
    ],
    ['neither addresses nor verify_ssl', { listed_addresses: 'none', listed_verify_ssl: false }, [], []],
    ['only verify_ssl', { listed_addresses: 'none' }, [], [true, undefined, true]],
    ['only stored addresses', { listed_verify_ssl: false }, [STORED, undefined, undefined], []],
    [
      'resolved addresses and verify_ssl',
      { listed_addresses: 'resolved' },
      [STORED, undefined, RESOLVED],
      [true, undefined, true],
    ],
  ])('shows %s', async (_name, variants, addresses, verifications) => {
    const address = { http_server_address: STORED }
    await createCheck(call, { name: '1', protocol: 'HTTPS', target: RESOLVED, ...address })
    await createCheck(call, { name: '2', target: RESOLVED })
    await createCheck(call, { name: '3', protocol: 'HTTPS', target: RESOLVED })
    await setVariants(variants)
    const rows = await list()
    expect(rows.map((row) => row.http_server_address)).toEqual([...addresses, ...Array(3)].slice(0, 3))
    expect(rows.map((row) => row.verify_ssl)).toEqual([...verifications, ...Array(3)].slice(0, 3))
  })
})

it('treats * as a wildcard only at the end of a filter if wildcards is `trailing`', async () => {
  for (const name of ['web-1', 'web-*', 'my-web']) await createCheck(call, { name })
  expect(await listNames('name=*web*')).toEqual(['my-web', 'web-*', 'web-1'])
  await setVariants({ wildcards: 'trailing' })
  expect(await listNames('name=*web*')).toEqual([])
  expect(await listNames('name=*web')).toEqual([])
  expect(await listNames('name=web-*')).toEqual(['web-*', 'web-1'])
  expect(await listNames('name=web-**')).toEqual(['web-*'])
  expect(await listNames('target=*.0.0.1')).toEqual([])
})

describe('a lagging list', () => {
  it('doesn’t show the latest creation, update, or deletion, although the details are up to date', async () => {
    const shop = await createCheck(call, { name: 'shop' })
    await setVariants({ listing_lag: 1 })
    expect(await listNames()).toEqual([])
    const api = await createCheck(call, { name: 'api' })
    expect(await listNames()).toEqual(['shop'])
    await call('PUT', `${CHECKS}/${shop}`, checkBody({ name: 'store' }))
    expect(await listNames()).toEqual(['api', 'shop'])
    expect((await call('GET', `${CHECKS}/${shop}`)).json()).toMatchObject({ data: { name: 'store' } })
    await call('DELETE', `${CHECKS}/${api}`)
    expect(await listNames()).toEqual(['api', 'store'])
    expect((await call('GET', `${CHECKS}/${api}`)).status).toBe(404)
    await setVariants({})
    expect(await listNames()).toEqual(['store'])
  })

  it('still shows current statuses, and doesn’t affect alerts', async () => {
    const uuid = await createCheck(call, { name: 'shop' })
    await call('POST', `${CHECKS}/${uuid}/alerts`, { type: 'EMAIL', recipients: ['a@example.com'] })
    await call('PUT', `${CHECKS}/${uuid}`, checkBody({ name: 'store' }))
    await call('PUT', `/_sandbox/health-checks/${uuid}/status`, { status: 'UNHEALTHY' })
    await setVariants({ listing_lag: 1 })
    expect(await list('status=UNHEALTHY')).toMatchObject([{ name: 'shop', status: 'UNHEALTHY' }])
    expect((await call('GET', `${CHECKS}/${uuid}/alerts`)).json()).toMatchObject({
      data: [{ type: 'EMAIL' }],
    })
  })
})

it('alternates the order of checks with the same name if equal_names is `unordered`, unless sorted by UUID', async () => {
  const customers = [1000, 1100, 1110]
  for (const customer_id of customers) await createCheck(call, { name: 'twin', customer_id })
  await createCheck(call, { name: 'a' })
  const uuids = async (query = '') => (await list(query)).map(({ uuid }) => uuid)
  const [first = '', ...sameName] = await uuids()
  await setVariants({ equal_names: 'unordered' })
  expect([await uuids(), await uuids()]).toEqual([
    [first, ...sameName.toReversed()],
    [first, ...sameName],
  ])
  expect(await uuids('sort=uuid')).toEqual(await uuids('sort=uuid'))
})

it('returns the current variants and rejects unknown ones', async () => {
  await setVariants({ wildcards: 'trailing' })
  expect((await call('GET', '/_sandbox/variants')).json()).toEqual({
    listed_addresses: 'given',
    listed_verify_ssl: true,
    wildcards: 'trailing',
    listing_lag: 0,
    equal_names: 'by-uuid',
  })
  expect(errorMessages(await call('PUT', '/_sandbox/variants', { listing_lag: 2, names: 'x' }))).toEqual([
    'listing_lag must be a whole number from 0 to 1.',
    'names is not a known field; leave it out.',
  ])
  const ote = createClient(sandbox.oteUrl)
  expect((await ote('GET', '/_sandbox/variants')).json()).toMatchObject({ wildcards: 'anywhere' })
})
