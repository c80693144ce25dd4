import { expect, it } from 'vitest'
import type { Change } from '../../../../src/features/health-checks/changes/change.ts'
import { prepare } from '../../../../src/features/health-checks/changes/prepare.ts'
import { startAct } from '../act-in-lives.ts'

const { signal } = new AbortController()
const gone = { method: 'GET', kind: 'status', status: 404 } as const

it.each(['edit', 'delete'] as const)(
  'takes a check whose alerts alone are not found for no check that is gone, when it is to %s',
  async (what) => {
    await using act = await startAct()
    const uuid = await act.service.addCheck({ name: 'web' })
    const of = { uuid, name: 'web' }
    const alerts = { exactly: [] }
    const change: Change = what === 'edit' ? { do: what, ...of, patch: {}, alerts } : { do: what, ...of }
    const path = `/healthcheck/v1/healthchecks/${uuid}`
    await act.service.faults({ ...gone, path: `${path}/alerts` })
    await expect(prepare(act.api, change, signal)).rejects.toMatchObject({ kind: 'not-found' })
    await act.service.faults({ ...gone, path })
    const { state } = await prepare(act.api, change, signal)
    expect(state).toBe(what === 'edit' ? 'refused' : 'found')
  },
)
