import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { CHECKS, createCheck, createClient } from './client.ts'

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-'))
  return {
    file: join(path, 'deep/er/sandbox.db'),
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  }
}

describe('the data file', () => {
  it('keeps the checks, alerts, tokens, orders, and threat events of both environments across a restart', async () => {
    await using folder = await makeFolder()
    const paths: string[] = []
    let token = ''
    {
      await using sandbox = await startSandbox({ data: folder.file, seed: false, checking: false })
      const call = createClient(sandbox.productionUrl)
      const uuid = await createCheck(call)
      await call('POST', `${CHECKS}/${uuid}/alerts`, { type: 'EMAIL', recipients: ['a@example.com'] })
      await call('PUT', '/_sandbox/threat-events/5', '{"domain":"kept.test"}')
      // GenerateResult: { message, data: [{ token, account_id }] }.
      token = (await call('POST', '/auth/v1/tokens')).json<{ data: [{ token: string }] }>().data[0].token
      paths.push(`${CHECKS}/${uuid}`, `${CHECKS}/${uuid}/alerts`, '/auth/v1/tokens', '/cti/v2/events/5')
      paths.push(`/ote${CHECKS}/${await createCheck(createClient(sandbox.oteUrl))}`)
    }
    await using sandbox = await startSandbox({ data: folder.file, seed: false, checking: false })
    for (const path of paths) {
      const isOte = path.startsWith('/ote')
      const call = createClient(isOte ? sandbox.oteUrl : sandbox.productionUrl, isOte ? sandbox.token : token)
      const answer = await call('GET', path.replace('/ote', ''))
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.text).not.toContain('"data":[]')
    }
  })

  it('is seeded with the example data only once', async () => {
    await using folder = await makeFolder()
    const start = () => startSandbox({ data: folder.file, checking: false })
    const seededUuid = '5eed0000-0000-4000-8000-000000000001'
    {
      await using sandbox = await start()
      expect((await createClient(sandbox.productionUrl)('DELETE', `${CHECKS}/${seededUuid}`)).status).toBe(
        200,
      )
    }
    await using sandbox = await start()
    expect((await createClient(sandbox.productionUrl)('GET', `${CHECKS}/${seededUuid}`)).status).toBe(404)
  })
})
