import { expect, it } from 'vitest'
import { type ChangesJobDeps, changesJob } from '../../../../src/features/health-checks/jobs/changes-job.ts'

it.each([
  { begun: [], released: ['job'] },
  // Its request may still be running.
  { begun: [{ line: 1, attempt: {}, body: undefined }], released: [] },
])(
  'releases the holds of a job that fails unless a step is still begun: $begun',
  async ({ begun, released }) => {
    const releasedIds: string[] = []
    const steps = {
      listBegun: async () => begun,
      saveProgress: async () => undefined,
      listInState: async () => [],
      listReady: async () => [],
      countByState: async () => ({ done: 1, begun: begun.length }),
      releaseAllHolds: async (id: string) => void releasedIds.push(id),
    }
    const ephemeralState = { get: async () => undefined }
    const { describeError } = changesJob({
      steps,
      ephemeralState,
      moveToReplacements: async () => ({ watches: 0, silences: 0 }),
      // `describeError` uses only these parts.
    } as unknown as ChangesJobDeps)
    const job = {
      id: 'job',
      workspaceId: 'T1',
      environment: 'production',
      now: new Date(),
      details: { verb: '/hc edit', title: 'Set port', planned: { create: 0, edit: 2, delete: 0 } },
      leaseOwner: 'me',
      auditEvent: () => undefined,
    }
    await describeError?.(job as never, 'Something failed.')
    expect(releasedIds).toEqual(released)
  },
)
