import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { connectWorkspace } from '../../../src/features/connection/connect-workspace.ts'
import { createService } from '../../../src/service/service.ts'

it('reports a stored token as stored, even if the service is down when the operation resumes', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await using sandbox = await startSandbox({ seed: false, checking: false })
  /** What the act remembers when it resumes. That its only step is done isn’t among it. */
  const remembered = new Map<string, unknown>()

  async function connect(baseUrl: string) {
    await using service = createService({
      baseUrls: { production: baseUrl, ote: baseUrl },
      retry: { attempts: 1 },
    })
    const context = {
      ...{ workspaceId: 'T1', userId: 'U1', now: new Date() },
      async once(name: string, read: () => Promise<unknown>) {
        if (!remembered.has(name)) remembered.set(name, await read())
        return remembered.get(name)
      },
      change: (_: object, work: () => Promise<unknown>) => work(),
      // Cast: only these are used.
    } as unknown as Parameters<typeof connectWorkspace>[1]
    const { connections } = store
    const typed = { environment: 'production', token: sandbox.token } as const
    return await connectWorkspace({ connections, service, configured: {} }, context, typed)
  }

  const first = await connect(sandbox.productionUrl)
  expect(first).toEqual({ visible: 0, replaced: false })
  // No service listens on this port.
  expect(await connect('http://127.0.0.1:9')).toEqual(first)
})
