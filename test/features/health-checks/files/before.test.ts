import { LeaseLost } from '@signalman/durable'
import { expect, it } from 'vitest'
import type { CommandContext } from '../../../../src/bot/routes/command-context.ts'
import { sendBefore } from '../../../../src/features/health-checks/files/before.ts'
import { describeUndo } from '../../../../src/features/health-checks/views/undo.ts'

const CHANGED = {
  row: { line: 1, do: 'delete', name: 'web', uuid: 'u', before: { settings: { name: 'web' }, alerts: [] } },
}

const send = (error: Error) =>
  sendBefore(
    // Casts: only these are used, and nothing of the row but what a file has.
    {
      ...{ environment: 'production', userId: 'U1', reference: 'R' },
      once: () => Promise.reject(error),
    } as unknown as CommandContext,
    CHANGED as unknown as Parameters<typeof sendBefore>[1],
  )

it('says that Slack didn’t confirm the file of what was before, and sends it later if the act goes on later', async () => {
  const undo = await send(new Error('An API error occurred: internal_error'))
  expect(describeUndo(undo)).toEqual(['Slack didn’t confirm the file of what was before.'])
  await expect(send(new LeaseLost())).rejects.toBeInstanceOf(LeaseLost)
})
