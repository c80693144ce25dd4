import { openAct } from '@signalman/durable'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { openStore } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
import { createAuditedSteps } from '../../../src/bot/audit/audited-step.ts'
import { connectWorkspace } from '../../../src/features/connection/connect-workspace.ts'
import { createService } from '../../../src/service/service.ts'

it('reports a stored token as stored, even if the service is down when the operation resumes', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await using sandbox = await startSandbox({ seed: false, checking: false })
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')

  async function connect(baseUrl: string, attempts: number) {
    await using service = createService({
      baseUrls: { production: baseUrl, ote: baseUrl },
      retry: { attempts: 1 },
    })
    const leased = trackLeasedWork('me').add({ ...work, attempts })
    const requester = { workspaceId: 'T1', userId: 'U1', reference: 'R' }
    const steps = createAuditedSteps({
      ...{ audit: store.audit, refusalLog: { write: async () => undefined } },
      request: {
        ...requester,
        act: await openAct({ ...store, errors: ACT_ERRORS, maxInFlightMs: 1 }, leased),
      },
      environment: 'production',
      now: () => new Date(),
      recheckAccess: async () => undefined,
    })
    // Cast: only these are used.
    const context = { ...requester, ...steps, now: new Date() } as unknown as Parameters<
      typeof connectWorkspace
    >[1]
    const { connections } = store
    const typed = { environment: 'production', token: sandbox.token } as const
    return await connectWorkspace({ connections, service, configured: {} }, context, typed)
  }

  const first = await connect(sandbox.productionUrl, 1)
  expect(first).toEqual({ visible: 0, replaced: false })
  // No service listens on this port.
  expect(await connect('http://127.0.0.1:9', 2)).toEqual(first)
})
