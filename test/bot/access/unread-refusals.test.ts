import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../world.ts'

it('refuses and records another tool’s word like the verb that it means', async () => {
  await using world = await startWorld({ access: 'closed', checks: [{ name: 'Shop' }] })
  const { member } = world.slack
  const refused = async () => {
    const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 50 })
    return rows.filter(({ outcome }) => outcome === 'refused').map(({ verb }) => verb)
  }
  for (const [typed, verb] of [
    ['login', '/hc connect'],
    ['rm Shop', '/hc delete'],
    ['give @U0MEMBER01 admin', '/hc grant'],
    ['silence Shop 2h', '/hc mute'],
    // It can't be read, but its verb says what is wanted.
    ['grant ann admin', '/hc grant'],
  ] as const) {
    const { text } = await member.command('/hc', typed)
    expect(text, typed).toMatch(/This needs the (?:operator|admin) role/)
    expect((await refused())[0], typed).toBe(verb)
  }
})
