import { expect, it } from 'vitest'
import { listNewerInService } from '../../src/cli/newer-in-service.ts'
import { page, reply, startVendor } from '../service/vendor.ts'

const SINCE = new Date('2026-11-20T12:00:00.000Z')
const CHECK = { uuid: '3f2a9c1e-7b4d-4e8a-9c55-000000000001', name: 'web', status: 'HEALTHY' }
/** No workspace has stored a token. */
const connections = { listAll: async () => [] } as unknown as Parameters<
  typeof listNewerInService
>[0]['connections']

async function listNewer(answers: { checks: object; tokens?: object; status?: number }): Promise<string[]> {
  const { checks, tokens = { data: [] }, status = 200 } = answers
  await using vendor = await startVendor((response, { url }) =>
    reply(response, url.includes('tokens') ? tokens : checks, status),
  )
  const variables = { API_BASE_URL: vendor.url, API_TOKEN: 'a-token' }
  return await Array.fromAsync(listNewerInService({ connections }, variables, SINCE))
}

it('says that nothing is newer only if everything could be read', async () => {
  const name = 'API_TOKEN, production'
  expect(await listNewer({ checks: page([CHECK]) })).toEqual([
    `${name}: nothing newer found. Only items with a timestamp were compared.`,
  ])
  expect(await listNewer({ checks: page([CHECK, { uuid: 7 }]), tokens: { data: [{ data: 7 }] } })).toEqual([
    `${name}: 1 health check and 1 connection token not compared, because Signalman can’t read them.`,
  ])
})

it('doesn’t say that the service couldn’t be reached if it answered', async () => {
  expect(await listNewer({ checks: {}, status: 401 })).toEqual([
    expect.stringContaining('because the service doesn’t accept the token (unauthorized)'),
  ])
})
