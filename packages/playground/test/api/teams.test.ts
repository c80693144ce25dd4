import { describe, expect, it } from 'vitest'
import { FULL_MANIFEST, startWorld } from '../app.ts'

const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST })

describe('team settings', () => {
  it('have Slack’s default values', async () => {
    await using world = await start()
    const dndOff = { dnd_enabled: false, snooze_enabled: false }
    expect(await world.api('dnd.info', { user: 'U0MEMBER01' })).toMatchObject(dndOff)
    expect(await world.api('dnd.info', { user: 'U0NOPE' })).toMatchObject({ error: 'user_not_found' })
    const users = 'U0MEMBER01,U0ADMIN001'
    expect(await world.api('dnd.teamInfo', { users })).toMatchObject({ users: { U0ADMIN001: dndOff } })
    expect(await world.api('team.profile.get')).toMatchObject({ profile: { fields: [] } })
  })
})
