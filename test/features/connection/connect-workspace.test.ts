import type { Send } from '@signalman/durable'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { openAct } from '../../../packages/durable/src/engine/act.ts'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { openStore } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
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
    const leasedWork = trackLeasedWork('me').add({ ...work, attempts })
    const actParts = {
      steps: store.steps,
      lateOutcomes: store.lateOutcomes,
      errors: ACT_ERRORS,
      maxInFlightMs: 1,
    }
    const act = await openAct(actParts, leasedWork)
    const context = {
      workspaceId: 'T1',
      userId: 'U1',
      environment: 'production',
      reference: 'R',
      now: new Date(),
      begunAt: act.madeAt,
      once: act.once,
      change: <T>({ verb }: { verb: string }, work: (send: Send<T>) => Promise<T>) =>
        act.step<T>({
          name: verb,
          auditEvent: (outcome) => ({
            workspaceId: 'T1',
            at: new Date(),
            actor: { userId: 'U1' },
            verb,
            outcome,
            reference: 'R',
          }),
          work,
          isRepeatable: true,
        }),
    } as const
    const typed = { environment: 'production', token: sandbox.token } as const
    return await connectWorkspace(
      {
        connections: store.connections,
        service,
        configured: {},
      },
      context,
      typed,
    )
  }

  const first = await connect(sandbox.productionUrl, 1)
  expect(first).toEqual({ visible: 0, replaced: false })
  // No service listens on this port.
  expect(await connect('http://127.0.0.1:9', 2)).toEqual(first)
})
