import { describe, expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../world.ts'

const CHECK = { name: 'web', target: 'www.example.com' }

describe('roles', () => {
  it('are needed to change anything, but not to read', async () => {
    await using world = await startWorld({ checks: [CHECK], access: 'closed' })
    const { member } = world.slack
    expect((await member.command('/hc', 'show web')).text).toContain('www.example.com')
    const refused = await member.command('/hc', 'create')
    expect(refused.text).toContain(
      'This needs the operator role. It lets you change health checks, their alerts and watches, and threat cases.',
    )
    expect(refused.text).toContain('Who can give it: <@U0ADMIN001>.')
    expect(refused.text).toContain('Nothing was changed.')
    await member.click(refused.message, 'What you can do', { until: 'You have no role, but you can' })
    const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 10 })
    const refusals = rows.filter(({ verb }) => verb !== 'role.save')
    expect(refusals.map(({ verb, outcome, actor }) => ({ verb, outcome, user: actor.userId }))).toEqual([
      { verb: '/hc create', outcome: 'refused', user: member.id },
    ])
  })

  it('don’t let a guest change anything, and name who can', async () => {
    await using world = await startWorld({ access: 'closed', guests: 'can-view' })
    for (const [command, typed, expected] of [
      ['/hc', 'connect', 'Ask an admin of this workspace.'],
      ['/hc', 'create', 'Ask an operator of this workspace.'],
      ['/cert-order', 'approve 1', 'Ask an approver of this workspace.'],
      ['/cert-order', '', 'Ask a member of this workspace.'],
    ] as const)
      expect((await world.slack.user('U0GUEST001').command(command, typed)).text).toContain(
        `Guests can’t use this. ${expected}`,
      )
  })
})
