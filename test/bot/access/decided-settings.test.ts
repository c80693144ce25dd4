import type { Setting } from '@signalman/durable'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { GUESTS_CAN_VIEW } from '../../../src/bot/access/access.ts'
import { ALLOWED_SHARED_CHANNELS } from '../../../src/bot/posts/may-post.ts'
import { DEFAULT_POLICY, ORDER_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'
import { makeFolder } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const WORKSPACE = 'T0HOME'

interface DecidedSetting {
  setting: Setting<unknown>
  value: unknown
}

/** Settings that let people see or do more. The audit log says who changed them, and a row without such an entry is ignored. */
const DECIDED: readonly DecidedSetting[] = [
  { setting: GUESTS_CAN_VIEW, value: true },
  { setting: ORDER_POLICY, value: DEFAULT_POLICY },
  { setting: ALLOWED_SHARED_CHANNELS, value: ['C0SHARED'] },
]

it.each(DECIDED)(
  'believes $setting.key only as long as the audit log names it',
  async ({ setting, value }) => {
    using folder = makeFolder()
    const url = `sqlite:${folder.path}/signalman.db`
    await using store = await openStore({ url })
    await store.settings.set(WORKSPACE, setting, value)
    expect(await store.settings.get(WORKSPACE, setting)).toEqual(value)
    expect(await store.audit.search({ workspaceId: WORKSPACE, limit: 9 })).toMatchObject([
      { object: setting.key },
    ])
    await using raw = await openDatabase(url)
    await raw.rows.updateTable('setting').set({ decided_by: null }).execute()
    expect(await store.settings.get(WORKSPACE, setting)).toEqual(
      setting.valueIfForged ?? setting.read(undefined),
    )
  },
)
