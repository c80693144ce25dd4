import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { connectWorkspace } from '../../../src/features/connection/connect-workspace.ts'
import { createService } from '../../../src/service/service.ts'
import { openActContext, storeAct } from '../../bot/acts/act-context.ts'

it('reports a stored token as stored, even if the service is down when the operation resumes', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await using sandbox = await startSandbox({ seed: false, checking: false })
  const work = await storeAct(store)

  async function connect(baseUrl: string, attempts: number) {
    await using service = createService({
      baseUrls: { production: baseUrl, ote: baseUrl },
      retry: { attempts: 1 },
    })
    const { connections } = store
    const context = await openActContext(store, work, attempts)
    const typed = { environment: 'production', token: sandbox.token } as const
    return await connectWorkspace({ connections, service, configured: {} }, context, typed)
  }

  const first = await connect(sandbox.productionUrl, 1)
  expect(first).toEqual({ visible: 0, replaced: false })
  // No service listens on this port.
  expect(await connect('http://127.0.0.1:9', 2)).toEqual(first)
})
