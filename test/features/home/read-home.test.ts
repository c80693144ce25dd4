import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { readHome } from '../../../src/features/home/read-home.ts'
import { createService } from '../../../src/service/service.ts'
import { createSandboxControl } from '../../sandbox-control.ts'

it('says that the service didn’t respond in time if it hangs', async () => {
  await using sandbox = await startSandbox({ seed: false, checking: false })
  await using store = await openStore({ url: 'sqlite::memory:' })
  await using service = createService({
    baseUrls: { production: sandbox.productionUrl, ote: sandbox.oteUrl },
  })
  await createSandboxControl(sandbox).faults({ path: '/', kind: 'hang' })
  const home = await readHome(
    {
      cached: store.cached,
      hasOte: true,
      configured: { production: sandbox.token },
      timeoutMs: 50,
      summary: async (_, environment, signal) => {
        await service.with({ environment, token: sandbox.token }).healthChecks.list({}, signal)
        return { total: 0, card: [], line: '' }
      },
    },
    {
      workspaceId: 'T0EXAMPLE',
      now: new Date(),
      api: () => Promise.reject(new Error('This test doesn’t use the API.')),
    },
  )
  expect(home).toEqual({
    connected: [
      {
        environment: 'production',
        health: { problem: 'The service didn’t respond in time. Open Home again in a minute.' },
      },
    ],
    hasRoles: false,
  })
})
